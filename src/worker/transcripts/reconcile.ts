// What no hook delivered is read from the transcript: at the end of a turn and of a session, at the start, and after a silence.
import type { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import type { Log } from '../../log.ts';
import { listLiveTranscripts, listTranscriptsOf, type Transcript } from '../../store/sessions/transcripts.ts';
import type { Ingested } from '../intake/ingest.ts';

export type Reconcile = {
  /** To be called for everything that was stored. */
  note: (ingested: Ingested) => void;
  /** Its transcript is still to be read: nothing of it is distilled before. */
  isBusy: (hostSessionId: string) => boolean;
  /** Somebody else reads it. */
  hold: (hostSessionId: string) => () => void;
  /** Of these sessions somebody wants to know now: whether a turn was interrupted no hook says. */
  readNow: (hostSessionIds: string[]) => void;
  /** Reads what has changed while nobody looked. */
  resume: () => void;
  /** Resolves when nothing is left to read, or the time is up. */
  settle: (budgetMs: number) => Promise<void>;
  hasWork: () => boolean;
  close: () => Promise<void>;
};

export type ReconcileDeps = {
  db: Database;
  /** Reads one, and says how much of it was new. */
  take: (wanted: WantedTranscript & { signal: AbortSignal }) => Promise<number>;
  /** Something came in that no hook had brought. */
  onStored: () => void;
  log: Log;
  clock: () => number;
  sweepMs?: number;
};

/** The host writes its last lines at about the time that it calls the hook. */
const FLUSH_MS = 60;
const SWEEP_MS = 30_000;
/** Nothing was written for so long: what is there can be read. */
const SILENT_MS = 60_000;
const DAY_MS = 86_400_000;
/** A session that was heard of so lately is looked after when a worker starts. */
const KNOWN_MS = 7 * DAY_MS;

export type WantedTranscript = {
  path: string;
  host: string;
  session: string;
  /** Nothing more will be written to it. */
  isOver: boolean;
};

export function createReconcile({ db, take, onStored, log, clock, sweepMs = SWEEP_MS }: ReconcileDeps): Reconcile {
  /** By session; a later wish takes the place of the one that waits. */
  const waiting = new Map<string, WantedTranscript>();
  const held = new Set<string>();
  const abort = new AbortController();
  let reading: string | null = null;
  let running: Promise<void> | null = null;
  let timer: Timer | null = null;

  const run = async () => {
    for (const [session, wanted] of waiting) {
      if (abort.signal.aborted) return;
      if (held.has(session)) continue;
      waiting.delete(session);
      reading = session;
      try {
        await read(wanted);
      } catch (error) {
        // It may be gone, or not ours to read: what hooks brought is there all the same.
        log.warn('a transcript could not be read', { session, error: String(error) });
      }
      reading = null;
    }
  };

  const read = async (wanted: WantedTranscript) => {
    const added = await take({ ...wanted, signal: abort.signal });
    if (added > 0)
      log.info('read from a transcript what no hook had delivered', { session: wanted.session, events: added });
  };

  const start = () => {
    if (timer) clearTimeout(timer);
    timer = null;
    running ??= run().finally(() => {
      running = null;
      if (abort.signal.aborted) return;
      onStored();
      if ([...waiting.keys()].some((session) => !held.has(session))) start();
    });
    return running;
  };

  const want = (wanted: WantedTranscript, delayMs: number) => {
    const before = waiting.get(wanted.session);
    waiting.set(wanted.session, { ...wanted, isOver: wanted.isOver || (before?.isOver ?? false) });
    timer ??= setTimeout(start, delayMs);
  };

  const look = (transcripts: Transcript[], isWanted: (mtime: number) => boolean) => {
    for (const transcript of transcripts) {
      const mtime = changedAt(transcript);
      if (mtime === null || !isWanted(mtime)) continue;
      const { path, host, hostSessionId: session } = transcript;
      want({ path, host, session, isOver: clock() - mtime > DAY_MS }, 0);
    }
  };
  const sweep = setInterval(
    () => look(listLiveTranscripts(db, clock() - DAY_MS), (mtime) => clock() - mtime > SILENT_MS),
    sweepMs,
  );

  return {
    note({ arrival, happened }) {
      if (arrival.kind !== 'event' || !arrival.transcript || !happened || arrival.envelope.isFromTranscript) return;
      const { kind, session } = happened.event;
      if (kind !== 'stop' && kind !== 'end') return;
      const { host } = arrival.envelope;
      want({ path: arrival.transcript, host, session, isOver: kind === 'end' }, FLUSH_MS);
    },
    isBusy: (session) => waiting.has(session) || reading === session || held.has(session),
    hold(session) {
      held.add(session);
      return () => {
        held.delete(session);
        if (waiting.size > 0) start();
      };
    },
    readNow: (sessions) => look(listTranscriptsOf(db, sessions), () => true),
    resume: () => look(listLiveTranscripts(db, clock() - KNOWN_MS), () => true),
    async settle(budgetMs) {
      if (waiting.size === 0 && !running) return;
      await Promise.race([start(), Bun.sleep(budgetMs)]);
    },
    hasWork: () => running !== null || waiting.size > 0,
    async close() {
      clearInterval(sweep);
      if (timer) clearTimeout(timer);
      abort.abort();
      await running;
    },
  };
}

/** Null when it is as it was, or not there. */
function changedAt({ path, size, mtime }: Transcript): number | null {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat || (stat.size === size && Math.trunc(stat.mtimeMs) === mtime)) return null;
  return stat.mtimeMs;
}
