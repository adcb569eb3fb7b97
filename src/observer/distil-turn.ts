// One turn of one session: claimed, distilled by rules, and stored with its events, all or nothing. A model may look at it later.
import type { Database } from 'bun:sqlite';
import type { Batch, Distilled } from '../core/batch.ts';
import type { SessionEvent, ToolEvent } from '../core/event.ts';
import { bareEvidence, type Evidence, type ReadEvidence } from '../core/evidence.ts';
import { isPassing } from '../core/passing-fault.ts';
import type { ProjectIdentity } from '../core/project.ts';
import { tellsMore } from '../core/summary.ts';
import { insertBatch } from '../store/events/batches.ts';
import {
  assignBatch,
  claimTurn,
  finishEvents,
  isWaiting,
  listEarlierTools,
  type QueuedEvent,
  releaseEvents,
  returnEvents,
} from '../store/events/events.ts';
import { listOlderOutside } from '../store/events/outside-events.ts';
import { readTurnWork } from '../store/events/recalls.ts';
import { insertObservation, isForgottenObservation, type Owner } from '../store/memories/observations.ts';
import { hasSummary, insertSummary, isForgottenSummary } from '../store/memories/summaries.ts';
import { ensureProject } from '../store/projects/projects.ts';
import { describeSession, failSession, getSession, type Session } from '../store/sessions/sessions.ts';
import { listTurnsBefore, recordTurn } from '../turns/turns.ts';
import { tellWholeTurn } from './last-part.ts';
import { type IsForeign, markForeign } from './mark-foreign.ts';
import { explainNoSummary, type NoSummary } from './no-summary.ts';
import { type Placed, type PlaceOf, placeDrafts } from './place-drafts.ts';
import { hearingOf } from './said-outside.ts';
import { type FindKnown, withoutKnown } from './without-known.ts';
import { withoutOutside } from './without-outside.ts';

export type Observe = (batch: Batch) => Distilled;

/** What a stored turn says about earlier memories and steps. Inside the transaction that stores it. */
export type Settle = (db: Database, turn: { sessionId: number; promptNumber: number }) => void;

