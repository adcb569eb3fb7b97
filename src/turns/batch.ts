// The events of a turn as what is observed: the same for the rules and for a model.
import type { Database } from 'bun:sqlite';
import { listEarlierTools } from '../capture/events.ts';
import type { PlaceOf } from '../capture/other-repositories.ts';
import { listRefused, type QueuedEvent } from '../capture/queue.ts';
import type { Session } from '../capture/sessions.ts';
import type { SessionEvent, ToolEvent } from '../core/event.ts';
import type { ReadEvidence } from '../core/evidence.ts';
import type { Batch, Observed } from '../core/observation.ts';
import { type IsForeign, markForeign } from '../projects/foreign.ts';
import { listTurnsBefore } from './turns.ts';

export type Observe = (batch: Batch) => Observed;

/** What a stored turn says about earlier memories and steps. Inside the transaction that stores it. */
export type Settle = (db: Database, turn: { sessionId: number; promptNumber: number }) => void;

/** What makes memories of a turn, at once by rules and later by a model. */
export type ObserveDeps = {
  observe: Observe;
  settle?: Settle;
  /** What speaks for each observation; without it, only its own words do. */
  readEvidence?: ReadEvidence;
  /** Which other project each observation belongs to; without it, all are the session's. */
  placeOf?: PlaceOf;
  /** Whether what lies at a path is somebody else's; without it, all files are the user's. */
  isForeign?: IsForeign;
};

type TurnSource = { session: Session; turn: QueuedEvent[]; isForeign?: IsForeign };

export function makeBatch(db: Database, { session, turn, isForeign = NOBODY_ELSES }: TurnSource): Batch {
  const first = Math.min(...turn.map(({ seq }) => seq));
  const earlier = listEarlierTools(db, session.id, first, EARLIER).filter(isTool);
  return {
    project: { name: session.root.split('/').at(-1) ?? session.root, root: session.root },
    session: { firstPrompt: session.firstPrompt, title: session.title },
    before: listTurnsBefore(db, { sessionId: session.id, promptNumber: turn[0]?.promptNumber ?? 0 }, TURNS_BEFORE),
    ...markForeign({ root: session.root, events: inOrder([...turn, ...listRefused(db, session.id, turn)]), earlier }, isForeign),
  };
}

/** A stop is the end of its turn, whatever came late. */
const inOrder = (turn: QueuedEvent[]): SessionEvent[] =>
  turn.toSorted((one, other) => Number(isEnd(one)) - Number(isEnd(other)) || one.seq - other.seq).map(({ event }) => event);

const isEnd = ({ event: { kind } }: QueuedEvent) => kind === 'stop' || kind === 'end';

const TURNS_BEFORE = 1;
const EARLIER = 200;
const NOBODY_ELSES: IsForeign = () => () => null;
const isTool = (event: SessionEvent): event is ToolEvent => event.kind === 'tool';

export const nameTurn = (turn: { sessionId: number; promptNumber: number; batchId: number }) =>
  `${turn.sessionId}-${turn.promptNumber}-${turn.batchId}`;
