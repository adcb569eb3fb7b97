// The transcript of one session → the store, through the door that hooks use: what is there already is not stored again.
import type { Database } from 'bun:sqlite';
import type { SessionEvent } from '../../core/event.ts';
import type { TranscriptRecord } from '../../hosts/transcript.ts';
import { lineNumberAt } from '../../importer/read-lines.ts';
import { type Damage, readSession, type SourceFile } from '../../importer/session-records.ts';
import { type FoundSession, isLineStart, markBeginning } from '../../importer/transcript-files.ts';
import { count } from '../../store/counters.ts';
import { findSeq, orderEvents } from '../../store/events/event-order.ts';
import { renumberPrompts } from '../../store/sessions/renumber-prompts.ts';
import { findSession as findStored } from '../../store/sessions/sessions.ts';
import { findTranscript, saveTranscript, type Transcript } from '../../store/sessions/transcripts.ts';
import { type EventArrival, readArrival } from '../intake/arrival.ts';
import { ingest } from '../intake/ingest.ts';
import type { DoorSettings } from '../silence/leave-out.ts';
import { endOf, envelopeOf } from './transcript-envelope.ts';

export type TakeDeps = {
  db: Database;
  options: () => DoorSettings;
  clock: () => number;
  /** Lets hooks be answered in between. */
  pause: () => Promise<void>;
  /** How much is stored in one transaction. */
  slice?: Slice;
};

export type TakeOptions = {
  /** Nothing more will be written: what is open is closed. */
  isOver: boolean;
  /** The session has ended, whether or not anybody said so. */
  isEnd: boolean;
  /** Also what was read before. */
  isAnew?: boolean;
  signal?: AbortSignal;
  onBytes?: (bytes: number) => void;
};

export type Taken = {
  /** Events that no hook had delivered. */
  added: number;
  seen: number;
  /** Ours, of the sessions that it is about: mostly one. */
  sessionIds: Set<number>;
  unreadable: Unreadable;
};

/** Lines that nobody can read, and where the first of them stand. */
export type Unreadable = { count: number; lines: { path: string; line: number; why: string }[] };

type Slice = { events: number; bytes: number };

/** A few milliseconds: whoever asks the worker waits for it. */
const SLICE: Slice = { events: 50, bytes: 128 * 1024 };

export async function takeSession(found: FoundSession, deps: TakeDeps, options: TakeOptions): Promise<Taken> {
  const { db, pause, slice: most = SLICE } = deps;
  const unreadable: Unreadable = { count: 0, lines: [] };
  const taken: Taken = { added: 0, seen: 0, sessionIds: new Set(), unreadable };
  const files = found.files.map((file) => ({ file, known: findTranscript(db, file.path) }));
  if (!options.isAnew && files.every(({ file, known }) => isDone(file, known, options.isOver))) return taken;
  const sources = files.map(({ file, known }) => whereToBegin(file, options.isAnew ? null : known, options.isOver));
  const { steps, resumeAt, damage } = readSession(found.host, sources);
  const places: Places = { ofKnown: new Map(), fresh: new Map() };
  let last: TranscriptRecord | null = null;
  let slice: EventArrival[] = [];
  let size = 0;
  const store = () => {
    storeSlice(deps, slice, taken, places);
    slice = [];
    size = 0;
  };
  for (const { record, bytes } of steps) {
    options.onBytes?.(bytes);
    if (record) {
      // An agent's end is not that of its session.
      if (!record.payload.agent_id) last = record;
      const arrival = readArrival(envelopeOf(found.host.name, record));
      if (arrival.kind === 'event') slice.push(arrival);
    }
    size += bytes;
    if (slice.length < most.events && size < most.bytes) continue;
    store();
    await pause();
    if (options.signal?.aborted) return taken;
  }
  if (options.isEnd && last && taken.seen + slice.length > 0) {
    const end = readArrival(endOf(found.host.name, last));
    if (end.kind === 'event') slice.push(end);
  }
  store();
  db.transaction(() => {
    for (const [sessionId, seqs] of places.ofKnown) {
      orderEvents(db, seqs);
      if (taken.added > 0) renumberPrompts(db, sessionId);
    }
    if (damage().endless > 0) count(db, 'dropped:no-transcript', deps.clock(), damage().endless);
    for (const { file } of files)
      saveTranscript(
        db,
        describe(found, file, { position: resumeAt().get(file.path) ?? 0, isOver: options.isOver }),
        deps.clock(),
      );
  }).immediate();
  return { ...taken, unreadable: nameLines(damage()) };
}

const nameLines = ({ count: lines, lines: first }: Damage): Unreadable => ({
  count: lines,
  lines: first.map(({ path, position, why }) => ({ path, line: lineNumberAt(path, position), why })),
});

type Found = FoundSession['files'][number];

/** Nothing is new in it; and if it is over, nothing is left open either. */
const isDone = (file: Found, known: Transcript | null, isOver: boolean) =>
  known !== null &&
  known.size === file.size &&
  known.mtime === Math.trunc(file.mtime) &&
  (!isOver || Boolean(known.isOver));

/** Another file under the same name, or one that was cut, is read from its beginning. */
function whereToBegin(file: Found, known: Transcript | null, isOver: boolean): SourceFile {
  const isOther = known !== null && known.beginning !== '' && known.beginning !== markBeginning(file.path);
  const isSame = known !== null && !isOther && known.size <= file.size && known.position <= file.size;
  // A line that was cut off when it was read last is read as a whole.
  const from = isSame && isLineStart(file.path, known.position) ? known.position : 0;
  return { ...file, from, isOver };
}

const describe = (found: FoundSession, file: Found, read: Pick<Transcript, 'position' | 'isOver'>): Transcript => ({
  path: file.path,
  host: found.host.name,
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
  /** By the host's id: nothing was known of it when this reading began. */
  fresh: Map<string, boolean>;
};

function storeSlice(deps: TakeDeps, slice: EventArrival[], taken: Taken, places: Places): void {
  if (slice.length === 0) return;
  const { db } = deps;
  const options = deps.options();
  const results = db
    .transaction(() =>
      slice.map((arrival) => {
        const { session } = arrival.event;
        const isFresh = places.fresh.get(session) ?? findStored(db, session) === null;
        places.fresh.set(session, isFresh);
        const { known, happened } = ingest(db, arrival, options);
        if (!known) return null;
        const sessionId = known.session.id;
        const seq = isFresh ? null : findPlace(db, known.event, sessionId);
        return { sessionId, isNew: happened !== null, seq };
      }),
    )
    .immediate();
  for (const result of results) {
    if (!result) continue;
    taken.seen++;
    taken.added += Number(result.isNew);
    taken.sessionIds.add(result.sessionId);
    if (result.seq === null) continue;
    const seqs = places.ofKnown.get(result.sessionId);
    if (seqs) seqs.push(result.seq);
    else places.ofKnown.set(result.sessionId, [result.seq]);
  }
}

/** An end is not said by the transcript: it stays where it is. */
const findPlace = (db: Database, event: SessionEvent, sessionId: number) =>
  event.kind === 'end' ? null : findSeq(db, event, sessionId);
