// What no hook delivered is read from the transcript: at the end of a turn and of a session, at the start, and after a silence.
import type { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import type { Log } from '../log.ts';
import type { Ingested } from './ingest.ts';
import { listLiveTranscripts, listTranscriptsOf, type Transcript } from './transcript-files.ts';

type ReconcileDeps = {
  db: Database;
  /** Reads one, and says how much of it was new. */
  take: (wanted: WantedTranscript & { signal: AbortSignal }) => Promise<number>;
  /** Something came in that no hook had brought. */
  onStored: () => void;
  log: Log;
  clock: () => number;
  sweepMs?: number;
};

/** The agent writes its last lines at about the time that it calls the hook. */
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

export class Reconcile {
  private readonly deps: ReconcileDeps;
  /** By session; a later wish takes the place of the one that waits. */
  private readonly waiting = new Map<string, WantedTranscript>();
  private readonly held = new Set<string>();
  private readonly abort = new AbortController();
  private reading: string | null = null;
  private running: Promise<void> | null = null;
  private timer: Timer | null = null;
  private readonly sweep: Timer;

  constructor(deps: ReconcileDeps) {
    const { db, clock, sweepMs = SWEEP_MS } = deps;
    this.deps = deps;
    const isSilent = (mtime: number) => clock() - mtime > SILENT_MS;
    this.sweep = setInterval(() => this.look(listLiveTranscripts(db, clock() - DAY_MS), isSilent), sweepMs);
  }

  /** To be called for everything that was stored. */
  note({ arrival, happened }: Ingested): void {
    if (arrival.kind !== 'event' || !arrival.transcript || !happened || arrival.envelope.isFromTranscript) return;
    const { kind, session } = happened.event;
    if (kind !== 'stop' && kind !== 'end') return;
    this.want({ path: arrival.transcript, host: arrival.envelope.host, session, isOver: kind === 'end' }, FLUSH_MS);
  }

  /** Its transcript is still to be read: nothing of it is processed before. */
  isBusy(session: string): boolean {
    return this.waiting.has(session) || this.reading === session || this.held.has(session);
  }

  /** Somebody else reads it. */
  hold(session: string): () => void {
    this.held.add(session);
    return () => {
      this.held.delete(session);
      if (this.waiting.size > 0) this.start();
    };
  }

  /** Of these sessions somebody wants to know now: whether a turn was interrupted no hook says. */
  readNow(sessions: string[]): void {
    this.look(listTranscriptsOf(this.deps.db, sessions), () => true);
  }

  /** Reads what has changed while nobody looked. */
  resume(): void {
    const { db, clock } = this.deps;
    this.look(listLiveTranscripts(db, clock() - KNOWN_MS), () => true);
  }

  /** Resolves when nothing is left to read, or the time is up. */
  async settle(budgetMs: number): Promise<void> {
    if (this.hasWork()) await Promise.race([this.start(), Bun.sleep(budgetMs)]);
  }

  hasWork(): boolean {
    return this.running !== null || this.waiting.size > 0;
  }

  async close(): Promise<void> {
    clearInterval(this.sweep);
    if (this.timer) clearTimeout(this.timer);
    this.abort.abort();
    await this.running;
  }

  private look(transcripts: Transcript[], isWanted: (mtime: number) => boolean): void {
    for (const { path, host, hostSessionId: session, size, mtime } of transcripts) {
      const stat = statSync(path, { throwIfNoEntry: false });
      // Not there, or as it was.
      if (!stat || (stat.size === size && Math.trunc(stat.mtimeMs) === mtime) || !isWanted(stat.mtimeMs)) continue;
      this.want({ path, host, session, isOver: this.deps.clock() - stat.mtimeMs > DAY_MS }, 0);
    }
  }

  private want(wanted: WantedTranscript, delayMs: number): void {
    const before = this.waiting.get(wanted.session);
    this.waiting.set(wanted.session, { ...wanted, isOver: wanted.isOver || (before?.isOver ?? false) });
    this.timer ??= setTimeout(() => this.start(), delayMs);
  }

  private start(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    this.running ??= this.run().finally(() => {
      this.running = null;
      if (this.abort.signal.aborted) return;
      this.deps.onStored();
      if ([...this.waiting.keys()].some((session) => !this.held.has(session))) this.start();
    });
    return this.running;
  }

  private async run(): Promise<void> {
    const { take, log } = this.deps;
    const { signal } = this.abort;
    for (const [session, wanted] of this.waiting) {
      if (signal.aborted) return;
      if (this.held.has(session)) continue;
      this.waiting.delete(session);
      this.reading = session;
      try {
        const events = await take({ ...wanted, signal });
        if (events > 0) log.info('read from a transcript what no hook had delivered', { session, events });
      } catch (error) {
        // It may be gone, or not ours to read: what hooks brought is there all the same.
        log.warn('a transcript could not be read', { session, error: String(error) });
      }
      this.reading = null;
    }
  }
}
