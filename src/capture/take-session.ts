// The transcript of one session → the store, the way that hooks go: what is there already is not stored again.
import type { Database } from 'bun:sqlite';
import type { Agent, TranscriptFile, TranscriptReader, TranscriptRecord } from '../agents/agent.ts';
import { AGENTS } from '../agents/agents.ts';
import { SAID } from '../agents/record.ts';
import { type Envelope, WIRE_VERSION } from '../core/envelope.ts';
import { hashParts } from '../core/ids.ts';
import { parseJson } from '../core/plain-json.ts';
import { stripPrivate } from '../core/privacy.ts';
import { nextTurn } from '../core/time.ts';
import { count } from '../store/counters.ts';
import { findSeq, orderEvents } from './events.ts';
import { ingest } from './ingest.ts';
import type { CaptureSettings } from './judge.ts';
import { type EventArrival, readArrival } from './message.ts';
import { renumberPrompts } from './prompts.ts';
import { type FileLine, lineNumberAt, readCompressed, readLines, readWhole } from './read-lines.ts';
import type { WantedTranscript } from './reconcile.ts';
import { findSession as findStored } from './sessions.ts';
import {
  type FoundFile,
  type FoundSession,
  findSession,
  findTranscript,
  isLineStart,
  markBeginning,
  saveTranscript,
  type Transcript,
} from './transcript-files.ts';

type TakeDeps = {
  db: Database;
  options: () => CaptureSettings;
  clock: () => number;
  /** Lets hooks be answered in between. */
  pause: () => Promise<void>;
  /** How much is stored in one transaction. */
  slice?: Slice;
};

type TakeOptions = {
  /** Nothing more will be written: what is open is closed. */
  isOver: boolean;
  /** The session has ended, whether or not anybody said so. */
  isEnd: boolean;
  signal?: AbortSignal;
  onBytes?: (bytes: number) => void;
};

type Taken = {
  /** Events that no hook had delivered. */
  added: number;
  seen: number;
  /** Ours, of the sessions that it is about: mostly one. */
  sessionIds: Set<number>;
  unreadable: Unreadable;
};

/** Lines that nobody can read, and where the first of them stand. */
export type Unreadable = { count: number; lines: { path: string; line: number; why: string }[] };

const MOST_NAMED = 10;

type Slice = { events: number; bytes: number };

/** A few milliseconds: whoever asks the worker waits for it. */
const SLICE: Slice = { events: 50, bytes: 128 * 1024 };

/** One transcript that a hook named, from where the last reading ended; how many events were new. One that is not there says nothing. */
export async function takeTranscript(deps: Omit<TakeDeps, 'pause'>, wanted: WantedTranscript & { signal: AbortSignal }): Promise<number> {
  const { path, host, isOver, signal } = wanted;
  const agent = AGENTS.find(({ name }) => name === host);
  const found = agent && (await findSession(agent, path));
  if (!found) return 0;
  return (await takeSession(found, { ...deps, pause: nextTurn }, { isOver, isEnd: false, signal })).added;
}

export async function takeSession(found: FoundSession, deps: TakeDeps, options: TakeOptions): Promise<Taken> {
  const { db, pause, clock, slice: most = SLICE } = deps;
  const { isOver } = options;
  const { name: agent } = found.host;
  const taken: Taken = { added: 0, seen: 0, sessionIds: new Set(), unreadable: { count: 0, lines: [] } };
  const files = found.files.map((file) => ({ file, known: findTranscript(db, file.path) }));
  if (files.every(({ file, known }) => isDone(file, known, isOver))) return taken;
  const sources = files.map(({ file, known }) => whereToBegin(file, known, isOver));
  const positions = new Map<string, number>();
  const damage: NonNullable<SessionStep['damaged']>[] = [];
  let endless = 0;
  const places: Places = { ofKnown: new Map(), fresh: new Map() };
  let last: TranscriptRecord | null = null;
  let slice: EventArrival[] = [];
  let size = 0;
  const add = (envelope: Envelope) => {
    const arrival = readArrival(envelope);
    if (arrival.kind === 'event') slice.push(arrival);
  };
  for (const { record, bytes, damaged, resume } of readSession(found.host, sources)) {
    if (damaged) taken.unreadable.count++;
    if (damaged?.isEndless) endless++;
    if (damaged && damage.length < MOST_NAMED) damage.push(damaged);
    if (resume) positions.set(resume.path, resume.position);
    options.onBytes?.(bytes);
    if (record) add(envelopeOf(agent, record));
    // An agent's end is not that of its session.
    if (record && !record.payload.agent_id) last = record;
    size += bytes;
    if (slice.length < most.events && size < most.bytes) continue;
    storeSlice(deps, slice, taken, places);
    slice = [];
    size = 0;
    await pause();
    if (options.signal?.aborted) return taken;
  }
  if (options.isEnd && last && taken.seen + slice.length > 0) add(endOf(agent, last));
  storeSlice(deps, slice, taken, places);
  db.transaction(() => {
    for (const [sessionId, seqs] of places.ofKnown) {
      orderEvents(db, seqs);
      if (taken.added > 0) renumberPrompts(db, sessionId);
    }
    if (endless > 0) count(db, 'dropped:no-transcript', clock(), endless);
    for (const { file } of files) saveTranscript(db, describe(agent, file, { position: positions.get(file.path) ?? 0, isOver }), clock());
  }).immediate();
  const lines = damage.map(({ path, position, why }) => ({ path, line: lineNumberAt(path, position), why }));
  return { ...taken, unreadable: { ...taken.unreadable, lines } };
}

