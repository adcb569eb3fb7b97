// A waiting batch with all that a question about it needs.
import type { Database } from 'bun:sqlite';
import type { Batch } from '../../core/batch.ts';
import type { SessionEvent } from '../../core/event.ts';
import type { ReadEvidence } from '../../core/evidence.ts';
import { hashParts } from '../../core/ids.ts';
import type { Budget } from '../../llm/budget.ts';
import type { AskModel } from '../../llm/model.ts';
import type { Log } from '../../log.ts';
import type { StoredBatch } from '../../store/events/batches.ts';
import { lastMessageBefore, listBatchEvents, type QueuedEvent } from '../../store/events/events.ts';
import { listTitles } from '../../store/memories/observations.ts';
import { listEarlierPrompts } from '../../store/sessions/prompts.ts';
import { getSession, type Session } from '../../store/sessions/sessions.ts';
import { makeBatch, nameTurn, type Observe, type Settle } from '../distil-turn.ts';
import type { IsForeign } from '../mark-foreign.ts';
import type { PlaceOf } from '../place-drafts.ts';
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
  settle?: Settle;
  /** What speaks for each observation. */
  readEvidence?: ReadEvidence;
  /** Which other project each belongs to. */
  placeOf?: PlaceOf;
  /** Whether what lies at a path is somebody else's. */
  isForeign?: IsForeign;
  /** False once the settings say otherwise: then nothing more is asked in this way. */
  isWanted: () => boolean;
  clock: () => number;
  random: () => number;
  log: Log;
  signal: AbortSignal;
};

/** `key` tells which events it is about: should the batch be cut in another way later, the answer is not taken for another's. */
export type Part = PromptPart & { key: string };

export type OpenBatch = {
  stored: StoredBatch;
  session: Session;
  turn: QueuedEvent[];
  batch: Batch;
  parts: Part[];
  /** For the log. */
  name: string;
};

/** A batch that was cut into more than this is told in short instead: no turn is worth so many calls. */
const MAX_PARTS = 4;
/** Of a longer turn the model is told what tells most: to read all of it would keep hooks waiting. */
const MAX_EVENTS = 250;

/** Null when nothing is left of it. */
export function openBatch({ db, prompt, isForeign }: DeepenDeps, stored: StoredBatch): OpenBatch | null {
  const batchId = stored.id;
  const session = getSession(db, stored.sessionId);
  const turn = listBatchEvents(db, batchId);
  if (!session || turn.length === 0) return null;
  const batch = makeBatch(db, { session, turn, isForeign });
  const first = Math.min(...turn.map(({ seq }) => seq));
  const isLong = turn.length > MAX_EVENTS;
  const input = {
    batch: isLong ? { ...batch, events: mostTelling(batch.events, MAX_EVENTS) } : batch,
    recorded: listTitles(db, session.id, batchId),
    earlierPrompts: listEarlierPrompts(db, session.id, firstPromptToTell(turn)),
    previousMessage: lastMessageBefore(db, session.id, first),
  };
  const write = (isShrunk: boolean) => writeParts(input, { ...prompt, isShrunk });
  const whole = write(stored.isShrunk || isLong);
  const parts = whole.length > MAX_PARTS ? write(true) : whole;
  return { stored, session, turn, batch, parts: parts.map(withKey), name: nameTurn({ ...stored, batchId }) };
}

/** A part of a long turn does not hold the prompt it works on: that one was said before. */
function firstPromptToTell(turn: QueuedEvent[]): number {
  const first = Math.min(...turn.map(({ promptNumber }) => promptNumber));
  return turn.some(({ event }) => event.kind === 'prompt') ? first : first + 1;
}

const withKey = (part: PromptPart): Part => ({ ...part, key: hashParts(part.events.map(({ id }) => id)) });

/** The user's words and the ends of turns, then failures and edits, then the newest of the rest; in the order they happened. */
function mostTelling(events: SessionEvent[], most: number): SessionEvent[] {
  const ranked = events.map((event, at) => ({ event, at, rank: rankOf(event) }));
  ranked.sort((one, other) => other.rank - one.rank || other.at - one.at);
  return ranked
    .slice(0, most)
    .sort((one, other) => one.at - other.at)
    .map(({ event }) => event);
}

function rankOf(event: SessionEvent): number {
  if (event.kind !== 'tool') return 2;
  return event.error !== null || event.action.type === 'edit' || event.action.type === 'question' ? 1 : 0;
}
