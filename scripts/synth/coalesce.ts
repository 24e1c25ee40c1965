import { isJsonMap, type Json, type JsonMap } from '../../constructs/expr/json.ts';

/**
 * A user's values over a chart's defaults, as Helm merges them: maps key by key, everything else as a whole, and null
 * deletes the default (helm/helm pkg/chart/common/util/coalesce.go).
 */
export function coalesce(defaults: JsonMap, values: JsonMap): JsonMap {
  const merged: Record<string, Json> = { ...defaults };
  for (const [key, value] of Object.entries(values)) {
    const fallback = defaults[key];
    if (value === null) delete merged[key];
    else if (isJsonMap(value) && isJsonMap(fallback)) merged[key] = coalesce(fallback, value);
    else merged[key] = value;
  }
  return merged;
}