/** Nothing is new in it; and if it is over, nothing is left open either. */
const isDone = (file: FoundFile, known: Transcript | null, isOver: boolean) =>
  known !== null && known.size === file.size && known.mtime === Math.trunc(file.mtime) && (!isOver || Boolean(known.isOver));

/** Another file under the same name, or one that was cut, is read from its beginning. */
function whereToBegin(file: FoundFile, known: Transcript | null, isOver: boolean): SourceFile {
  const isOther = known !== null && known.beginning !== '' && known.beginning !== markBeginning(file.path);
  const isSame = known !== null && !isOther && known.size <= file.size && known.position <= file.size;
  // A line that was cut off when it was read last is read as a whole.
  const from = isSame && isLineStart(file.path, known.position) ? known.position : 0;
  return { ...file, from, isOver };
}

const describe = (host: string, file: FoundFile, read: Pick<Transcript, 'position' | 'isOver'>): Transcript => ({
  path: file.path,
  host,
  hostSessionId: file.session ?? '',
  agentId: file.agent?.id ?? null,
  ...read,
  size: file.size,
  mtime: Math.trunc(file.mtime),
  beginning: markBeginning(file.path),
});

type Places = {
  /** Where the events of each session stand that was known before: hooks may have brought them in another order. */
  ofKnown: Map<number, number[]>;
  /** By the agent's id: nothing was known of it when this reading began. */
  fresh: Map<string, boolean>;
};

function storeSlice({ db, options }: TakeDeps, slice: EventArrival[], taken: Taken, { ofKnown, fresh }: Places): void {
  if (slice.length === 0) return;
  const settings = options();
  const keep = (arrival: EventArrival) => {
    const { session } = arrival.event;
    const isFresh = fresh.get(session) ?? findStored(db, session) === null;
    fresh.set(session, isFresh);
    const { known, happened } = ingest(db, arrival, settings);
    if (!known) return [];
    const sessionId = known.session.id;
    // An end is not said by the transcript: it stays where it is.
    const seq = isFresh || known.event.kind === 'end' ? null : findSeq(db, known.event, sessionId);
    return [{ sessionId, isNew: happened !== null, seq }];
  };
  for (const { sessionId, isNew, seq } of db.transaction(() => slice.flatMap(keep)).immediate()) {
    taken.seen++;
    taken.added += Number(isNew);
    taken.sessionIds.add(sessionId);
    if (seq === null) continue;
    const seqs = ofKnown.get(sessionId);
    if (seqs) seqs.push(seq);
    else ofKnown.set(sessionId, [seq]);
  }
}

/**
 * What a transcript says, as the envelope that a hook would have sent. Its id is the same at every reading, also of a copy in a
 * fork. It happened when the record says: pauses are judged by it.
 */
export function envelopeOf(host: string, { command, payload, at }: TranscriptRecord): Envelope {
  const { hook_event_name: name, tool_use_id: tool, prompt_id: prompt, agent_id: agent } = payload;
  const said = [payload.prompt, payload.last_assistant_message, payload.compact_summary].find((text) => typeof text === 'string');
  const asked = payload.told?.askedMark;
  // The same few words may be said twice in a turn.
  const more = [...(name === SAID ? [String(at)] : []), ...(asked === undefined ? [] : [asked])];
  const own = typeof tool === 'string' ? [tool] : [textOf(prompt), textOf(agent), stripPrivate(textOf(said)).text, ...more];
  return {
    id: hashParts(['transcript', host, textOf(name), ...own]),
    v: WIRE_VERSION,
    host,
    event: command,
    receivedAt: at,
    payload,
    isFromTranscript: true,
  };
}

