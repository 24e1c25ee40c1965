/** One rule of an admission policy, and how rules about containers are stated once for every container of a pod. */

export interface AdmissionRule {
  /** For tests and for whoever reads this file; it is not rendered. */
  readonly name: string;
  /** CEL: true where the request may pass. */
  readonly holds: string;
  /** CEL of type string: what stands in the way, and the way out. It follows the name of the object. */
  readonly message: string;
}

/** Absolute for what is written anew. `advice` is plain text. */
export function rule(name: string, holds: string, advice: string): AdmissionRule {
  return { name, holds, message: celString(advice) };
}

/** No container `c` for which `bad` holds. The message names those that are. */
export function containerRule(name: string, bad: string, advice: string, list = 'containers'): AdmissionRule {
  return {
    name,
    holds: `!variables.${list}.exists(c, ${bad})`,
    message: `'container ' + variables.${list}.filter(c, ${bad}).map(c, c.name).join(', ') + ${celString(`: ${advice}`)}`,
  };
}

/** A CEL string literal. */
export function celString(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** A CEL list of string literals. */
export function celList(items: readonly string[]): string {
  return `[${items.map(celString).join(', ')}]`;
}