export type TurnResult =
  | { kind: 'nothing' }
  | {
      kind: 'distilled';
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

export type DistilDeps = {
  observe: Observe;
  settle?: Settle;
  /** Whether a model will look at this batch: then what is stored now is provisional. */
  isForModel: (batch: Batch) => boolean;
  /** What speaks for each observation; without it, only its own words do. */
  readEvidence?: ReadEvidence;
  /** Which other project each observation belongs to; without it, all are the session's. */
  placeOf?: PlaceOf;
  /** Whether what lies at a path is somebody else's; without it, all files are the user's. */
  isForeign?: IsForeign;
  /** What another store brought of a turn; without it, nothing was. */
  findKnown?: FindKnown;
  /** How its events are taken; marked as claimed, unless somebody knows better. */
  claim?: (db: Database, sessionId: number) => QueuedEvent[];
  clock: () => number;
};

export function distilTurn(db: Database, sessionId: number, deps: DistilDeps): TurnResult {
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
  let distilled: Distilled;
  try {
    distilled = withoutOutside(deps.observe(batch), batch);
  } catch (error) {
    if (isPassing(error)) return postpone(db, { seqs, name, error });
    if (releaseEvents(db, seqs, String(error))) failSession(db, sessionId);
    return { kind: 'failed', turn: name, error: asError(error) };
  }
  try {
    const known = deps.findKnown?.({ sessionId, promptNumber }) ?? null;
    const { isAllKnown, ...placed } = withoutKnown(placeDrafts(distilled, session, deps.placeOf), known);
    const evidence = readAllEvidence(placed, batch, deps.readEvidence);
    const isProvisional = !isAllKnown && deps.isForModel(batch);
    return storeTurn(db, { session, turn, ...placed, evidence, isProvisional, settle: deps.settle, at: deps.clock() });
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

export type TurnSource = { session: Session; turn: QueuedEvent[]; isForeign?: IsForeign };

export function makeBatch(db: Database, { session, turn, isForeign = NOBODY_ELSES }: TurnSource): Batch {
  const seqs = turn.map(({ seq }) => seq);
  const [first, last] = [Math.min(...seqs), Math.max(...seqs)];
  const outside = listOlderOutside(db, { sessionId: session.id, first, last, known: EARLIER });
  const earlier = [...outside, ...listEarlierTools(db, session.id, first, EARLIER)].filter(isTool);
  return {
    project: { name: session.root.split('/').at(-1) ?? session.root, root: session.root },
    session: { firstPrompt: session.firstPrompt, title: session.title },
    before: listTurnsBefore(db, { sessionId: session.id, promptNumber: turn[0]?.promptNumber ?? 0 }, TURNS_BEFORE),
    ...markForeign({ root: session.root, events: turn.map(({ event }) => event), earlier }, isForeign),
  };
}

const TURNS_BEFORE = 3;

const NOBODY_ELSES: IsForeign = () => () => null;

/** Of longer ago only what came from outside is known: the agent may say it again at any time. */
const EARLIER = 200;

const isTool = (event: SessionEvent): event is ToolEvent => event.kind === 'tool';

type StoredTurn = Placed & {
  session: Session;
  turn: QueuedEvent[];
  evidence: Evidence[];
  isProvisional: boolean;
  settle?: Settle;
  at: number;
};

/** Of each observation, in their order. Outside of the transaction: files are read. */
export function readAllEvidence(
  { distilled, places }: Placed,
  batch: Batch,
  read: ReadEvidence = bareEvidence,
): Evidence[] {
  const hearing = hearingOf(batch);
  const rootOf = (at: number) => places[at]?.root ?? batch.project.root;
  return distilled.observations.map((draft, at) => read(draft, { ...hearing, root: rootOf(at) }));
}

function storeTurn(db: Database, stored: StoredTurn): TurnResult {
  const { session, turn, distilled, places, evidence, isProvisional, settle, at } = stored;
  const promptNumber = turn.at(-1)?.promptNumber ?? session.promptCounter;
  let { summary } = distilled;
  const batchId = db
    .transaction(() => {
      const status = isProvisional ? 'waiting' : 'done';
      const batchId = insertBatch(db, { sessionId: session.id, promptNumber, status, at });
      const owner = { sessionId: session.id, projectId: session.projectId, promptNumber, batchId, isProvisional };
      const seqs = turn.map(({ seq }) => seq);
      assignBatch(db, seqs, batchId, isProvisional ? 'claimed' : 'done');
      const place = { sessionId: session.id, root: session.root, ...findHead(stored, session.projectId) };
      // Of a turn in parts by the last one: to record it costs as much each time.
      const ended = [...new Set(turn.map((one) => one.promptNumber))].filter((n) => !isWaiting(db, session.id, n));
      for (const number of ended) recordTurn(db, { ...place, promptNumber: number });
      summary = tellWholeTurn(db, { ...owner, firstSeq: Math.min(...seqs) }, distilled.summary);
      storeDistilled(db, owner, { distilled: { ...distilled, summary }, places, evidence }, turn);
      for (const number of ended) settle?.(db, { sessionId: session.id, promptNumber: number });
      return batchId;
    })
    .immediate();
  const events = turn.map(({ event }) => event);
  return {
    kind: 'distilled',
    turn: nameTurn({ sessionId: session.id, promptNumber, batchId }),
    events: turn.length,
    observations: distilled.observations.length,
    noSummary: explainNoSummary(events, summary),
    isProvisional,
  };
}

/** Where the work tree stands, as somebody read it for this turn. */
const findHead = ({ evidence, places, session }: StoredTurn, projectId: number) => {
  if (projectId !== session.projectId) return { head: null, branch: null };
  const read = evidence.find(({ head, branch }, at) => !places[at] && (head !== null || branch !== null));
  return { head: read?.head ?? null, branch: read?.branch ?? null };
};

/** Inside a transaction. */
export function storeDistilled(
  db: Database,
  owner: Owner,
  { distilled, places, evidence }: Placed & { evidence: Evidence[] },
  turn: QueuedEvent[],
): void {
  const { observations, summary, title, subtitle } = distilled;
  for (const [at, draft] of observations.entries()) {
    if (isForgottenObservation(db, draft)) continue;
    insertObservation(db, ownerIn(db, owner, places[at] ?? null, draft.at), draft, evidence[at]);
  }
  const isSummarized = turn.some(({ event }) => event.kind === 'stop');
  // What came late for a turn that is summed up adds to its record, not another summary.
  const isOwed = isSummarized || !hasSummary(db, owner);
  if (summary && isOwed && tellsMore(summary) && hasRequest(turn) && !isForgottenSummary(db, summary))
    insertSummary(db, owner, summary);
  describeSession(db, owner.sessionId, { title, subtitle, isSummarized });
}

/** A project that is only ever worked in from elsewhere begins with what is remembered of it. */
const ownerIn = (db: Database, owner: Owner, place: ProjectIdentity | null, at: number): Owner =>
  place ? { ...owner, projectId: ensureProject(db, place, at).id } : owner;

/** An end without anything asked or answered before it has nothing to sum up. */
export const hasRequest = (turn: QueuedEvent[]) =>
  turn.some(({ event }) => event.kind === 'stop' || event.kind === 'prompt');

export const nameTurn = (turn: { sessionId: number; promptNumber: number; batchId: number }) =>
  `${turn.sessionId}-${turn.promptNumber}-${turn.batchId}`;
