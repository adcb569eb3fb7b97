// Whether an event may be kept, whichever way it came. Reads only: what follows from it is ingest.ts's part, and that of a rebuild.
import type { Database } from 'bun:sqlite';
import type { SessionEvent } from '../../core/event.ts';
import { spellEvent } from '../../git/real-path.ts';
import { isForgottenEvent } from '../../store/forgetting/tombstones.ts';
import type { PromptPlace } from '../../store/sessions/prompts.ts';
import type { Session } from '../../store/sessions/sessions.ts';
import { isKeptOut, wasLeftOutElsewhere } from '../../store/sessions/silences.ts';
import { passedUntil } from '../../store/sessions/transcripts.ts';
import { isObserverSession } from '../../store/spending/model-calls.ts';
import { type DoorSettings, type Judged, judgeEvent } from '../silence/leave-out.ts';
import type { EventArrival } from './arrival.ts';
import { isHidden, promptOf } from './private-turn.ts';

export type LeftOut = Extract<Judged, { kind: 'left-out' }>;

export type Verdict =
  | { kind: 'refused'; reason: string /** By a silence or an exclusion of now. */; leftOut: LeftOut | null }
  | Extract<Judged, { kind: 'kept' }>;

/** By what was forgotten, silenced and excluded. `session`: null when nothing is known of it yet. */
export function judgeArrival(
  db: Database,
  { event, envelope }: EventArrival,
  session: Session | null,
  options: DoorSettings,
): Verdict {
  const refuse = (reason: string, leftOut: LeftOut | null = null): Verdict => ({ kind: 'refused', reason, leftOut });
  if (isObserverSession(db, event.session)) return refuse('own-observer');
  if (isForgottenEvent(db, event)) return refuse('forgotten');
  const unread = envelope.isFromTranscript ? findUnread(db, event) : null;
  if (unread) return refuse(unread);
  const judged = judgeEvent(db, { event, receivedAt: envelope.receivedAt, session }, options);
  return judged.kind === 'left-out' ? refuse(judged.reason, judged) : judged;
}

/** The reason when a turn was left out in another session that this one is a copy of. */
export const ELSEWHERE = 'left-out-elsewhere';

/** What a transcript says that was never to be read, in whichever file it stands. */
function findUnread(db: Database, { session, promptId, at }: SessionEvent): string | null {
  if (isKeptOut(db, session)) return 'incognito';
  if (at <= passedUntil(db, session)) return 'off';
  return promptId !== null && wasLeftOutElsewhere(db, session, promptId) ? ELSEWHERE : null;
}

export type Placed = {
  /** Its paths spelled as its work tree has them. */
  said: EventArrival;
  prompt: PromptPlace | null;
  isPrivate: boolean;
};

/** Where an event that may be kept belongs in its session, and whether it lies under a private prompt. */
export function placeArrival(db: Database, said: EventArrival, kept: SessionEvent, session: Session): Placed {
  // Only now: what is excluded may be named by the link.
  const arrival = { ...said, event: spellEvent(kept, session.root) };
  const prompt = promptOf(db, arrival, session);
  return { said: arrival, prompt, isPrivate: isHidden(db, arrival, session, prompt) };
}
