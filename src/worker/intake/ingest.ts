// The one door into the store: what arrived is judged, and kept once, whichever way it came.
import type { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import type { SessionEvent } from '../../core/event.ts';
import type { SessionStatus } from '../../core/session.ts';
import { readBranch } from '../../git/identity.ts';
import { count } from '../../store/counters.ts';
import { insertBadInput } from '../../store/events/bad-inputs.ts';
import { INCOMPLETE, insertEvent } from '../../store/events/events.ts';
import { hasOnlyRecalled } from '../../store/events/recalls.ts';
import { ensureProject } from '../../store/projects/projects.ts';
import { moveSession } from '../../store/sessions/move-session.ts';
import { findSeat } from '../../store/sessions/prompt-seats.ts';
import {
  completeSession,
  ensureSession,
  findSession,
  type Session,
  touchSession,
} from '../../store/sessions/sessions.ts';
import { keepOut, leaveOutPrompt } from '../../store/sessions/silences.ts';
import { noteTranscript, passOverSession } from '../../store/sessions/transcripts.ts';
import { withoutForgottenWords } from '../../turns/forgotten-parts.ts';
import { identifyPlace } from '../projects/identify-place.ts';
import { type DoorSettings, judgeUnread } from '../silence/leave-out.ts';
import type { Arrival, EventArrival } from './arrival.ts';
import { ELSEWHERE, judgeArrival, type LeftOut, placeArrival } from './judge-arrival.ts';
import {
  hearPromptAgain,
  heedPast,
  hideEvent,
  isPrompt,
  keepPrompt,
  silenceSession,
  withoutPrivate,
} from './private-turn.ts';

export type Ingested = {
  arrival: Arrival;
  /** The event is in the store, now or since before; the session is as it was before it. */
  known: { event: SessionEvent; session: Session } | null;
  /** It happened now, as far as can be told: not a duplicate. Also what is private, and so not kept. */
  happened: { event: SessionEvent; session: Session } | null;
};

/** To be called inside a transaction. */
export function ingest(db: Database, arrival: Arrival, options: DoorSettings): Ingested {
  const { receivedAt: now, event: command } = arrival.envelope;
  const nothing: Ingested = { arrival, known: null, happened: null };
  if (arrival.kind === 'event') return ingestEvent(db, arrival, options);
  if (arrival.kind === 'bad') keepUnread(db, arrival, options);
  if (arrival.kind === 'incognito') keepOut(db, arrival.session, now);
  if (arrival.kind === 'ignored') count(db, `ignored:${arrival.reason}`, now);
  // To ask for the context by hand is no fault; anything else without a session cannot be kept.
  if (arrival.kind === 'no-session' && command !== 'context') count(db, 'bad-input:no-session', now);
  return nothing;
}

function keepUnread(db: Database, arrival: Extract<Arrival, { kind: 'bad' }>, options: DoorSettings): void {
  const { reason, bytes, envelope } = arrival;
  const { id, event: command, receivedAt: at } = envelope;
  const judged = judgeUnread(db, at, options);
  if (judged === 'left-out') {
    count(db, 'dropped:paused', at);
    return;
  }
  const head = judged === 'kept' ? arrival.head : '';
  if (insertBadInput(db, { id, command, reason, bytes, head, at })) count(db, `bad-input:${reason}`, at);
}

function ingestEvent(db: Database, said: EventArrival, options: DoorSettings): Ingested {
  const { envelope } = said;
  const drop = (reason: string): Ingested => {
    count(db, `dropped:${reason}`, envelope.receivedAt);
    return { arrival: said, known: null, happened: null };
  };
  const known = findSession(db, said.event.session);
  const judged = judgeArrival(db, said, known, options);
  if (judged.kind === 'refused') {
    if (judged.leftOut || judged.reason === ELSEWHERE) silenceSession(db, said, known);
    if (judged.leftOut) rememberLeftOut(db, said, judged.leftOut);
    return drop(judged.reason);
  }

  // Nothing of it was kept, so nothing has ended.
  if (!known && envelope.isFromTranscript && said.event.kind === 'end')
    return { arrival: said, known: null, happened: null };
  const { skipTools } = judged;
  const session = known ? atHome(db, known, judged.event, options) : openSession(db, judged.event, said, options);
  if (said.transcript && (!known || MARKS.has(said.event.kind))) keepTranscript(db, said, said.transcript);
  const { said: arrival, prompt, isPrivate } = placeArrival(db, said, judged.event, session);
  const { event } = arrival;
  if (isPrivate) {
    hideEvent(db, arrival, session);
    advanceSession(db, session, event);
    return { ...drop('private'), happened: { event, session } };
  }
  heedPast(db, arrival, session);
  const kept = withoutForgottenWords(db, withoutPrivate(db, arrival, session));
  const seat = isPrompt(arrival) ? findSeat(db, session.id, { ...arrival.event, isPrivate: arrival.isPrivate }) : null;
  const next = seat?.promptNumber ?? session.promptCounter + 1;
  const isIncomplete = envelope.incomplete === true && event.kind === 'tool' && event.toolUseId !== null;
  // Its transcript brings the whole; until then nobody distils the rest of it.
  const isAwaited = isIncomplete && arrival.transcript !== null;
  const isDistilled = isObservable(event, skipTools) && !arrival.isPrivate && !isEcho(db, event, session);
  const isNew = insertEvent(db, {
    event: kept,
    sessionId: session.id,
    promptNumber: event.kind === 'prompt' ? next : (prompt?.promptNumber ?? session.promptCounter),
    status: isDistilled && !isAwaited ? 'pending' : 'skipped',
    provenance: isIncomplete ? INCOMPLETE : `${envelope.isFromTranscript ? 'transcript' : 'hook'}:${envelope.event}`,
  });
  if (isNew && isIncomplete) count(db, 'incomplete', envelope.receivedAt);
  if (isPrompt(arrival) && isNew) keepPrompt(db, session, arrival, seat);
  if (isPrompt(arrival) && !isNew) hearPromptAgain(db, session, arrival);
  if (isNew && event.kind === 'unknown') count(db, `unknown-event:${event.name.slice(0, 40)}`, envelope.receivedAt);
  if (isNew && arrival.secrets > 0) count(db, 'secrets-scrubbed', envelope.receivedAt, arrival.secrets);
  // A transcript says again what hooks have delivered: that is how it is known that they did.
  if (!isNew && !envelope.isFromTranscript) count(db, 'duplicate', envelope.receivedAt);
  // A session that was resumed and left again ends with the very same words.
  const isHappening = isNew || event.kind === 'end';
  if (isHappening) advanceSession(db, session, event);
  return { arrival, known: { event, session }, happened: isHappening ? { event, session } : null };
}

/** What no later look at it could tell: the setting may change, and a copy of the session has another id. */
function rememberLeftOut(
  db: Database,
  { event, envelope, transcript }: EventArrival,
  { reason, scope }: LeftOut,
): void {
  const isOff = reason === 'off' && !envelope.isFromTranscript;
  if ((isOff || scope === 'session') && event.promptId !== null)
    leaveOutPrompt(db, event.session, event.promptId, envelope.receivedAt);
  if (!isOff) return;
  // Switched on again, what happened meanwhile must not be read: also what was written just before this came.
  const written = transcript ? (statSync(transcript, { throwIfNoEntry: false })?.mtimeMs ?? 0) : 0;
  passOverSession(db, event.session, Math.max(envelope.receivedAt, Math.ceil(written)));
}

/** A session goes on in the same file, so it need not be named by every tool. */
const MARKS = new Set(['start', 'prompt', 'stop']);

function keepTranscript(db: Database, { event, envelope }: EventArrival, path: string): void {
  // How far it was read is said by whoever reads it.
  if (envelope.isFromTranscript) return;
  noteTranscript(db, { path, host: envelope.host, hostSessionId: event.session });
}

function openSession(
  db: Database,
  event: SessionEvent,
  { envelope, branch }: EventArrival,
  options: DoorSettings,
): Session {
  const identity = identifyPlace(event.cwd, options);
  return ensureSession(db, {
    host: envelope.host,
    hostSessionId: event.session,
    projectId: ensureProject(db, identity, event.at).id,
    cwd: event.cwd,
    root: identity.root,
    // What is on disk now says nothing about then.
    branch: envelope.isFromTranscript ? branch : readBranch(event.cwd),
    at: event.at,
  });
}

/** What another program remembered of it came without a place: now it is known. */
function atHome(db: Database, session: Session, event: SessionEvent, options: DoorSettings): Session {
  if (session.root !== '' || event.cwd === '') return session;
  const identity = identifyPlace(event.cwd, options);
  const { id: projectId } = ensureProject(db, identity, event.at);
  return moveSession(db, session, { projectId, cwd: event.cwd, root: identity.root });
}

function advanceSession(db: Database, session: Session, event: SessionEvent): void {
  if (event.kind === 'end') {
    completeSession(db, session.id, event.reason, event.at);
    return;
  }
  // It happened before the end and only arrived after it.
  if (session.completedAt !== null && event.at <= session.completedAt) return;
  const status = nextStatus(session.status, event);
  // A busy session gives a sign of life every few seconds, not with every tool.
  const isStale = event.at - session.updatedAt > TOUCH_MS;
  if (status !== session.status || isStale) touchSession(db, session.id, status, event.at);
}

const TOUCH_MS = 5000;

function nextStatus(status: SessionStatus, event: SessionEvent): SessionStatus {
  if (event.kind === 'stop') return 'summarizing';
  if (event.kind === 'start') return status === 'initialized' ? 'initialized' : 'active';
  return 'active';
}

/** What an observer has to look at. The rest is kept for the record only. */
function isObservable(event: SessionEvent, skipTools: readonly string[]): boolean {
  if (event.kind === 'start' || event.kind === 'unknown') return false;
  return event.kind !== 'tool' || !(event.isUndone || skipTools.includes(event.tool));
}

/** It says what our own tools answered: an agent that used nothing else reports nothing else. */
function isEcho(db: Database, event: SessionEvent, session: Session): boolean {
  if (event.kind === 'subagent') return event.agentId !== null && hasOnlyRecalled(db, session.id, event.agentId);
  if (event.kind !== 'tool') return false;
  if (event.action.type === 'memory') return true;
  const agent = event.action.type === 'agent' ? event.action.agentId : null;
  return agent !== null && hasOnlyRecalled(db, session.id, agent);
}
