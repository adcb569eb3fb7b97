// What `GET /api/sessions/:session` answers: one session, turn by turn.
import type { Memory } from '../../../../src/core/memory.ts';
import type { Spent } from '../../../../src/core/usage.ts';
import type { ListedSession } from '../sessions/session-row.tsx';

export type WholeSession = ListedSession & {
  endReason: string | null;
  completedAt: number | null;
  cwd: string;
  firstPrompt: string | null;
  spend: Spent;
};

export type SessionTool = {
  id: string;
  /** Null once its payload is past its retention. */
  tool: string | null;
  subject: string | null;
  at: number;
  status: 'pending' | 'done' | 'skipped' | 'quarantined';
  isError: boolean;
  /** Ids of the observations that rest on it. */
  observations: string[];
};

export type SessionTurn = {
  /** 0: before the first prompt. */
  number: number;
  prompt: { id: string; text: string; at: number } | null;
  isPrivate: boolean;
  tools: SessionTool[];
  moreTools: number;
  observations: Memory[];
  moreObservations: number;
  summary: Memory | null;
};

export type SessionAnswer = {
  session: WholeSession;
  turns: SessionTurn[];
  total: number;
  limit: number;
  offset: number;
};
