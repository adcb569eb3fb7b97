// A session as whoever looks at it meets it: in a list, and turn by turn. The contract of `GET /api/sessions` and `/api/sessions/:session`.
import type { Memory, MemoryRow } from './memory.ts';
import type { Spent } from './usage.ts';

export type SessionStatus = 'initialized' | 'active' | 'summarizing' | 'completed' | 'interrupted' | 'failed';

export type ListedSession = {
  /** The host's own id. */
  session: string;
  host: string;
  project: string;
  branch: string | null;
  title: string | null;
  subtitle: string | null;
  /** In a list its beginning. Null when it was private, is forgotten, or nothing was asked yet. */
  firstPrompt: string | null;
  status: SessionStatus;
  prompts: number;
  observations: number;
  startedAt: number;
  updatedAt: number;
};

/** `GET /api/sessions`: the latest first. */
export type SessionsAnswer = { items: ListedSession[]; total: number; limit: number; offset: number };

/** What came of it, as far as it still holds. */
export type RollUp = {
  done: MemoryRow[];
  decided: MemoryRow[];
  /** Announced, and nothing has ended it. */
  open: { text: string; id: string; at: number }[];
};

export type WholeSession = ListedSession & {
  endReason: string | null;
  completedAt: number | null;
  cwd: string;
  spend: Spent;
};

export type SessionTool = {
  /** That of the event. */
  id: string;
  /** Null once its payload is past its retention. */
  tool: string | null;
  /** A file, the head of a command, a question: one line. Null when nothing is known any more, or what came of it is hidden. */
  subject: string | null;
  at: number;
  status: 'pending' | 'done' | 'skipped' | 'quarantined';
  isError: boolean;
  /** The observations that rest on it. */
  observations: string[];
};

export type SessionTurn = {
  /** 0: before the first prompt. */
  number: number;
  /** Null when there was none, it was private, or is forgotten. */
  prompt: { id: string; text: string; at: number } | null;
  isPrivate: boolean;
  tools: SessionTool[];
  /** How many there are besides. */
  moreTools: number;
  observations: Memory[];
  moreObservations: number;
  summary: Memory | null;
};

export type SessionPage = {
  session: WholeSession;
  rollUp: RollUp;
  turns: SessionTurn[];
  /** Of turns. */
  total: number;
  limit: number;
  offset: number;
};
