import { ApiObject, type Chart, JsonPatch } from 'cdk8s';
import { Expr } from './expr/expr.ts';
import { spread } from './expr/fragment.ts';
import { isJsonList, isJsonMap, type Json, type JsonMap } from './expr/json.ts';
import { merged } from './expr/operators.ts';
import { wholeToken } from './expr/token.ts';
import type { CommonRefs } from './values/common.ts';

type StringMap = Readonly<Record<string, string>>;

/**
 * Adds the common labels and annotations of the values to every object of the chart, and to the metadata of its pods: never to what
 * selects. The last thing that a chart does, since it reaches what is there by then.
 */
export function addCommonMetadata(chart: Chart, common: CommonRefs): void {
  for (const object of chart.node.findAll().filter((each) => ApiObject.isApiObject(each))) {
    const { metadata, spec } = object.toJson() as JsonMap;
    object.addJsonPatch(JsonPatch.replace('/metadata', withCommon(metadata, common)));
    if (isJsonMap(spec) && isPodTemplate(spec.template))
      object.addJsonPatch(JsonPatch.replace('/spec/template/metadata', withCommon(spec.template.metadata, common)));
  }
}

function isPodTemplate(template: Json | undefined): template is JsonMap {
  return isJsonMap(template) && isJsonMap(template.spec) && isJsonList(template.spec.containers ?? null);
}

function withCommon(metadata: Json | undefined, { commonLabels, commonAnnotations }: CommonRefs): JsonMap {
  if (!isJsonMap(metadata)) throw new Error('an object, or its pod, has no metadata');
  return {
    ...metadata,
    annotations: withEntries(metadata.annotations, commonAnnotations),
    labels: withEntries(metadata.labels, commonLabels),
  };
}

/** Of a key that stands in two maps of values, that of the narrower one counts. Literal keys, the schema refuses in the common one. */
function withEntries(map: Json = {}, common: Expr<StringMap>): JsonMap {
  if (!isJsonMap(map))
    throw new Error('labels and annotations have to be a map literal: use spread() for those of values');
  const narrower: Expr<StringMap>[] = [];
  const fixed: Record<string, Json> = {};
  for (const [key, value] of Object.entries(map)) {
    const token = wholeToken(key);
    if (token?.kind === 'spread') narrower.push(new Expr(token.map));
    else fixed[key] = value;
  }
  return { ...fixed, ...spread(merged(...narrower, common)) };
}
