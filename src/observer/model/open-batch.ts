// A waiting batch with all that a question about it needs.
import type { Database } from 'bun:sqlite';
import type { Batch } from '../../core/batch.ts';
import type { Budget } from '../../llm/budget.ts';
import type { AskModel } from '../../llm/model.ts';
import type { Log } from '../../log.ts';
import { getBatch, type StoredBatch } from '../../store/batches.ts';
import { lastMessageBefore, listBatchEvents, type QueuedEvent } from '../../store/events.ts';
import { listTitles } from '../../store/observations.ts';
import { listEarlierPrompts } from '../../store/prompts.ts';
import { getSession, type Session } from '../../store/sessions.ts';
import { makeBatch, nameTurn, type Observe } from '../distil-turn.ts';
import { type PromptOptions, type PromptPart, writeParts } from '../prompt.ts';

/** One way of asking a model. */
export type ModelAccess = {
  /** Another key, address, provider or model is another access. */
  id: string;
  provider: string;
  model: string;
  ask: AskModel;
};

export type DeepenDeps = {
  db: Database;
  access: ModelAccess;
  prompt: PromptOptions;
  budget: Budget;
  answerMs: number;
  retryMs: number;
  /** The rules, for what a model does not decide: outcomes, and what it left out. */
  observe: Observe;
  clock: () => number;
  random: () => number;
  log: Log;
  signal: AbortSignal;
};

export type OpenBatch = {
  stored: StoredBatch;
  session: Session;
  turn: QueuedEvent[];
  batch: Batch;
  parts: PromptPart[];
  /** For the log. */
  name: string;
};

/** A batch that was cut into more than this is told in short instead: no turn is worth so many calls. */
const MAX_PARTS = 4;

export function openBatch({ db, prompt }: DeepenDeps, batchId: number): OpenBatch | null {
  const stored = getBatch(db, batchId);
  const session = stored && getSession(db, stored.sessionId);
  if (!session || stored.status !== 'waiting') return null;
  const turn = listBatchEvents(db, batchId);
  const batch = makeBatch(db, session, turn);
  const first = Math.min(...turn.map(({ seq }) => seq));
  const input = {
    batch,
    recorded: listTitles(db, session.id, batchId),
    earlierPrompts: listEarlierPrompts(db, session.id, firstPromptToTell(turn)),
    previousMessage: lastMessageBefore(db, session.id, first),
  };
  const write = (isShrunk: boolean) => (turn.length === 0 ? [] : writeParts(input, { ...prompt, isShrunk }));
  const whole = write(stored.isShrunk);
  const parts = whole.length > MAX_PARTS ? write(true) : whole;
  return { stored, session, turn, batch, parts, name: nameTurn({ ...stored, batchId }) };
}

/** A part of a long turn does not hold the prompt it works on: that one was said before. */
function firstPromptToTell(turn: QueuedEvent[]): number {
  const first = Math.min(...turn.map(({ promptNumber }) => promptNumber));
  return turn.some(({ event }) => event.kind === 'prompt') ? first : first + 1;
}
