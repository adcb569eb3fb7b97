// One turn of one session: claimed, observed by rules, and stored with its events, all or nothing. A model may look at it later.
import type { Database } from 'bun:sqlite';
import { readTurnWork } from '../capture/events.ts';
import { type Placed, placeDrafts } from '../capture/other-repositories.ts';
import { promptText } from '../capture/prompts.ts';
import {
  assignBatch,
  claimTurn,
  finishEvents,
  hasOpenPart,
  isWaiting,
  type QueuedEvent,
  releaseEvents,
  returnEvents,
} from '../capture/queue.ts';
import { describeSession, failSession, getSession, type Session } from '../capture/sessions.ts';
import type { SessionEvent } from '../core/event.ts';
import type { Evidence } from '../core/evidence.ts';
import { type Batch, type ObservationDraft, type Observed, type SummaryDraft, tellsMore } from '../core/observation.ts';
import { isPassing } from '../core/passing-fault.ts';
import { firstWords } from '../core/payload.ts';
import { judgeBy } from '../memory/untrusted.ts';
import { insertBatch } from '../store/batches.ts';
import { makeBatch, nameTurn, type ObserveDeps, type Settle } from '../turns/batch.ts';
import { readRecord } from '../turns/record.ts';
import { readAllEvidence, storeObserved } from '../turns/store-turn.ts';
import { findTurn, recordTurn, type TurnPlace } from '../turns/turns.ts';
import { groundsOfBatch } from './grounds.ts';

export type TurnResult =
  | { kind: 'nothing' }
  | {
      kind: 'observed';
      turn: string;
      events: number;
      observations: number;
      /** Null when there is one. */
      noSummary: NoSummary | null;
      isProvisional: boolean;
    }
  /** The observer broke on it: tried again a few times, then set aside. */
  | { kind: 'failed'; turn: string; error: Error }
  /** The store could not take it now: worth another try later. */
  | { kind: 'postponed'; turn: string; error: Error };

export type ProcessDeps = ObserveDeps & {
  /** Whether a model will look at this batch: then what is stored now is provisional. */
  isForModel: (batch: Batch) => boolean;
  /** What another store brought of a turn; without it, nothing was. */
  findKnown?: FindKnown;
  /** How its events are taken; marked as claimed, unless somebody knows better. */
  claim?: (db: Database, sessionId: number) => QueuedEvent[];
  clock: () => number;
};

export function processTurn(db: Database, sessionId: number, deps: ProcessDeps): TurnResult {
  const turn = (deps.claim ?? claimTurn)(db, sessionId);
  const session = getSession(db, sessionId);
  if (turn.length === 0 || !session) return { kind: 'nothing' };
  const seqs = turn.map(({ seq }) => seq);
  // An end right after a stop ends the session, not another turn.
  if (turn.every(({ event }) => event.kind === 'end')) {
    finishEvents(db, seqs, 'skipped');
    return { kind: 'nothing' };
  }
  if (isOnlyRecall(db, sessionId, turn)) {
    passOver(db, sessionId, turn);
    return { kind: 'nothing' };
  }
  const promptNumber = turn.at(-1)?.promptNumber ?? session.promptCounter;
  const name = nameTurn({ sessionId, promptNumber, batchId: 0 });
  const batch = makeBatch(db, { session, turn, isForeign: deps.isForeign });
  let observed: Observed;
  try {
    observed = judgeBy(deps.observe(batch), groundsOfBatch(batch));
  } catch (error) {
    if (isPassing(error)) return postpone(db, { seqs, name, error });
    if (releaseEvents(db, seqs, String(error))) failSession(db, sessionId);
    return { kind: 'failed', turn: name, error: asError(error) };
  }
  try {
    const known = deps.findKnown?.({ sessionId, promptNumber }) ?? null;
    const { isAllKnown, ...placed } = withoutKnown(placeDrafts(observed, session, deps.placeOf), known);
    const evidence = readAllEvidence(placed, batch, deps.readEvidence);
    const isProvisional = !isAllKnown && deps.isForModel(batch);
    return storeTurn(db, { session, turn, batch, ...placed, evidence, isProvisional, settle: deps.settle, at: deps.clock() });
  } catch (error) {
    return postpone(db, { seqs, name, error });
  }
}

function postpone(db: Database, { seqs, name, error }: { seqs: number[]; name: string; error: unknown }): TurnResult {
  returnEvents(db, seqs, String(error));
  return { kind: 'postponed', turn: name, error: asError(error) };
}

/** The memory was asked, and nothing else was done: what was answered is remembered already. The prompt stays. */
function isOnlyRecall(db: Database, sessionId: number, turn: QueuedEvent[]): boolean {
  // Something was done: nothing has to be looked up, which takes long in a turn of thousands.
  if (turn.some(({ event }) => event.kind === 'tool' || event.kind === 'subagent')) return false;
  const numbers = turn.map(({ promptNumber }) => promptNumber);
  const did = readTurnWork(db, sessionId, { first: Math.min(...numbers), last: Math.max(...numbers) });
  return did.recalled && !did.worked;
}

function passOver(db: Database, sessionId: number, turn: QueuedEvent[]): void {
  const isSummarized = turn.some(({ event }) => event.kind === 'stop');
  const seqs = turn.map(({ seq }) => seq);
  db.transaction(() => {
    finishEvents(db, seqs, 'skipped');
    describeSession(db, sessionId, { title: null, subtitle: null, isSummarized });
  }).immediate();
}

const asError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)));

