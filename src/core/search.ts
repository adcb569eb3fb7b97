// What can be asked of the memory and what it answers: the contract of the HTTP routes, the CLI and the MCP tools.

/** `GET /api/search`. Each field is a query parameter of the same name; lists are separated by commas. */
export type SearchParameters = {
  query: string;
  /** Where the asker is; its project is searched, with what holds everywhere. */
  cwd?: string;
  /** A project by name instead. */
  project?: string;
  /** Every project. */
  all?: boolean;
  /** Observation types and the kinds `summary` and `prompt`. */
  type?: string[];
  concept?: string;
  /** A path, absolute or relative, or the end of one. */
  file?: string;
  /** ISO date or time, or `3 days`, `2h`, `yesterday`, `monday`. */
  since?: string;
  until?: string;
  session?: string;
  branch?: string;
  order?: 'relevance' | 'date';
  limit?: number;
  offset?: number;
  why?: boolean;
  /** A text that the asker has, with ids as notes write them: it is not said again. Of an agent's session the worker knows it. */
  given?: string;
};

export const DEFAULT_LIMIT = 10;

/** Exactly one of them. `session`: by the agent's id of it, or how that begins. `matching`: all that has this text in it. */
export type ForgetScope = { session?: string; project?: string; matching?: string };

/** `POST /api/memory/erase`: a session, a project, or memories by their ids; with `matching` that text is looked for in every file. */
export type EraseParameters = ForgetScope & { ids?: string[] };

/** What is asked by routes, CLI and tools alike. */
export type TimelineParameters = {
  anchor?: string;
  query?: string;
  depth_before?: number;
  depth_after?: number;
  type?: string[];
  project?: string;
  cwd?: string;
  all?: boolean;
};
export type RecapParameters = { since?: string; until?: string; project?: string; cwd?: string; all?: boolean };
export type SaveParameters = {
  text: string;
  title?: string;
  type?: string;
  cwd?: string;
  project?: string;
  global?: boolean;
  /** Only a person may bring back what was forgotten. */
  by?: 'user' | 'agent';
};

// How a request to the worker says that an agent asks, and where it works. Whoever could leave it out could also read the database.

export const AGENT_HEADER = 'x-claude-mem-agent';

/** Where the agent works; nothing when that is not known. The session goes before the folder: an agent's shell goes into any folder. */
export type AgentPlace = {
  /** The host's id. */
  session?: string | null;
  /** Where it was called. */
  folder?: string;
  /** The folder whose project is meant. */
  cwd?: string;
  project?: string;
};

/** A header holds no line breaks and few letters. */
export function agentHeader(place: AgentPlace): Record<string, string> {
  const said = Object.entries(place).flatMap(([name, value]) => (value ? [[name, value] as [string, string]] : []));
  return { [AGENT_HEADER]: String(new URLSearchParams(said)) };
}
