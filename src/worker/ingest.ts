// The one door into the store: an envelope is parsed, stripped, scrubbed, and kept once.
import type { Database } from 'bun:sqlite';
import type { Envelope } from '../core/envelope.ts';
import type { SessionEvent } from '../core/event.ts';
import { cleanPayload } from '../core/payload.ts';
import { isWhollyPrivate } from '../core/privacy.ts';
import { scrubValue } from '../core/secrets/scrub.ts';
import { scrubHead } from '../core/secrets/scrub-head.ts';
import { identifyProject, readBranch } from '../git/identity.ts';
import { spellEvent } from '../git/real-path.ts';
import { findHost } from '../hosts/index.ts';
import { insertBadInput } from '../store/bad-inputs.ts';
import { count } from '../store/counters.ts';
import { insertEvent } from '../store/events.ts';
import { forgetPrompt } from '../store/forget-prompt.ts';
import { isObserverSession } from '../store/model-calls.ts';
import { ensureProject } from '../store/projects.ts';
import { findPrompt, hasPrivatePrompt, hasPublicPrompt, insertPrompt, type PromptPlace } from '../store/prompts.ts';
import { hasOnlyRecalled } from '../store/recalls.ts';
import {
  completeSession,
  countPrompt,
  ensureSession,
  findSession,
  type Session,
  type SessionStatus,
  touchSession,
} from '../store/sessions.ts';
import { markSilenced, wasSilenced } from '../store/silences.ts';
import { bury, isForgotten, isForgottenEvent } from '../store/tombstones.ts';
import { type DoorSettings, judgeEvent, judgeUnread } from './leave-out.ts';

/** An envelope made ready for the store: nothing private, nothing secret, in our own words. */
export type Arrival = { envelope: Envelope } & (
  | { kind: 'event'; event: SessionEvent; isPrivate: boolean; secrets: number }
  | { kind: 'before-edit'; session: string; cwd: string; file: string }
  | { kind: 'no-session'; cwd: string }
  | { kind: 'bad'; reason: string; bytes: number; head: string }
  | { kind: 'ignored'; reason: string }
);

export type Ingested = {
  arrival: Arrival;
  /** The event is in the store, now or since before; the session is as it was before it. */
  known: { event: SessionEvent; session: Session } | null;
  /** It happened now, as far as can be told: not a duplicate. Also what is private, and so not kept. */
  happened: { event: SessionEvent; session: Session } | null;
};

/** Everything that needs no database, so that the transaction stays short. */
export function readArrival(envelope: Envelope): Arrival {
  const { bad } = envelope;
  if (bad) return { kind: 'bad', envelope, ...bad, head: scrubHead(bad.head) };
  const host = findHost(envelope.host);
  if (!host) return { kind: 'ignored', envelope, reason: 'unknown-host' };
  const scrubbed = scrubValue(cleanPayload(envelope.payload).value);
  const parsed = host.parseHook({
    id: envelope.id,
    command: envelope.event,
    payload: scrubbed.value,
    receivedAt: envelope.receivedAt,
  });
  if (parsed.kind !== 'event') return { envelope, ...parsed };
  return {
    kind: 'event',
    envelope,
    event: parsed.event,
    isPrivate: isPrivatePrompt(parsed.event, envelope),
    secrets: scrubbed.found.length,
  };
}

function isPrivatePrompt(event: SessionEvent, { payload, private: isMarked }: Envelope): boolean {
  if (event.kind !== 'prompt') return false;
  const before = typeof payload === 'object' && payload !== null && 'prompt' in payload ? payload.prompt : null;
  return isMarked === true || isWhollyPrivate(before, event.text);
}

