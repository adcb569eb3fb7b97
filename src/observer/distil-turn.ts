// One turn of one session: claimed, distilled by rules, and stored with its events, all or nothing. A model may look at it later.
import type { Database } from 'bun:sqlite';
import type { Batch, Distilled } from '../core/batch.ts';
import type { SessionEvent, ToolEvent } from '../core/event.ts';
import { bareEvidence, type Evidence, type ReadEvidence } from '../core/evidence.ts';
import type { ProjectIdentity } from '../core/project.ts';
import { tellsMore } from '../core/summary.ts';
import { insertBatch } from '../store/events/batches.ts';
import {
  assignBatch,
  claimTurn,
  finishEvents,
  listEarlierTools,
  type QueuedEvent,
  releaseEvents,
  returnEvents,
} from '../store/events/events.ts';
import { listOlderOutside } from '../store/events/outside-events.ts';
import { readTurnWork } from '../store/events/recalls.ts';
import { insertObservation, isForgottenObservation, type Owner } from '../store/memories/observations.ts';
import { insertSummary, isForgottenSummary } from '../store/memories/summaries.ts';
import { ensureProject, listOtherProjects } from '../store/projects/projects.ts';
import { describeSession, failSession, getSession, type Session } from '../store/sessions/sessions.ts';
import { type IsForeign, markForeign } from './mark-foreign.ts';
import { explainNoSummary, type NoSummary } from './no-summary.ts';
import { type Placed, type PlaceOf, placeDrafts } from './place-drafts.ts';
import { hearingOf } from './said-outside.ts';
import { readVerdicts, settleOutcomes, type Verdicts } from './settle-outcomes.ts';
import { type FindKnown, withoutKnown } from './without-known.ts';
import { withoutOutside } from './without-outside.ts';

export type Observe = (batch: Batch) => Distilled;

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
  // Its batch gets a number with its result.
  const name = nameTurn({ sessionId, promptNumber, batchId: 0 });
  const batch = makeBatch(db, { session, turn, isForeign: deps.isForeign });
  let distilled: Distilled;
  let verdicts: Verdict[];
  try {
    distilled = withoutOutside(deps.observe(batch), batch);
    verdicts = readAllVerdicts(db, session, batch);
  } catch (error) {
    if (releaseEvents(db, seqs, String(error))) failSession(db, sessionId);
    return { kind: 'failed', turn: name, error: asError(error) };
  }
  try {
    const known = deps.findKnown?.({ sessionId, promptNumber }) ?? null;
    const { isAllKnown, ...placed } = withoutKnown(placeDrafts(distilled, session, deps.placeOf), known);
    const evidence = readAllEvidence(placed, batch, deps.readEvidence);
    const isProvisional = !isAllKnown && deps.isForModel(batch);
    return storeTurn(db, { session, turn, ...placed, evidence, verdicts, isProvisional, at: deps.clock() });
  } catch (error) {
    returnEvents(db, seqs, String(error));
    return { kind: 'postponed', turn: name, error: asError(error) };
  }
}

type Verdict = { projectId: number; verdicts: Verdicts };

/** On the work of the session's own project, and on what it did in others, by the paths of those. */
function readAllVerdicts(db: Database, session: Session, batch: Batch): Verdict[] {
  const own = { id: session.projectId, ...batch.project };
  return [own, ...listOtherProjects(db, session)].flatMap(({ id: projectId, name, root }) => {
    const verdicts = readVerdicts({ ...batch, project: { name, root } });
    return verdicts ? [{ projectId, verdicts }] : [];
  });
}

/** The memory was asked, and nothing else was done: what was answered is remembered already. The prompt stays. */
function isOnlyRecall(db: Database, sessionId: number, turn: QueuedEvent[]): boolean {
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
  const earlier = [
    ...listOlderOutside(db, { sessionId: session.id, first, last, known: EARLIER }),
    ...listEarlierTools(db, session.id, first, EARLIER),
  ].filter(isTool);
  return {
    project: { name: session.root.split('/').at(-1) ?? session.root, root: session.root },
    session: { firstPrompt: session.firstPrompt, title: session.title },
    ...markForeign({ root: session.root, events: turn.map(({ event }) => event), earlier }, isForeign),
  };
}

const NOBODY_ELSES: IsForeign = () => () => null;

/** Of longer ago only what came from outside is known: the agent may say it again at any time. */
const EARLIER = 200;

const isTool = (event: SessionEvent): event is ToolEvent => event.kind === 'tool';

type StoredTurn = Placed & {
  session: Session;
  turn: QueuedEvent[];
  evidence: Evidence[];
  verdicts: Verdict[];
  isProvisional: boolean;
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
  const { session, turn, distilled, places, evidence, verdicts, isProvisional, at } = stored;
  const promptNumber = turn.at(-1)?.promptNumber ?? session.promptCounter;
  const batchId = db
    .transaction(() => {
      const status = isProvisional ? 'waiting' : 'done';
      const batchId = insertBatch(db, { sessionId: session.id, promptNumber, status, at });
      const owner = { sessionId: session.id, projectId: session.projectId, promptNumber, batchId, isProvisional };
      for (const { projectId, verdicts: one } of verdicts)
        settleOutcomes(db, one, { ...owner, projectId, ...findHead(stored, projectId) });
      storeDistilled(db, owner, { distilled, places, evidence }, turn);
      const seqs = turn.map(({ seq }) => seq);
      assignBatch(db, seqs, batchId, isProvisional ? 'claimed' : 'done');
      return batchId;
    })
    .immediate();
  return {
    kind: 'distilled',
    turn: nameTurn({ sessionId: session.id, promptNumber, batchId }),
    events: turn.length,
    observations: distilled.observations.length,
    noSummary: explainNoSummary(
      turn.map(({ event }) => event),
      distilled.summary,
    ),
    isProvisional,
  };
}

/** Where the work tree stands, as somebody read it for an observation of this turn. Not known of any other. */
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
  const { observations, summary } = distilled;
  for (const [at, draft] of observations.entries()) {
    if (isForgottenObservation(db, draft)) continue;
    insertObservation(db, ownerIn(db, owner, places[at] ?? null, draft.at), draft, evidence[at]);
  }
  if (summary && tellsMore(summary) && hasRequest(turn) && !isForgottenSummary(db, summary))
    insertSummary(db, owner, summary);
  describeSession(db, owner.sessionId, {
    title: distilled.title,
    subtitle: distilled.subtitle,
    isSummarized: turn.some(({ event }) => event.kind === 'stop'),
  });
}

/** A project that is only ever worked in from elsewhere begins with what is remembered of it. */
const ownerIn = (db: Database, owner: Owner, place: ProjectIdentity | null, at: number): Owner =>
  place ? { ...owner, projectId: ensureProject(db, place, at).id } : owner;

/** An end without anything asked or answered before it has nothing to sum up. */
export const hasRequest = (turn: QueuedEvent[]) =>
  turn.some(({ event }) => event.kind === 'stop' || event.kind === 'prompt');

/** In every line of the log about it. */
export const nameTurn = (turn: { sessionId: number; promptNumber: number; batchId: number }) =>
  `${turn.sessionId}-${turn.promptNumber}-${turn.batchId}`;