type StoredTurn = Placed & {
  session: Session;
  turn: QueuedEvent[];
  batch: Batch;
  evidence: Evidence[];
  isProvisional: boolean;
  settle?: Settle;
  at: number;
};

function storeTurn(db: Database, stored: StoredTurn): TurnResult {
  const { session, turn, observed, places, evidence, isProvisional, settle, at } = stored;
  const promptNumber = turn.at(-1)?.promptNumber ?? session.promptCounter;
  let { summary } = observed;
  const batchId = db
    .transaction(() => {
      const status = isProvisional ? 'waiting' : 'done';
      const batchId = insertBatch(db, { sessionId: session.id, promptNumber, status, at });
      const owner = { sessionId: session.id, projectId: session.projectId, promptNumber, batchId, isProvisional };
      const seqs = turn.map(({ seq }) => seq);
      assignBatch(db, seqs, batchId, isProvisional ? 'claimed' : 'done');
      const place = { sessionId: session.id, root: session.root, ...findHead(stored) };
      // Of a turn in parts by the last one: to record it costs as much each time.
      const ended = [...new Set(turn.map((one) => one.promptNumber))].filter((n) => !isWaiting(db, session.id, n));
      for (const number of ended) recordTurn(db, { ...place, promptNumber: number, heard: stored.batch });
      summary = tellWholeTurn(db, { ...owner, firstSeq: Math.min(...seqs) }, observed.summary);
      storeObserved(db, owner, { observed: { ...observed, summary }, places, evidence }, turn);
      for (const number of ended) settle?.(db, { sessionId: session.id, promptNumber: number });
      return batchId;
    })
    .immediate();
  const events = turn.map(({ event }) => event);
  return {
    kind: 'observed',
    turn: nameTurn({ sessionId: session.id, promptNumber, batchId }),
    events: turn.length,
    observations: observed.observations.length,
    noSummary: explainNoSummary(events, summary),
    isProvisional,
  };
}

/** Where the work tree stands, as somebody read it for this turn. */
const findHead = ({ evidence, places }: StoredTurn) => {
  const read = evidence.find(({ head, branch }, at) => !places[at] && (head !== null || branch !== null));
  return { head: read?.head ?? null, branch: read?.branch ?? null };
};

const REQUEST_CHARACTERS = 900;
const KEPT_FILES = 40;

/** Of any other turn it stays as it is. Its record is stored already. */
function tellWholeTurn(
  db: Database,
  { firstSeq, ...place }: TurnPlace & { firstSeq: number },
  summary: SummaryDraft | null,
): SummaryDraft | null {
  if (!summary || !hasOpenPart(db, place, firstSeq)) return summary;
  const { steps } = readRecord(findTurn(db, place)?.record ?? '');
  const add = (files: string[], kind: 'read' | 'edited') =>
    [...new Set([...steps.flatMap((step) => (step.kind === kind ? [step.file] : [])), ...files])].slice(0, KEPT_FILES);
  return {
    ...summary,
    request: summary.request ?? askedIn(db, place),
    filesRead: add(summary.filesRead, 'read'),
    filesEdited: add(summary.filesEdited, 'edited'),
  };
}

function askedIn(db: Database, place: TurnPlace): string | null {
  const asked = promptText(db, place)?.replace(/\s+/g, ' ').trim();
  return asked ? firstWords(asked, REQUEST_CHARACTERS) : null;
}

type NoSummary = {
  reason: string;
  /** The turn ended, and something was done in it: there should be one. */
  isOdd: boolean;
};

function explainNoSummary(events: SessionEvent[], summary: SummaryDraft | null): NoSummary | null {
  if (!events.some(({ kind }) => kind === 'stop' || kind === 'prompt')) return { reason: 'nothing was asked or answered', isOdd: false };
  if (summary && tellsMore(summary)) return null;
  if (!events.some(({ kind }) => kind === 'stop' || kind === 'end')) return { reason: 'the turn goes on', isOdd: false };
  if (!events.some(isWork)) return { reason: 'nothing was done in it', isOdd: false };
  return { reason: summary ? 'it would say no more than the prompt' : 'the observer wrote none', isOdd: true };
}

const isWork = (event: SessionEvent) =>
  event.kind === 'tool' && !event.isUndone && (event.action.type === 'edit' || event.action.type === 'command');

/** What was brought of a turn. Says of a draft whether it is one of these; of each only once. */
type KnownTurn = {
  hasObservation: (draft: ObservationDraft) => boolean;
  hasSummary: (draft: SummaryDraft) => boolean;
};

/** Null when nothing was brought of the session, as it mostly is. */
export type FindKnown = (turn: { sessionId: number; promptNumber: number }) => KnownTurn | null;

/** `isAllKnown`: nothing is left of it, so nobody need be asked about it. */
function withoutKnown(placed: Placed, known: KnownTurn | null): Placed & { isAllKnown: boolean } {
  if (!known) return { ...placed, isAllKnown: false };
  const { observed, places } = placed;
  const isNew = observed.observations.map((draft) => !known.hasObservation(draft));
  const isSummed = observed.summary !== null && known.hasSummary(observed.summary);
  return {
    observed: {
      ...observed,
      // Whoever brought it has named its session, too.
      ...(isSummed && { summary: null, title: null, subtitle: null }),
      observations: observed.observations.filter((_, at) => isNew[at]),
    },
    places: places.filter((_, at) => isNew[at]),
    isAllKnown: isSummed && !isNew.includes(true),
  };
}
