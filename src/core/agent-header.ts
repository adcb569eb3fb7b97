// How a request to the worker says that an agent asks, and where it works. Whoever could leave it out could also read the database.

export const AGENT_HEADER = 'x-claude-mem-agent';

/** Where the agent works; nothing when that is not known. */
export type AgentPlace = { cwd?: string; project?: string };

/** A header holds no line breaks and few letters. */
export const agentHeader = ({ cwd, project }: AgentPlace): Record<string, string> => ({
  [AGENT_HEADER]: String(new URLSearchParams({ ...(cwd ? { cwd } : {}), ...(project ? { project } : {}) })),
});
