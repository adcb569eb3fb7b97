// For programs that tell over HTTP what happens in a session: it becomes the envelope that a hook would send, and goes the same way.
import type { Database } from 'bun:sqlite';
import { type Envelope, type HookCommand, WIRE_VERSION } from '../core/envelope.ts';
import { hashParts } from '../core/ids.ts';
import { cleanPayload } from '../core/payload.ts';
import { stripPrivate } from '../core/privacy.ts';
import { moveSession } from '../projects/merge.ts';
import { ensureMatched, matchProject, projectName } from '../projects/projects.ts';
import { scrubSecrets } from '../secrets/scrub.ts';
import { count } from '../store/counters.ts';
import { isObserverSession } from '../store/model-calls.ts';
import { exists, readAll, readValue } from '../store/read.ts';
import { isForgotten } from '../store/tombstones.ts';
import { type Ingested, ingest } from './ingest.ts';
import type { CaptureSettings } from './judge.ts';
import { readArrival } from './message.ts';
import { countSessionQueue, quarantineEvent } from './queue.ts';
import { ensureSession, failSession, findSession, type Session } from './sessions.ts';
import { findSilence, type SilenceSettings } from './silence.ts';

export type ReportDeps = {
  db: Database;
  config: () => CaptureSettings;
  clock: () => number;
  /** The way of hooks: resolves after the commit, rejects when it could not be stored. */
  take: (envelope: Envelope) => Promise<Ingested>;
};

/** One thing that happened, in the words of Claude Code's hooks. */
export type Said = {
  host: string;
  command: HookCommand;
  /** '' when it is not said. */
  cwd: string;
  /** A name; '' when it is not said. */
  project: string;
  /** As the program counts them. */
  promptNumber: number | null;
  fields: { prompt_id?: string; tool_use_id?: string; timestamp?: string | number; [name: string]: unknown };
};

export type Told = {
  /** Null when it waits, or is known already. `skipped-tool`: kept for the record only. `left-out`: paused, excluded or forgotten. */
  whyNot: 'private' | 'skipped-tool' | 'left-out' | null;
  /** Null when nothing is kept of it. */
  session: Session | null;
  project: string | null;
  promptNumber: number;
  queueLength: number;
};

/** `session` is the agent's id; one that is not known is created. */
export async function tellSession(deps: ReportDeps, session: string, said: Said): Promise<Told> {
  const { db } = deps;
  const envelope = db.transaction(() => envelopeFor(deps, session, said)).immediate();
  if (!envelope) return answerFor(db, session, 'left-out', null);
  return answerFor(db, session, whyNot(db, await deps.take(envelope)), envelope);
}

/** Of a program that says what the user said only when the agent has come to rest: first the prompt, unless it is known. */
export async function tellRest(deps: ReportDeps, session: string, prompt: Said | null, said: Said): Promise<Told> {
  if (prompt && lacksPrompt(deps.db, session, String(prompt.fields.prompt))) await tellSession(deps, session, prompt);
  return tellSession(deps, session, said);
}

/** No prompt came since the last rest. What is said again is known by its words; one that was private counts as a prompt. */
function lacksPrompt(db: Database, name: string, words: string): boolean {
  const session = findSession(db, name);
  if (!session) return true;
  const rested = readValue<number>(db, "SELECT max(prompt_number) FROM events WHERE session_id = ? AND kind = 'stop'", session.id) ?? 0;
  if (session.promptCounter > rested) return false;
  const last = readValue<string>(db, 'SELECT text FROM prompts WHERE session_id = ? ORDER BY prompt_number DESC LIMIT 1', session.id);
  const isRest = readValue<string>(db, 'SELECT kind FROM events WHERE session_id = ? ORDER BY seq DESC LIMIT 1', session.id) === 'stop';
  return !isRest || last?.trim() !== scrubSecrets(stripPrivate(words).text).text.trim();
}

/** For a session by a number that nobody has: kept for whoever looks for it, and processed by nobody. */
export function setAside(deps: ReportDeps, id: number, said: Said): Told {
  const { db, config } = deps;
  const session = `unknown:${id}`;
  const keep = (): Told => {
    const envelope = envelopeFor(deps, session, said);
    if (!envelope) return answerFor(db, session, 'left-out', null);
    const ingested = ingest(db, readArrival(envelope), config());
    if (quarantineEvent(db, envelope.id, `there is no session ${id}`)) count(db, 'quarantined:unknown-session', envelope.receivedAt);
    const row = findSession(db, session);
    if (row) failSession(db, row.id);
    return answerFor(db, session, whyNot(db, ingested), envelope);
  };
  return db.transaction(keep).immediate();
}

/** Null when it is paused. What is told again before anything else happened has the same id, and so is stored once. */
function envelopeFor({ db, config, clock }: ReportDeps, session: string, said: Said): Envelope | null {
  const at = clock();
  const cwd = said.cwd || placeSession(db, config(), { ...said, session, at });
  if (cwd === null) return null;
  const known = findSession(db, session);
  const id = findId(db, said, session, known);
  const promptId = findPromptId(db, said, known) ?? (said.command === 'new' ? id : undefined);
  const payload = { ...withoutFuture(said.fields, at), session_id: session, cwd, prompt_id: promptId };
  return { id, v: WIRE_VERSION, host: said.host, event: said.command, receivedAt: at, payload };
}

