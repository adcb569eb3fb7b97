// What lies under a private prompt stays out, and what was kept before that was known goes.
import type { Database } from 'bun:sqlite';
import type { SessionEvent } from '../../core/event.ts';
import { findSeq } from '../../store/events/event-order.ts';
import { BY_TIME } from '../../store/events/said-events.ts';
import {
  type Agents,
  forgetAgent,
  forgetCompactions,
  forgetEvent,
  forgetPrompt,
  type WithTurns,
} from '../../store/forgetting/forget-prompt.ts';
import { bury, isForgotten } from '../../store/forgetting/tombstones.ts';
import { isPromptOf, namePrompt } from '../../store/sessions/name-prompt.ts';
import { type PromptSeat, takeSeat } from '../../store/sessions/prompt-seats.ts';
import {
  findPrompt,
  hasPrivatePrompt,
  hasPublicPrompt,
  hasPublicPromptAt,
  insertPrompt,
  isPrivatePromptId,
  type PromptPlace,
} from '../../store/sessions/prompts.ts';
import { countPrompt, findSession, type Session } from '../../store/sessions/sessions.ts';
import { markSilenced, wasSilenced } from '../../store/sessions/silences.ts';
import { recordTurn } from '../../turns/turns.ts';
import type { EventArrival } from './arrival.ts';

/** An agent belongs to the prompt that it was started under, whenever it did what it did. */
export function promptOf(db: Database, { event, envelope, told }: EventArrival, session: Session): PromptPlace | null {
  const at = envelope.isFromTranscript ? (told.agentStartedAt ?? event.at) : null;
  // What names no prompt belongs to the one of its time: what waited for a worker comes in any order.
  return findPrompt(db, session.id, event.promptId, at ?? (event.promptId === null ? event.at : null));
}

/** Under a private prompt, or done by an agent that was started under one. Start and end say nothing of it. */
export function isHidden(db: Database, said: EventArrival, session: Session, prompt: PromptPlace | null): boolean {
  const { event, envelope, markedSince } = said;
  if (event.kind === 'prompt' || event.kind === 'start' || event.kind === 'end') return false;
  if (isSurelyHidden(db, said) || prompt?.isPrivate) return true;
  if (markedSince !== undefined && !hasPublicPromptAt(db, session.id, markedSince, envelope.receivedAt)) return true;
  // A fork repeats its parent's prompts under the same ids, and their tools.
  return event.promptId !== null && !prompt?.isOwn && isPrivatePromptId(db, event.promptId);
}

const isSurelyHidden = (db: Database, { event, told }: EventArrival): boolean =>
  told.isUnderPrivate === true || (event.agentId !== null && isForgotten(db, 'agent', event.agentId));

/** Whatever a hook brought of it goes. Only what is sure: times alone may be wrong by a little. */
export function hideEvent(db: Database, said: EventArrival, session: Session): void {
  const { event, envelope } = said;
  const started = event.kind === 'tool' && event.action.type === 'agent' ? event.action.agentId : null;
  const seq = envelope.isFromTranscript && isSurelyHidden(db, said) ? findSeq(db, event, session.id) : null;
  if (seq !== null) recordAgain(db, session, forgetEvent(db, session.id, seq));
  const listed = (agent: string | null) => (agent ? [agent] : []);
  hideAgents(db, session, { started: listed(started), atWork: listed(event.agentId) }, event.at);
}

/**
 * A background agent goes on under later prompts: it is known by its id. Of one that was started here nothing stays; one that only
 * was at work may have begun before, with what is not private.
 */
function hideAgents(db: Database, session: Session, { started, atWork }: Agents, at: number): void {
  for (const agent of atWork) bury(db, 'agent', agent, at);
  for (const agent of started) {
    bury(db, 'agent', agent, at);
    const gone = forgetAgent(db, session.id, agent);
    recordAgain(db, session, gone);
    const next = gone.started.filter((other) => other !== agent);
    hideAgents(db, session, { started: next, atWork: [] }, at);
  }
}

/** Records that told of what is gone, of what is left of their events. */
function recordAgain(db: Database, { id, root }: Session, { turns }: WithTurns): void {
  for (const promptNumber of turns) recordTurn(db, { sessionId: id, promptNumber, root, branch: null, head: null });
}

export function withoutPrivate(db: Database, { event, isPrivate }: EventArrival, session: Session): SessionEvent {
  if (isPrivate) return { ...event, kind: 'prompt', text: '' };
  if (event.kind !== 'compaction') return event;
  // The summary of a compaction is about the whole conversation, with what is private and what was left out.
  if (hasPrivatePrompt(db, session.id) || wasSilenced(db, event.session)) return { ...event, summary: '' };
  return event;
}

/** From now on nothing is kept that sums up all of the session; what was kept of that goes, as far as it may tell of it. */
export function silenceSession(db: Database, { event, envelope }: EventArrival, session: Session | null): void {
  if (!markSilenced(db, event.session, envelope.receivedAt) || !session) return;
  forgetCompactions(db, session.id, { since: event.at, isRead: envelope.isFromTranscript === true });
}

/** A fork goes on from all that its parent was told. */
export function heedPast(db: Database, said: EventArrival, session: Session): void {
  const { past } = said.told;
  if (!past || (said.event.kind !== 'prompt' && said.event.kind !== 'compaction')) return;
  const parent = findSession(db, past.session);
  const isTold = past.hasPrivate || wasSilenced(db, past.session) || (parent && hasPrivatePrompt(db, parent.id));
  if (isTold) silenceSession(db, said, session);
}

export type PromptArrival = EventArrival & { event: Extract<SessionEvent, { kind: 'prompt' }> };

export const isPrompt = (said: EventArrival): said is PromptArrival => said.event.kind === 'prompt';

/** `seat`: the row or the number that it has already, in what another store brought of the session. */
export function keepPrompt(db: Database, session: Session, said: PromptArrival, seat: PromptSeat | null = null): void {
  const { event, isPrivate, envelope } = said;
  const { promptId, at } = event;
  const text = isPrivate ? '' : event.text;
  // Said while a turn runs, it shares the prompt id of what was said before: that stays.
  const isAlone = promptId !== null && !hasPublicPrompt(db, session.id, promptId);
  const promptNumber = seat?.promptNumber ?? countPrompt(db, session.id, text);
  if (seat?.id) takeSeat(db, seat.id, promptId);
  else insertPrompt(db, { sessionId: session.id, promptNumber, promptId, text, isPrivate, at });
  if (!isPrivate) return;
  if (isAlone) {
    const gone = forgetPrompt(db, session.id, { promptId, exceptId: event.id });
    recordAgain(db, session, gone);
    hideAgents(db, session, gone, at);
  }
  forgetCompactions(db, session.id, { since: at, isRead: envelope.isFromTranscript === true });
}

/** It looks like one that is known. That is how a transcript says again what hooks have delivered; private ones all look the same. */
export function hearPromptAgain(db: Database, session: Session, said: PromptArrival): void {
  const { event, isPrivate, envelope } = said;
  const { promptId, at } = event;
  const isByTime = promptId?.startsWith(BY_TIME) ?? false;
  const isKnown = (id: string) =>
    envelope.isFromTranscript
      ? !isByTime || namePrompt(db, session.id, { promptId: id, text: isPrivate ? '' : event.text, isPrivate })
      : isPromptOf(db, session.id, { promptId: id, at });
  if (promptId !== null && !isKnown(promptId) && isPrivate) keepPrompt(db, session, said);
  // A copy of a session says what the other has said.
  if (isPrivate && !hasPrivatePrompt(db, session.id)) silenceSession(db, said, session);
}
