/**
 * Recognises an API by a field of its published schema. A name proves nothing: the CRDs of an uninstalled provider stay, and
 * other projects have served look-alikes under the same group and kind.
 */
import type { ApiField } from '../compile/providers/row.ts';
import type { Client } from '../kube/client.ts';

export interface ApiSchemas {
  /** Those of the fields that the API server's schemas have. */
  served(fields: readonly ApiField[], signal: AbortSignal): Promise<readonly ApiField[]>;
}

type Document = { readonly [key: string]: unknown };

/**
 * Documents are kept until their hash in the OpenAPI index changes: they are large (that of Cilium is over 100 kB), the index is
 * small.
 */
export function createApiSchemas(client: Pick<Client, 'getJson'>): ApiSchemas {
  const kept = new Map<string, { readonly url: string; readonly document: Promise<Document> }>();

  const load = (path: string, url: string, signal: AbortSignal): Promise<Document> => {
    const known = kept.get(path);
    if (known?.url === url) return known.document;
    const document = client.getJson(url, { signal }).then(asDocument);
    kept.set(path, { url, document });
    // What could not be read is asked for again.
    document.catch(() => kept.delete(path));
    return document;
  };

  return {
    async served(fields, signal) {
      const paths = asDocument(asDocument(await client.getJson('/openapi/v3', { signal })).paths);
      const found = await Promise.all(
        fields.map(async (field) => {
          const path = `apis/${field.group}/${field.version}`;
          const url = asDocument(paths[path]).serverRelativeURL;
          return typeof url === 'string' && documentHasField(await load(path, url, signal), field) ? [field] : [];
        }),
      );
      return found.flat();
    },
  };
}

export function documentHasField(document: Document, { group, version, kind, field }: ApiField): boolean {
  const schemasByName = asDocument(asDocument(document.components).schemas);
  const schema = Object.values(schemasByName)
    .map(asDocument)
    .find((candidate) => {
      const kinds = candidate['x-kubernetes-group-version-kind'];
      return (
        Array.isArray(kinds) &&
        kinds.map(asDocument).some((gvk) => gvk.group === group && gvk.version === version && gvk.kind === kind)
      );
    });
  if (schema === undefined) return false;
  let node = schema;
  for (const step of field) {
    node = resolved(step === '[]' ? node.items : asDocument(node.properties)[step], schemasByName);
  }
  return Object.keys(node).length > 0;
}

const REFERENCE = '#/components/schemas/';

/** Built-in and aggregated APIs refer to their types, bare or as the only item of `allOf`; those of CRDs are written out. */
function resolved(node: unknown, schemas: Document): Document {
  const { $ref, allOf } = asDocument(node);
  const reference = $ref ?? (Array.isArray(allOf) ? asDocument(allOf[0]).$ref : undefined);
  if (typeof reference !== 'string' || !reference.startsWith(REFERENCE)) return asDocument(node);
  return asDocument(schemas[reference.slice(REFERENCE.length)]);
}

function asDocument(value: unknown): Document {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Document) : {};
}
