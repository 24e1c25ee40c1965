/** The CustomResourceDefinition of a kind, complete with the defaults that the API server would write. */
import type { AnyKind } from './kind.ts';
import { NOT_OBSERVED } from './meta.ts';
import { type StructuralSchema, toStructural } from './structural.ts';

export interface CustomResourceDefinition {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  readonly metadata: { readonly name: string };
  readonly spec: Readonly<Record<string, unknown>>;
}

export function crdOf(kind: AnyKind): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${kind.plural}.${kind.group}` },
    spec: {
      // Written out because the API server would: what is rendered must equal what is live.
      conversion: { strategy: 'None' },
      group: kind.group,
      names: {
        categories: ['agentplane'],
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        shortNames: [...kind.shortNames],
        singular: kind.singular,
      },
      scope: 'Namespaced',
      versions: [
        {
          additionalPrinterColumns: kind.columns.map(({ name, type, jsonPath, description, priority }) => ({
            description,
            jsonPath,
            name,
            ...(priority === undefined ? {} : { priority }),
            type,
          })),
          name: kind.version,
          schema: { openAPIV3Schema: rootSchema(kind) },
          served: true,
          storage: true,
          subresources: { status: {} },
        },
      ],
    },
  };
}

function rootSchema(kind: AnyKind): StructuralSchema {
  return {
    description: kind.description,
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      ...(kind.spec === undefined ? {} : { spec: specSchema(kind) }),
      status: statusSchema(kind),
    },
    ...(kind.spec === undefined ? {} : { required: ['spec'] }),
    type: 'object',
    ...(kind.nameRules.length === 0
      ? {}
      : { 'x-kubernetes-validations': kind.nameRules.map(({ rule, message }) => ({ message, rule })) }),
  };
}

/** What only reports has no spec that could be newer than its status. */
function statusSchema(kind: AnyKind): StructuralSchema {
  const schema = toStructural(kind.status);
  return kind.spec === undefined ? schema : { ...schema, default: { observedGeneration: NOT_OBSERVED } };
}

function specSchema(kind: AnyKind): StructuralSchema {
  if (kind.spec === undefined) throw new Error(`${kind.kind} has no spec`);
  const schema = toStructural(kind.spec);
  const own = schema['x-kubernetes-validations'];
  const all = [...(Array.isArray(own) ? own : []), ...kind.transitions.map(({ rule, message }) => ({ message, rule }))];
  return all.length === 0 ? schema : { ...schema, 'x-kubernetes-validations': all };
}
