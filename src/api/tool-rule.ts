/** One rule about tools: as a PolicyBundle holds it inline, and as a ConfigMap that it refers to does. */
import type * as z from 'zod';
import { dnsLabel, mapList, obj, oneOf, setOf, str } from './dialect.ts';

export const EFFECTS = ['Allow', 'Ask', 'Deny'] as const;
export const MAX_TOOL_RULES = 256;
export const MAX_TOOLS = 64;

/** The characters that the Model Context Protocol gives the names of tools and servers; no `*`, which is ours. */
const NAME = '[A-Za-z0-9_./-]';

const toolRule = obj('What may be done with some tools of one server.', {
  id: dnsLabel('The name of the rule, used in every message about it.'),
  effect: oneOf('Deny beats Ask, which beats Allow. What no rule names is denied.', EFFECTS),
  server: str('The server that offers the tools.', { min: 1, max: 128, pattern: new RegExp(`^${NAME}+$`) }),
  tools: setOf(
    'Names of tools. "*" stands for any characters.',
    str('A name or a pattern.', { min: 1, max: 128, pattern: new RegExp(`^\\*?(${NAME}+\\*)*(${NAME}+)?$`) }),
    { min: 1, max: MAX_TOOLS },
  ),
});

/** The rules of a bundle. */
export const toolRules = mapList('Rules. Empty: every tool is denied.', toolRule, { key: 'id', max: MAX_TOOL_RULES });

export type ToolRule = z.output<typeof toolRule>;