/** To be called inside a transaction. */
export function ingest(db: Database, arrival: Arrival, options: DoorSettings): Ingested {
  const { receivedAt: now, event: command } = arrival.envelope;
  const nothing: Ingested = { arrival, known: null, happened: null };
  if (arrival.kind === 'event') return ingestEvent(db, arrival, options);
  if (arrival.kind === 'bad') keepUnread(db, arrival, options);
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

type EventArrival = Extract<Arrival, { kind: 'event' }>;

function ingestEvent(db: Database, said: EventArrival, options: DoorSettings): Ingested {
  const { envelope } = said;
  const drop = (reason: string): Ingested => {
    count(db, `dropped:${reason}`, envelope.receivedAt);
    return { arrival: said, known: null, happened: null };
  };
  if (isObserverSession(db, said.event.session)) return drop('own-observer');
  if (isForgottenEvent(db, said.event)) return drop('forgotten');
  const known = findSession(db, said.event.session);
  const judged = judgeEvent(db, { event: said.event, receivedAt: envelope.receivedAt, session: known }, options);
  if (judged.kind === 'left-out') {
    markSilenced(db, said.event.session, envelope.receivedAt);
    return drop(judged.reason);
  }

  const { skipTools } = judged;
  const session = known ?? openSession(db, judged.event, envelope.host);
  // Only now: what is excluded may be named by the link.
  const event = spellEvent(judged.event, session.root);
  const arrival = { ...said, event };
  const prompt = findPrompt(db, session.id, event.promptId);
  if (isHidden(db, event, prompt)) {
    hideAgents(db, event);
    advanceSession(db, session, event);
    return { ...drop('private'), happened: { event, session } };
  }
  const kept = withoutPrivate(db, arrival, session);
  const isNew = insertEvent(db, {
    event: kept,
    sessionId: session.id,
    promptNumber: event.kind === 'prompt' ? session.promptCounter + 1 : (prompt?.promptNumber ?? session.promptCounter),
    status: isObservable(event, skipTools) && !arrival.isPrivate && !isEcho(db, event, session) ? 'pending' : 'skipped',
    provenance: `hook:${envelope.event}`,
  });
  if (isNew && event.kind === 'prompt') keepPrompt(db, session, event, arrival.isPrivate);
  if (isNew && event.kind === 'unknown') count(db, `unknown-event:${event.name.slice(0, 40)}`, envelope.receivedAt);
  if (isNew && arrival.secrets > 0) count(db, 'secrets-scrubbed', envelope.receivedAt, arrival.secrets);
  if (!isNew) count(db, 'duplicate', envelope.receivedAt);
  // A session that was resumed and left again ends with the very same words.
  const isHappening = isNew || event.kind === 'end';
  if (isHappening) advanceSession(db, session, event);
  return { arrival, known: { event, session }, happened: isHappening ? { event, session } : null };
}

/** Under a private prompt, or done by an agent that was started under one. Start and end say nothing of it. */
function isHidden(db: Database, event: SessionEvent, prompt: PromptPlace | null): boolean {
  if (event.kind === 'prompt' || event.kind === 'start' || event.kind === 'end') return false;
  if (event.agentId && isForgotten(db, 'agent', event.agentId)) return true;
  return prompt?.isPrivate === true;
}

/** A background agent goes on under later prompts: it is known by its id. */
function hideAgents(db: Database, event: SessionEvent): void {
  const started = event.kind === 'tool' && event.action.type === 'agent' ? event.action.agentId : null;
  for (const agent of [started, event.agentId]) if (agent) bury(db, 'agent', agent, event.at);
}

function withoutPrivate(db: Database, { event, isPrivate }: EventArrival, session: Session): SessionEvent {
  if (isPrivate) return { ...event, kind: 'prompt', text: '' };
  if (event.kind !== 'compaction') return event;
  // The summary of a compaction is about the whole conversation, with what is private and what was left out.
  if (hasPrivatePrompt(db, session.id) || wasSilenced(db, event.session)) return { ...event, summary: '' };
  return event;
}

function openSession(db: Database, event: SessionEvent, host: string): Session {
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

type PromptEvent = Extract<SessionEvent, { kind: 'prompt' }>;

function keepPrompt(db: Database, session: Session, event: PromptEvent, isPrivate: boolean): void {
  const { promptId, at } = event;
  const text = isPrivate ? '' : event.text;
  // Said while a turn runs, it shares the prompt id of what was said before: that stays.
  const isAlone = promptId !== null && !hasPublicPrompt(db, session.id, promptId);
  const promptNumber = countPrompt(db, session.id, text);
  insertPrompt(db, { sessionId: session.id, promptNumber, promptId, text, isPrivate, at });
  if (isPrivate && isAlone && promptId) forgetPrompt(db, session.id, { promptId, exceptId: event.id });
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
  return event.kind !== 'tool' || !skipTools.includes(event.tool);
}

/** It says what our own tools answered: an agent that used nothing else reports nothing else. */
function isEcho(db: Database, event: SessionEvent, session: Session): boolean {
  if (event.kind === 'subagent') return event.agentId !== null && hasOnlyRecalled(db, session.id, event.agentId);
  if (event.kind !== 'tool') return false;
  if (event.action.type === 'memory') return true;
  const agent = event.action.type === 'agent' ? event.action.agentId : null;
  return agent !== null && hasOnlyRecalled(db, session.id, agent);
}
