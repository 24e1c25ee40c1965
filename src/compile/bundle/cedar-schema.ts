/** What a Cedar engine needs to know of agents and tools, in Cedar's JSON format: https://docs.cedarpolicy.com/schema/json-schema.html */

export const ENTITY_NAMESPACE = 'AgentPlane';
/** A principal: the agents of a profile. */
export const AGENT = 'Agent';
/** A resource. Only its attributes are looked at, never its id. */
export const TOOL = 'Tool';

/** The tool is called, and a person agrees to it first where the bundle says Ask. */
export const CALL = 'call';
/** The tool is called and nobody is asked. */
export const CALL_UNATTENDED = 'callUnattended';
export const ACTIONS = [CALL, CALL_UNATTENDED] as const;

const action = {
  appliesTo: { principalTypes: [AGENT], resourceTypes: [TOOL], context: { type: 'Record', attributes: {} } },
};

export const CEDAR_SCHEMA = {
  [ENTITY_NAMESPACE]: {
    entityTypes: {
      [AGENT]: {},
      [TOOL]: { shape: { type: 'Record', attributes: { server: { type: 'String' }, name: { type: 'String' } } } },
    },
    actions: { [CALL]: action, [CALL_UNATTENDED]: action },
  },
};
