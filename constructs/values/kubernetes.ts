import type { JsonMap } from '../expr/json.ts';
import { rawList, rawMap, stringMap } from './build.ts';
import { labelKey, labelValue, ownPrefixes, quantity } from './formats.ts';
import type { RawField } from './model.ts';

/** Parts of the Kubernetes API that a chart passes on to its pods as they stand. */

const labelMap: JsonMap = { type: 'object', additionalProperties: { type: 'string', pattern: labelValue } };

const labelSelector: JsonMap = {
  type: 'object',
  additionalProperties: false,
  properties: { matchLabels: labelMap, matchExpressions: { type: 'array', items: { type: 'object' } } },
};

const quantities: JsonMap = {
  type: 'object',
  patternProperties: { [labelKey]: { type: 'string', pattern: quantity } },
  additionalProperties: false,
};

/** Keys that the chart decides: its selectors and AgentPlane's own identity labels. */
export const reservedLabels = `^(${ownPrefixes})/`;

export function resources(what: string, defaults: JsonMap): RawField {
  return rawMap(
    `Resources of ${what}. Quantities are strings. Set a key to null to drop its default.`,
    { additionalProperties: false, properties: { limits: quantities, requests: quantities } },
    { default: defaults, examples: [{}, { limits: { cpu: '1', memory: '1Gi' } }, { requests: { cpu: '100m' } }] },
  );
}

export const podLabels = stringMap('Labels added to the pods. Keys that the chart sets itself are refused.', {
  values: 'label',
  reserved: reservedLabels,
});

/** One of the pods is a hook of Helm. */
export const podAnnotations = stringMap('Annotations added to the pods. Keys of Helm are refused.', {
  values: 'any',
  reserved: '^helm\\.sh/',
});

export const nodeSelector = stringMap('Labels that a node must have to run the pods.', { values: 'label' });

export const tolerations = rawList(
  'Tolerations of the pods.',
  {
    items: {
      type: 'object',
      additionalProperties: false,
      properties: {
        key: { type: 'string' },
        operator: { enum: ['Exists', 'Equal'] },
        value: { type: 'string' },
        effect: { enum: ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] },
        tolerationSeconds: { type: 'integer', minimum: 0 },
      },
    },
  },
  {
    default: [],
    examples: [
      [{ key: 'dedicated', operator: 'Equal', value: 'on', effect: 'NoSchedule' }],
      [{ operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 1000000 }],
    ],
  },
);

export const affinity = rawMap(
  'Affinity of the pods. They are spread over nodes and zones without it.',
  {
    additionalProperties: false,
    properties: {
      nodeAffinity: { type: 'object' },
      podAffinity: { type: 'object' },
      podAntiAffinity: { type: 'object' },
    },
  },
  {
    default: {},
    examples: [
      {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }] },
            ],
          },
        },
      },
    ],
  },
);

/** An empty peer would mean every pod of the namespace, an empty `podSelector` beside no namespace the same: both refused. */
export const policyPeers = rawList(
  'Who may read the metrics port, as peers of a NetworkPolicy. Nobody by default.',
  {
    items: {
      type: 'object',
      minProperties: 1,
      additionalProperties: false,
      properties: {
        namespaceSelector: labelSelector,
        podSelector: labelSelector,
        ipBlock: {
          type: 'object',
          additionalProperties: false,
          required: ['cidr'],
          properties: { cidr: { type: 'string' }, except: { type: 'array', items: { type: 'string' } } },
        },
      },
    },
  },
  {
    default: [],
    examples: [[{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }]],
  },
);