function whyNot(db: Database, { arrival, known, happened }: Ingested): Told['whyNot'] {
  if (!known) return happened ? 'private' : 'left-out';
  if (arrival.kind === 'event' && arrival.isPrivate) return 'private';
  const skipped = "SELECT 1 FROM events WHERE id = ? AND kind = 'tool' AND status = 'skipped'";
  return exists(db, skipped, known.event.id) ? 'skipped-tool' : null;
}

function answerFor(db: Database, name: string, reason: Told['whyNot'], envelope: Envelope | null): Told {
  const session = findSession(db, name);
  if (!session) return { whyNot: reason, session, project: null, promptNumber: 0, queueLength: 0 };
  const { prompt_id: promptId } = (envelope?.payload ?? {}) as { prompt_id?: string };
  return {
    whyNot: reason,
    session,
    project: projectName(db, session.projectId),
    promptNumber: (promptId && numberOf(db, session.id, promptId)) || session.promptCounter,
    queueLength: countSessionQueue(db, session.id),
  };
}

type Wanted = { host: string; session: string; project: string; at: number };

/**
 * Where a session belongs whose program names no folder: by the name of its project. '' for one without a place: it is in the store
 * then, in its project. Null when that is paused.
 */
function placeSession(db: Database, settings: SilenceSettings, { host, session, project, at }: Wanted): string | null {
  const known = findSession(db, session);
  if (known) return known.root || settle(db, known, project, at);
  // It is dropped and counted later: nothing of it is to be there, not even that it was.
  if (isForgotten(db, 'session', session) || isObserverSession(db, session)) return '';
  const matched = matchProject(db, project);
  const { identity } = matched;
  if (identity.root !== '') return identity.root;
  const silence = findSilence(db, settings, { session, cwd: '', project: identity, at });
  if (silence) {
    count(db, `dropped:${silence.kind}`, at);
    return null;
  }
  const projectId = ensureMatched(db, matched, at);
  ensureSession(db, { host, hostSessionId: session, projectId, cwd: '', root: '', branch: null, at });
  return '';
}

/** One that began without any name gets the first that is said. */
function settle(db: Database, session: Session, project: string, at: number): string {
  if (project === '') return '';
  const matched = matchProject(db, project);
  if (matched.identity.root !== '') return matched.identity.root;
  const isNowhere = session.projectId === matchProject(db, '').id;
  if (isNowhere) moveSession(db, session.id, { cwd: '', root: '', projectId: ensureMatched(db, matched, at) });
  return '';
}

const DAY_MS = 86_400_000;

/** A clock may be wrong by hours. What is to come has not happened: it would stand before everything else for years. */
function withoutFuture({ timestamp, ...fields }: Said['fields'], at: number): Said['fields'] {
  if (timestamp === undefined) return fields;
  const then = typeof timestamp === 'number' ? timestamp : Date.parse(timestamp);
  return then > at + DAY_MS ? fields : { ...fields, timestamp };
}

function findId(db: Database, { command, promptNumber, fields }: Said, session: string, known: Session | null): string {
  // Without what is private: a hash tells short words to whoever tries them all.
  const words = JSON.stringify(cleanPayload(fields).value);
  const after = (mark: string | number) => hashParts([session, command, String(mark), String(promptNumber ?? ''), words]);
  const own = fields.tool_use_id ?? fields.prompt_id ?? fields.timestamp;
  if (own !== undefined) return after(own);
  if (!known) return after(0);
  // How far the session is, seen from one kind of event: where the last of another kind stands.
  if (command !== 'new') return after(lastOfOthers(db, known.id, KINDS[command]));
  // Whatever was said in between, the same words are said anew.
  const sql = 'SELECT seq, id FROM events WHERE session_id = ? ORDER BY seq DESC LIMIT 2';
  const [last, before] = readAll<{ seq: number; id: string }>(db, sql, known.id);
  const again = after(before?.seq ?? 0);
  return last?.id === again ? again : after(last?.seq ?? 0);
}

const KINDS: Record<HookCommand, string> = { context: 'start', new: 'prompt', save: 'tool', summary: 'stop', cleanup: 'end' };

function findPromptId(db: Database, { command, promptNumber, fields }: Said, session: Session | null): string | null {
  if (fields.prompt_id !== undefined) return fields.prompt_id;
  if (promptNumber === null || !session) return null;
  // Under one prompt the agent may come to rest with the same words twice; of the latest prompt it need not be said.
  if (command === 'summary' && promptNumber >= session.promptCounter) return null;
  const numbered = 'SELECT prompt_id FROM prompts WHERE session_id = ? AND prompt_number = ? ORDER BY id DESC LIMIT 1';
  return readValue(db, numbered, session.id, promptNumber);
}

const numberOf = (db: Database, sessionId: number, promptId: string): number | null =>
  readValue(db, 'SELECT max(prompt_number) FROM prompts WHERE session_id = ? AND prompt_id = ?', sessionId, promptId);

const lastOfOthers = (db: Database, sessionId: number, kind: string): number =>
  readValue(db, 'SELECT max(seq) FROM events WHERE session_id = ? AND kind <> ?', sessionId, kind) ?? 0;
