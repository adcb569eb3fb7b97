// The one door into the store: an envelope is parsed, stripped, scrubbed, and kept once.
import type { Database } from 'bun:sqlite';
import type { Envelope } from '../core/envelope.ts';
import type { SessionEvent } from '../core/event.ts';
import { cleanPayload } from '../core/payload.ts';
import { scrubSecrets, scrubValue } from '../core/secrets/scrub.ts';
import { identifyProject, readBranch } from '../git/identity.ts';
import { findHost } from '../hosts/index.ts';
import { insertBadInput } from '../store/bad-inputs.ts';
import { count } from '../store/counters.ts';
import { dropEventsOfPrompt, insertEvent } from '../store/events.ts';
import { isObserverSession } from '../store/model-calls.ts';
import { ensureProject } from '../store/projects.ts';
import { findPrompt, insertPrompt } from '../store/prompts.ts';
import {
  completeSession,
  countPrompt,
  ensureSession,
  findSession,
  type Session,
  type SessionStatus,
  touchSession,
} from '../store/sessions.ts';
import { isForgotten } from '../store/tombstones.ts';

/** An envelope made ready for the store: nothing private, nothing secret, in our own words. */
export type Arrival = { envelope: Envelope } & (
  | { kind: 'event'; event: SessionEvent; isPrivate: boolean; secrets: number }
  | { kind: 'no-session'; cwd: string }
  | { kind: 'bad'; reason: string; bytes: number; head: string }
  | { kind: 'ignored'; reason: string }
);

export type Ingested = {
  arrival: Arrival;
  stored: { event: SessionEvent; session: Session } | null;
};

/** Everything that needs no database, so that the transaction stays short. */
export function readArrival(envelope: Envelope): Arrival {
  const { bad } = envelope;
  if (bad) return { kind: 'bad', envelope, ...bad, head: scrubSecrets(bad.head).text };
  const host = findHost(envelope.host);
  if (!host) return { kind: 'ignored', envelope, reason: 'unknown-host' };
  const cleaned = cleanPayload(envelope.payload);
  const scrubbed = scrubValue(cleaned.value);
  const parsed = host.parseHook({
    id: envelope.id,
    command: envelope.event,
    payload: scrubbed.value,
    receivedAt: envelope.receivedAt,
  });
  if (parsed.kind !== 'event') return { envelope, ...parsed };
  const { event } = parsed;
  const isPrivate =
    event.kind === 'prompt' && (envelope.private === true || (cleaned.stripped && event.text.trim() === ''));
  return { kind: 'event', envelope, event, isPrivate, secrets: scrubbed.found.length };
}

export type IngestOptions = { skipTools: readonly string[] };

/** To be called inside a transaction. */
export function ingest(db: Database, arrival: Arrival, options: IngestOptions): Ingested {
  const { receivedAt: now, id, event: command } = arrival.envelope;
  const nothing: Ingested = { arrival, stored: null };
  if (arrival.kind === 'no-session') return nothing;
  if (arrival.kind === 'ignored') {
    count(db, `ignored:${arrival.reason}`, now);
    return nothing;
  }
  if (arrival.kind === 'bad') {
    const { reason, bytes, head } = arrival;
    if (insertBadInput(db, { id, command, reason, bytes, head, at: now })) count(db, `bad-input:${reason}`, now);
    return nothing;
  }
  return ingestEvent(db, arrival, options);
}

function ingestEvent(db: Database, arrival: Extract<Arrival, { kind: 'event' }>, options: IngestOptions): Ingested {
  const { event, envelope } = arrival;
  const dropped = (reason: string): Ingested => {
    count(db, `dropped:${reason}`, envelope.receivedAt);
    return { arrival, stored: null };
  };
  if (isObserverSession(db, event.session)) return dropped('own-observer');
  if (isForgotten(db, 'session', event.session) || isForgotten(db, 'event', event.id)) return dropped('forgotten');

  const session = openSession(db, event, envelope.host);
  const prompt = findPrompt(db, session.id, event.promptId);
  if (prompt?.isPrivate && event.kind !== 'prompt' && event.kind !== 'start') {
    advanceSession(db, session, event);
    if (event.kind !== 'end') return dropped('private');
  }
  const isNew = insertEvent(db, {
    event: arrival.isPrivate ? { ...event, kind: 'prompt', text: '' } : event,
    sessionId: session.id,
    promptNumber: event.kind === 'prompt' ? session.promptCounter + 1 : (prompt?.promptNumber ?? session.promptCounter),
    status: isObservable(event, options) && !arrival.isPrivate ? 'pending' : 'skipped',
    provenance: `hook:${envelope.event}`,
  });
  if (!isNew) {
    count(db, 'duplicate', envelope.receivedAt);
    return { arrival, stored: { event, session } };
  }
  if (event.kind === 'prompt') keepPrompt(db, session, event, arrival.isPrivate);
  if (event.kind === 'unknown') count(db, `unknown-event:${event.name.slice(0, 40)}`, envelope.receivedAt);
  if (arrival.secrets > 0) count(db, 'secrets-scrubbed', envelope.receivedAt, arrival.secrets);
  advanceSession(db, session, event);
  return { arrival, stored: { event, session } };
}

function openSession(db: Database, event: SessionEvent, host: string): Session {
  const known = findSession(db, event.session);
  if (known) return known;
  const identity = identifyProject(event.cwd);
  return ensureSession(db, {
    host,
    hostSessionId: event.session,
    projectId: ensureProject(db, identity, event.at).id,
    cwd: event.cwd,
    root: identity.root,
    branch: readBranch(event.cwd),
    at: event.at,
  });
}

function keepPrompt(
  db: Database,
  session: Session,
  event: Extract<SessionEvent, { kind: 'prompt' }>,
  isPrivate: boolean,
): void {
  const text = isPrivate ? '' : event.text;
  const promptNumber = countPrompt(db, session.id, text);
  insertPrompt(db, { sessionId: session.id, promptNumber, promptId: event.promptId, text, isPrivate, at: event.at });
  // Its tool events may have been faster than the prompt itself; the marker's own event stays.
  if (isPrivate && event.promptId) dropEventsOfPrompt(db, session.id, event.promptId, event.id);
}

function advanceSession(db: Database, session: Session, event: SessionEvent): void {
  if (event.kind === 'end') {
    completeSession(db, session.id, event.reason, event.at);
    return;
  }
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
function isObservable(event: SessionEvent, { skipTools }: IngestOptions): boolean {
  if (event.kind === 'start' || event.kind === 'unknown') return false;
  return event.kind !== 'tool' || !skipTools.includes(event.tool);
}
