/** Printer columns that the kinds share: whether the newest spec is in force, and which generation the status is about. */
import type { PrinterColumn } from './kind.ts';

export const AGE_COLUMN: PrinterColumn = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'Age of the object',
};

export const READY_COLUMNS: readonly PrinterColumn[] = [
  {
    name: 'Ready',
    type: 'string',
    jsonPath: '.status.conditions[?(@.type=="Ready")].status',
    description: 'Whether the observed generation is in force',
  },
  { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason', description: 'Why' },
  { name: 'Generation', type: 'integer', jsonPath: '.metadata.generation', description: 'The newest spec' },
  {
    name: 'Observed',
    type: 'integer',
    jsonPath: '.status.observedGeneration',
    description: 'The generation the status is about',
  },
];
