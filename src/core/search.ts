// What can be asked of the memory and what it answers: the contract of the HTTP routes, the CLI and the MCP tools.
import type { Memory, MemoryRow, Why } from './memory.ts';
import type { RollUp } from './session.ts';

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
};

export const DEFAULT_LIMIT = 10;

export type SearchAnswer = {
  results: SearchHit[];
  /** How many match in all. */
  total: number;
  limit: number;
  offset: number;
  /** Whom the answer is about: the name of a project, or null for every project. */
  project: string | null;
  /** Said instead of, or beside, the results: nothing relevant, an index that is still being filled, a filter that excludes all. */
  note: string | null;
};

export type SearchHit = MemoryRow & {
  score: number;
  /** Near-duplicates that are folded into this one. */
  alike: string[];
  /** What else was found of the same turn: its record, summary and other observations. */
  sameTurn: string[];
  /** Of the first rows: the words of the turn that answer best. */
  snippet?: string;
  why?: ScoreParts;
};

/** How a score came about; the parts add up to it. */
export type ScoreParts = {
  keyword: number;
  meaning: number;
  neighbours: number;
  recency: number;
  type: number;
  /** The words of the query that matched. */
  words: string[];
};

/** `GET /api/search/sessions`: the same question, answered by sessions. */
export type SessionSearchAnswer = Omit<SearchAnswer, 'results' | 'total'> & { results: SessionHit[] };

export type SessionHit = {
  session: string;
  title: string | null;
  project: string;
  at: number;
  score: number;
  /** The memories of the session that matched best. */
  best: MemoryRow[];
};

/** `GET /api/timeline`: around `anchor` (an id or an ISO time) or the best hit of `query`; `depth_before`, `depth_after`, `type`, `project`, `cwd`, `all`. */
export type TimelineAnswer = {
  anchor: string | null;
  /** Oldest first. */
  items: MemoryRow[];
  /** Of an anchor that is a prompt: what was said and done in its turn, and how many characters more that has. */
  record: { id: string; text: string; left: number } | null;
  note: string | null;
};

/**
 * `POST /api/observations/batch` with `{"ids": ["123", "S12", "P34"], "full"?, "hidden"?}`, in that order. `full`: records of turns
 * whole, with output and diffs. A hidden memory is `missing` unless `hidden` is true: for whoever decides about it.
 */
export type BatchAnswer = { memories: Memory[]; missing: string[] };

/** `GET /api/observations/by-file?path=&cwd=&project=&all=&limit=&offset=`: newest first. */
export type FileHistoryAnswer = {
  path: string;
  /** Earlier names of the file, as git knows them. */
  earlierNames: string[];
  results: (MemoryRow & { did: 'changed' | 'read' })[];
  /** How many there are in all. */
  total: number;
  limit: number;
  offset: number;
};

/** `GET /api/recap?since=&until=&project=&cwd=&all=`: for a stand-up. */
export type RecapAnswer = {
  since: number;
  until: number;
  projects: ({ project: string; sessions: number } & RollUp)[];
};

/** `GET /api/contradictions`: two memories that seem to disagree, until somebody says which one holds. */
export type ContradictionsAnswer = {
  items: { newer: MemoryRow; older: MemoryRow; why: Why; words: string | null; at: number }[];
};

/**
 * `POST /api/memory/save` with `{"text", "title"?, "type"?, "cwd"? | "project"?, "global"?, "by"?}`. `by` is `user` when a person
 * says it, who is believed more and may bring back what was forgotten; `agent` when nobody says.
 */
export type SaveAnswer = { id: string; title: string; project: string; isNew: boolean };

/**
 * `DELETE /api/observations/:id` (one or several, separated by commas) hides; with `?erase=true` a person has confirmed, and the
 * bytes go; with `&related=true` also those of `GET /api/observations/:ids/related`.
 */
export type ForgetAnswer = { state: 'hidden'; ids: string[]; next: string } | { state: 'erased'; receipt: Receipt };

/** `POST /api/memory/unhide` with `{"ids"}`: those that were hidden and are shown again. */
export type UnhideAnswer = { ids: string[] };

/** `GET /api/memory/hidden`: what a model asked to forget and what waits for a person, since when. */
export type HiddenAnswer = {
  memories: (MemoryRow & { hiddenAt: string })[];
  total: number;
  limit: number;
  offset: number;
};

/** `GET /api/observations/:ids/related`: what was made of the same events and of nothing else, and the summaries of their turns. */
export type ListAnswer = { memories: MemoryRow[] };

/** Exactly one of them. `session`: by the agent's id of it, or how that begins. `matching`: all that has this text in it. */
export type ForgetScope = { session?: string; project?: string; matching?: string };

/** `GET /api/memory/scope?session=|project=|matching=`: what a deletion would take. */
export type ForgetPreview = {
  /** In words. */
  scope: string;
  sessions: number;
  observations: number;
  summaries: number;
  prompts: number;
  /** Records of turns; those of single prompts are not counted. */
  records: number;
  /** The newest of them. */
  memories: MemoryRow[];
  /** Of memories that were found one by one: all of them. */
  ids: string[];
};

/** `POST /api/memory/erase`: a session, a project, or memories by their ids; with `matching` that text is looked for in every file. */
export type EraseParameters = ForgetScope & { ids?: string[] };

/** What was removed, in counts: never the text. */
export type Receipt = {
  at: string;
  /** Of memories that were named. */
  ids: string[];
  /** Whole sessions. */
  sessions: number;
  observations: number;
  summaries: number;
  prompts: number;
  /** Whole records of turns. */
  records: number;
  /** Paragraphs and steps that were taken out of records which stay. */
  paragraphs: number;
  events: number;
  words: number;
  vectors: number;
  tombstones: number;
  /** Copies of the memory that it went from, too. */
  backups: number;
  /** Pieces of the text that are still in a file and have no other reason to be there. */
  remains: number;
  /** The files that hold them, below the data dir. */
  remainsIn: string[];
  /** Living memories that still say it: each stays until somebody forgets it, too. */
  alsoSaidBy: string[];
};

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
