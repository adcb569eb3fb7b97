// One turn of one session: claimed, distilled, and stored with its events done, all or nothing.
import type { Database } from 'bun:sqlite';
import type { Batch, Distilled } from '../core/batch.ts';
import type { SessionEvent, ToolEvent } from '../core/event.ts';
import {
  claimTurn,
  finishEvents,
  listEarlierTools,
  type QueuedEvent,
  releaseEvents,
  returnEvents,
} from '../store/events.ts';
import { insertObservation } from '../store/observations.ts';
import { describeSession, failSession, getSession, type Session } from '../store/sessions.ts';
import { insertSummary } from '../store/summaries.ts';

export type Observe = (batch: Batch) => Distilled;

export type TurnResult =
  | { kind: 'nothing' }
  | { kind: 'distilled'; events: number; observations: number; hasSummary: boolean }
  /** The observer broke on it: tried again a few times, then set aside. */
  | { kind: 'failed'; error: Error }
  /** The store could not take it now: worth another try later. */
  | { kind: 'postponed'; error: Error };

export function distilTurn(db: Database, sessionId: number, observe: Observe): TurnResult {
  const turn = claimTurn(db, sessionId);
  const session = getSession(db, sessionId);
  if (turn.length === 0 || !session) return { kind: 'nothing' };
  const seqs = turn.map(({ seq }) => seq);
  // An end right after a stop ends the session, not another turn.
  if (turn.every(({ event }) => event.kind === 'end')) {
    finishEvents(db, seqs, 'skipped');
    return { kind: 'distilled', events: turn.length, observations: 0, hasSummary: false };
  }
  let distilled: Distilled;
  try {
    distilled = observe(makeBatch(db, session, turn));
  } catch (error) {
    if (releaseEvents(db, seqs, String(error))) failSession(db, sessionId);
    return { kind: 'failed', error: asError(error) };
  }
  try {
    return storeTurn(db, { session, turn, distilled });
  } catch (error) {
    returnEvents(db, seqs, String(error));
    return { kind: 'postponed', error: asError(error) };
  }
}

const asError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)));

function makeBatch(db: Database, session: Session, turn: QueuedEvent[]): Batch {
  const first = Math.min(...turn.map(({ seq }) => seq));
  return {
    project: { name: session.root.split('/').at(-1) ?? session.root, root: session.root },
    session: { firstPrompt: session.firstPrompt, title: session.title },
    events: turn.map(({ event }) => event),
    earlier: listEarlierTools(db, session.id, first).filter(isTool),
  };
}

const isTool = (event: SessionEvent): event is ToolEvent => event.kind === 'tool';

type StoredTurn = { session: Session; turn: QueuedEvent[]; distilled: Distilled };

function storeTurn(db: Database, { session, turn, distilled }: StoredTurn): TurnResult {
  const promptNumber = turn.at(-1)?.promptNumber ?? session.promptCounter;
  const owner = { sessionId: session.id, projectId: session.projectId, promptNumber };
  const hasRequest = turn.some(({ event }) => event.kind === 'stop' || event.kind === 'prompt');
  const summary = hasRequest ? distilled.summary : null;
  db.transaction(() => {
    for (const draft of distilled.observations) insertObservation(db, owner, draft);
    if (summary) insertSummary(db, owner, summary);
    describeSession(db, session.id, {
      title: distilled.title,
      subtitle: distilled.subtitle,
      isSummarized: turn.some(({ event }) => event.kind === 'stop'),
    });
    finishEvents(
      db,
      turn.map(({ seq }) => seq),
      'done',
    );
  }).immediate();
  return {
    kind: 'distilled',
    events: turn.length,
    observations: distilled.observations.length,
    hasSummary: summary !== null,
  };
}
