// Who asks the memory, and how much is answered unless something else is said.

export const DEFAULT_LIMIT = 10;

export const DEFAULT_DEPTH = 10;
export const MOST_DEPTH = 100;

// How a request to the worker says that an agent asks, and where it works. Whoever could leave it out could also read the database.

export const AGENT_HEADER = 'x-claude-mem-agent';

/** Where the agent works; nothing when that is not known. The session goes before the folder: an agent's shell goes into any folder. */
export type AgentPlace = {
  /** The host's id. */
  session?: string | null;
  folder?: string;
  cwd?: string;
  project?: string;
};

/** A header holds no line breaks and few letters. */
export function agentHeader(place: AgentPlace): Record<string, string> {
  const said = Object.entries(place).flatMap(([name, value]) => (value ? [[name, value] as [string, string]] : []));
  return { [AGENT_HEADER]: String(new URLSearchParams(said)) };
}
