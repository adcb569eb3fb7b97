// The one way into the store: what arrived is judged, and kept once, whichever way it came.
import type { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import type { SessionEvent } from '../core/event.ts';
import type { SessionStatus } from '../core/shapes/project.ts';
import { readBranch } from '../git/identity.ts';
import { moveSession } from '../projects/merge.ts';
import { identifyPlace } from '../projects/place.ts';
import { ensureProject } from '../projects/projects.ts';
import { count } from '../store/counters.ts';
import { withoutForgottenWords } from '../turns/take-out.ts';
import { hasOnlyRecalled, INCOMPLETE, insertEvent } from './events.ts';
import { type CaptureSettings, ELSEWHERE, judgeArrival, type Verdict } from './judge.ts';
import type { Arrival, EventArrival } from './message.ts';
import { hearPromptAgain, heedPast, hideEvent, isPrompt, keepPrompt, placeArrival, silenceSession, withoutPrivate } from './private.ts';
import { findSeat } from './prompts.ts';
import { completeSession, ensureSession, findSession, getSession, type Session, touchSession } from './sessions.ts';
import { keepOut, leaveOutPrompt } from './silence.ts';
import { noteTranscript, passOverSession } from './transcript-files.ts';

type Happened = { event: SessionEvent; session: Session };

export type Ingested = {
  arrival: Arrival;
  /** The event is in the store, now or since before; the session is as it was before it. */
  known: Happened | null;
  /** It happened now, as far as can be told: not a duplicate. Also what is private, and so not kept. */
  happened: Happened | null;
};

/** To be called inside a transaction. */
export function ingest(db: Database, arrival: Arrival, settings: CaptureSettings): Ingested {
  const { receivedAt: now, event: command } = arrival.envelope;
  if (arrival.kind === 'event') return ingestEvent(db, arrival, settings);
  if (arrival.kind === 'bad') count(db, `bad-input:${arrival.reason}`, now);
  if (arrival.kind === 'incognito') keepOut(db, arrival.session, now);
  if (arrival.kind === 'ignored') count(db, `ignored:${arrival.reason}`, now);
  // To ask for the context by hand is no fault; anything else without a session cannot be kept.
  if (arrival.kind === 'no-session' && command !== 'context') count(db, 'bad-input:no-session', now);
  return nothingOf(arrival);
}

export const nothingOf = (arrival: Arrival): Ingested => ({ arrival, known: null, happened: null });

function ingestEvent(db: Database, said: EventArrival, settings: CaptureSettings): Ingested {
  const { envelope } = said;
  const known = findSession(db, said.event.session);
  const judged = judgeArrival(db, said, known, settings);
  if (judged.kind === 'refused') return refuse(db, said, known, judged);
  // Nothing of it was kept, so nothing has ended.
  if (!known && envelope.isFromTranscript && said.event.kind === 'end') return nothingOf(said);
  const session = known ? atHome(db, known, judged.event, settings) : openSession(db, judged.event, said, settings);
  // A session goes on in the same file, so it need not be named by every tool. How far it was read is said by whoever reads it.
  const path = envelope.isFromTranscript || (known && !MARKS.has(said.event.kind)) ? null : said.transcript;
  if (path) noteTranscript(db, { path, host: envelope.host, hostSessionId: said.event.session });
  const { said: arrival, prompt, isPrivate } = placeArrival(db, said, judged.event, session);
  const { event } = arrival;
  if (isPrivate) {
    hideEvent(db, arrival, session);
    advanceSession(db, session, event);
    count(db, 'dropped:private', envelope.receivedAt);
    return { arrival: said, known: null, happened: { event, session } };
  }
  heedPast(db, arrival, session);
  const isNew = keepEvent(db, arrival, session, { promptNumber: prompt?.promptNumber, skipTools: judged.skipTools });
  // A session that was resumed and left again ends with the very same words.
  const isHappening = isNew || event.kind === 'end';
  if (isHappening) advanceSession(db, session, event);
  return { arrival, known: { event, session }, happened: isHappening ? { event, session } : null };
}

const MARKS = new Set(['start', 'prompt', 'stop']);

type Refused = Extract<Verdict, { kind: 'refused' }>;

function refuse(db: Database, said: EventArrival, known: Session | null, { reason, scope }: Refused): Ingested {
  const { event, envelope, transcript } = said;
  const at = envelope.receivedAt;
  if (scope || reason === ELSEWHERE) silenceSession(db, said, known);
  // What no later look at it could tell: the setting may change, and a copy of the session has another id.
  const isOff = scope !== null && reason === 'off' && !envelope.isFromTranscript;
  if ((isOff || scope === 'session') && event.promptId !== null) leaveOutPrompt(db, event.session, event.promptId, at);
  if (isOff) {
    // Switched on again, what happened meanwhile must not be read: also what was written just before this came.
    const written = transcript ? (statSync(transcript, { throwIfNoEntry: false })?.mtimeMs ?? 0) : 0;
    passOverSession(db, event.session, Math.max(at, Math.ceil(written)));
  }
  count(db, `dropped:${reason}`, at);
  return nothingOf(said);
}

/** False when it was there already. */
function keepEvent(
  db: Database,
  arrival: EventArrival,
  session: Session,
  { promptNumber, skipTools }: { promptNumber: number | undefined; skipTools: readonly string[] },
): boolean {
  const { event, envelope, isPrivate } = arrival;
  const at = envelope.receivedAt;
  const seat = isPrompt(arrival) ? findSeat(db, session.id, { ...arrival.event, isPrivate }) : null;
  const isIncomplete = envelope.incomplete === true && event.kind === 'tool' && event.toolUseId !== null;
  // Its transcript brings the whole; until then nobody processes the rest of it.
  const isAwaited = isIncomplete && arrival.transcript !== null;
  const isProcessed = isObservable(event, skipTools) && !isPrivate && !isAwaited && !isEcho(db, event, session);
  const isNew = insertEvent(db, {
    event: withoutForgottenWords(db, withoutPrivate(db, arrival, session)),
    sessionId: session.id,
    promptNumber: event.kind === 'prompt' ? (seat?.promptNumber ?? session.promptCounter + 1) : (promptNumber ?? session.promptCounter),
    status: isProcessed ? 'pending' : 'skipped',
    provenance: isIncomplete ? INCOMPLETE : `${envelope.isFromTranscript ? 'transcript' : 'hook'}:${envelope.event}`,
  });
  if (isPrompt(arrival) && isNew) keepPrompt(db, session, arrival, seat);
  if (isPrompt(arrival) && !isNew) hearPromptAgain(db, session, arrival);
  if (isNew && isIncomplete) count(db, 'incomplete', at);
  if (isNew && event.kind === 'unknown') count(db, `unknown-event:${event.name.slice(0, 40)}`, at);
  if (isNew) for (const name of Object.keys(event.extra ?? {})) count(db, `unknown-field:${name.slice(0, 40)}`, at);
  if (isNew && arrival.secrets > 0) count(db, 'secrets-scrubbed', at, arrival.secrets);
  // A transcript says again what hooks have delivered: that is how it is known that they did.
  if (!isNew && !envelope.isFromTranscript) count(db, 'duplicate', at);
  return isNew;
}

function openSession(db: Database, event: SessionEvent, { envelope, branch }: EventArrival, settings: CaptureSettings): Session {
  const identity = identifyPlace(event.cwd, settings);
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
function atHome(db: Database, session: Session, event: SessionEvent, settings: CaptureSettings): Session {
  if (session.root !== '' || event.cwd === '') return session;
  const identity = identifyPlace(event.cwd, settings);
  const { id: projectId } = ensureProject(db, identity, event.at);
  moveSession(db, session.id, { projectId, cwd: event.cwd, root: identity.root });
  return getSession(db, session.id) ?? session;
}

/** A busy session gives a sign of life every few seconds, not with every tool. */
const TOUCH_MS = 5000;

function advanceSession(db: Database, session: Session, event: SessionEvent): void {
  if (event.kind === 'end') {
    completeSession(db, session.id, event.reason, event.at);
    return;
  }
  // It happened before the end and only arrived after it.
  if (session.completedAt !== null && event.at <= session.completedAt) return;
  const status = nextStatus(session.status, event);
  if (status !== session.status || event.at - session.updatedAt > TOUCH_MS) touchSession(db, session.id, status, event.at);
}

function nextStatus(status: SessionStatus, event: SessionEvent): SessionStatus {
  if (event.kind === 'stop') return 'summarizing';
  return event.kind === 'start' && status === 'initialized' ? 'initialized' : 'active';
}

/** What an observer has to look at. The rest is kept for the record only. */
function isObservable(event: SessionEvent, skipTools: readonly string[]): boolean {
  if (event.kind === 'start' || event.kind === 'unknown') return false;
  return event.kind !== 'tool' || !(event.isUndone || skipTools.includes(event.tool));
}

/** It says what our own tools answered: an agent that used nothing else reports nothing else. */
function isEcho(db: Database, event: SessionEvent, session: Session): boolean {
  if (event.kind === 'tool' && event.action.type === 'memory') return true;
  const report = event.kind === 'tool' && event.action.type === 'agent' ? event.action : event.kind === 'subagent' ? event : null;
  const agent = report?.agentId ?? null;
  return agent !== null && hasOnlyRecalled(db, session.id, agent);
}
