// A waiting batch with all that a question about it needs.
import type { Database } from 'bun:sqlite';
import type { Batch } from '../core/batch.ts';
import type { SessionEvent } from '../core/event.ts';
import type { ReadEvidence } from '../core/evidence.ts';
import { hashParts } from '../core/ids.ts';
import type { Budget } from '../llm/budget.ts';
import type { AskModel } from '../llm/model.ts';
import type { Log } from '../log.ts';
import { makeBatch, nameTurn, type Observe, type Settle } from '../observer/distil-turn.ts';
import type { IsForeign } from '../observer/mark-foreign.ts';
import type { PlaceOf } from '../observer/place-drafts.ts';
import type { StoredBatch } from '../store/events/batches.ts';
import { lastMessageBefore, listBatchEvents, type QueuedEvent } from '../store/events/events.ts';
import { listTitles } from '../store/memories/observations.ts';
import { listEarlierPrompts, nextPromptText } from '../store/sessions/prompts.ts';
import { getSession, type Session } from '../store/sessions/sessions.ts';
import type { Listed } from '../store/spending/model-calls.ts';
import { buildRecord } from '../turns/build.ts';
import { listDecisions, listSteps } from './listed.ts';
import { type PromptOptions, type Question, writeQuestion } from './question.ts';

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

export type OpenBatch = {
  stored: StoredBatch;
  session: Session;
  turn: QueuedEvent[];
  batch: Batch;
  question: Question;
  /** Which events it is about: should others be shown later, the answer is not taken for another's. */
  key: string;
  listed: Listed;
  /** For the log. */
  name: string;
};

/** Of a longer turn the model is told what tells most: to read all of it would keep hooks waiting. */
const MAX_EVENTS = 250;

/** Null when nothing is left of it. */
export function openBatch({ db, prompt, isForeign }: DeepenDeps, stored: StoredBatch): OpenBatch | null {
  const batchId = stored.id;
  const { promptNumber } = stored;
  const session = getSession(db, stored.sessionId);
  const turn = listBatchEvents(db, batchId);
  if (!session || turn.length === 0) return null;
  const batch = makeBatch(db, { session, turn, isForeign });
  const first = Math.min(...turn.map(({ seq }) => seq));
  const isLong = turn.length > MAX_EVENTS;
  const about = { sessionId: session.id, projectId: session.projectId, promptNumber, ...readTurn(batch) };
  const [decisions, steps] = [listDecisions(db, about), listSteps(db, about)];
  const input = {
    batch: isLong ? { ...batch, events: mostTelling(batch.events, MAX_EVENTS) } : batch,
    recorded: listTitles(db, session.id, promptNumber),
    earlierPrompts: listEarlierPrompts(db, session.id, firstPromptToTell(turn)),
    previousMessage: lastMessageBefore(db, session.id, first),
    next: nextPromptText(db, session.id, promptNumber),
    decisions,
    steps,
  };
  const question = writeQuestion(input, { ...prompt, isShrunk: stored.isShrunk || isLong });
  const key = hashParts(question.events.map(({ id }) => id));
  const listed = { decisions: decisions.map(({ id }) => id), steps: steps.map(({ id }) => id) };
  return { stored, session, turn, batch, question, key, listed, name: nameTurn({ ...stored, batchId }) };
}

/** What was said and touched in it. */
function readTurn({ events, project }: Batch): { text: string; files: string[]; at: number } {
  const { steps, closing } = buildRecord(events, project.root);
  const prompts = events.flatMap((event) => (event.kind === 'prompt' ? [event.text] : []));
  const said = steps.flatMap((step) =>
    step.kind === 'said' ? [step.text] : step.kind === 'asked' ? [step.answer] : [],
  );
  const files = steps.flatMap((step) => (step.kind === 'edited' || step.kind === 'read' ? [step.file] : []));
  const text = [...prompts, closing, ...said, ...files].map((one) => String(one).slice(0, 1000)).join('\n');
  return { text, files: [...new Set(files)], at: events.reduce((last, { at }) => Math.max(last, at), 0) };
}

/** A part of a long turn does not hold the prompt it works on: that one was said before. */
function firstPromptToTell(turn: QueuedEvent[]): number {
  const first = Math.min(...turn.map(({ promptNumber }) => promptNumber));
  return turn.some(({ event }) => event.kind === 'prompt') ? first : first + 1;
}

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
