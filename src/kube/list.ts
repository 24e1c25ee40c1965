import { malformed } from './body.ts';
import { type Attempt, isKubeError } from './errors.ts';
import { apiVersionOf, isKubeObject, isRecord, type KubeObject, type ObjectList, type Resource } from './types.ts';

export interface Page {
  readonly items: readonly KubeObject[];
  readonly resourceVersion: string;
  readonly continueToken: string | undefined;
}

/**
 * Follows `continue` to the end. A 410 on a page means that the snapshot was compacted away while we were reading it: the whole list is
 * read again, once; twice in a row is the caller's to pace.
 */
export async function readAllPages(
  readPage: (continueToken: string | undefined) => Promise<Page>,
  transform: (object: KubeObject) => KubeObject,
): Promise<ObjectList> {
  try {
    return await readSnapshot(readPage, transform);
  } catch (error) {
    if (!isKubeError(error, 'Gone')) {
      throw error;
    }
    return readSnapshot(readPage, transform);
  }
}

async function readSnapshot(
  readPage: (continueToken: string | undefined) => Promise<Page>,
  transform: (object: KubeObject) => KubeObject,
): Promise<ObjectList> {
  const items: KubeObject[] = [];
  let continueToken: string | undefined;
  for (;;) {
    const page = await readPage(continueToken);
    for (const item of page.items) {
      items.push(transform(item));
    }
    continueToken = page.continueToken;
    if (continueToken === undefined) {
      return { items, resourceVersion: page.resourceVersion };
    }
  }
}

export function parsePage(attempt: Attempt, resource: Resource, body: unknown): Page {
  if (!isRecord(body) || !isRecord(body.metadata) || !(Array.isArray(body.items) || body.items === null)) {
    throw malformed(attempt, 'the response is not a list');
  }
  const { resourceVersion, continue: continueToken } = body.metadata;
  if (typeof resourceVersion !== 'string' || resourceVersion === '') {
    throw malformed(attempt, 'the list has no resourceVersion, so no watch can start from it');
  }
  return {
    items: (body.items ?? []).map((item: unknown) => parseItem(attempt, resource, item)),
    resourceVersion,
    continueToken: typeof continueToken === 'string' && continueToken !== '' ? continueToken : undefined,
  };
}

/** Items of built-in kinds come without apiVersion and kind: the list's own kind stands for them. */
function parseItem(attempt: Attempt, resource: Resource, item: unknown): KubeObject {
  const typed = isRecord(item) ? { apiVersion: apiVersionOf(resource), kind: resource.kind, ...item } : item;
  if (!isKubeObject(typed)) {
    throw malformed(attempt, 'a list item has no name');
  }
  return typed;
}