/** A session whose transcript is over has ended, whatever its last line says. */
const endOf = (host: string, { payload: { session_id, cwd }, at }: TranscriptRecord): Envelope => ({
  id: hashParts(['transcript-end', host, session_id, String(at)]),
  v: WIRE_VERSION,
  host,
  event: 'cleanup',
  receivedAt: at,
  payload: { session_id, cwd, hook_event_name: 'SessionEnd', reason: 'transcript', timestamp: at },
  isFromTranscript: true,
});

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

// Everything that the files of one session say, in the order it happened: its own, and those of its subagents.

export type SourceFile = TranscriptFile & {
  /** Where to begin. */
  from: number;
  size: number;
  /** Nothing more will be written to it. */
  isOver: boolean;
};

/** Mostly a record; without one some of a file went by. */
type SessionStep = {
  record: TranscriptRecord | null;
  /** Since the step before, over all files. */
  bytes: number;
  /** A line that nobody can read; `isEndless`: no agent writes such a line, and the rest of its file was not read. */
  damaged?: { path: string; position: number; why: string; isEndless?: boolean };
  /** The last of a file: where a later reading of it must begin. */
  resume?: { path: string; position: number };
};

export const readSession = (host: Agent, files: SourceFile[]): Generator<SessionStep> => merge(files.map((file) => readFile(host, file)));

/** So much is read without a word about it. */
const QUIET_BYTES = 256 * 1024;

function* readFile(host: Agent, file: SourceFile): Generator<SessionStep> {
  const { path, from, size, isOver } = file;
  const lines = open(path, from);
  let reader: TranscriptReader | null = null;
  let told = from;
  const step = (record: TranscriptRecord | null, position: number): SessionStep => {
    const bytes = Math.max(0, position - told);
    told += bytes;
    return { record, bytes };
  };
  for (const { text, position, isEndless, isLost, isLast } of lines) {
    // What is said only once stands in the first line, wherever this reading begins.
    if (text !== '') reader ??= host.createReader(file, position === 0 ? text : firstLine(path));
    const records = text === '' ? [] : (reader?.read(text, position) ?? []);
    for (const record of records) yield step(record, position);
    // What says something was readable; most of the rest is of no use, and some of it damaged.
    const isDamaged = !(isLast && !isOver) && (isLost || (text !== '' && records.length === 0 && parseJson(text) === undefined));
    if (isEndless) yield { ...step(null, position), damaged: { path, position, why: ENDLESS, isEndless } };
    else if (isDamaged) yield { ...step(null, position), damaged: { path, position, why: NO_JSON } };
    else if (text === '' || position - told >= QUIET_BYTES) yield step(null, position);
  }
  for (const record of reader?.finish(isOver) ?? []) yield { record, bytes: 0 };
  yield { ...step(null, size), resume: { path, position: reader?.resumeAt() ?? from } };
}

function open(path: string, from: number): Iterable<FileLine> {
  if (path.endsWith('.zst')) return readCompressed(path);
  return path.endsWith('.json') ? readWhole(path) : readLines(path, from);
}

const NO_JSON = 'it is no JSON';
const ENDLESS = 'it is longer than 64 MB, and nothing after it was read';

/** It is read at once. */
const MOST_FIRST = 8 * 1024 * 1024;

function firstLine(path: string): string {
  for (const { text, position } of readLines(path)) if (text !== '' || position > MOST_FIRST) return text;
  return '';
}

/** By time; at one moment the earlier stream goes first. Within a stream the order of its file holds, whatever its clock says. */
function* merge(streams: Generator<SessionStep>[]): Generator<SessionStep> {
  const [only] = streams;
  if (only && streams.length === 1) return yield* only;
  const heads = streams.map((stream) => ({ stream, step: stream.next() }));
  for (;;) {
    let first: (typeof heads)[number] | null = null;
    for (const head of heads) {
      if (head.step.done) continue;
      if (!first || timeOf(head.step.value) < timeOf(first.step.value)) first = head;
    }
    if (!first || first.step.done) return;
    yield first.step.value;
    first.step = first.stream.next();
  }
}

/** What says nothing is passed over at once. */
const timeOf = (step: SessionStep | undefined) => step?.record?.at ?? 0;
