// Runs what a person asked for, one job at a time, beside everything else. A job that a dead worker left is taken up again.
import type { Database } from 'bun:sqlite';
import { dirname } from 'node:path';
import { AskError } from '../core/ask-error.ts';
import { type CheckJob, type JobControl, type JobKind, NO_PROGRESS, type RunJob } from '../core/job.ts';
import { isPassing } from '../core/passing-fault.ts';
import type { Job, JobProgress, JobStatus } from '../core/shapes/job.ts';
import { isoTime } from '../core/time.ts';
import type { Log } from '../log.ts';
import { readRoom, sizeOf } from '../own-files.ts';
import type { Paths } from '../paths.ts';
import { openBeside } from '../search/index-db.ts';
import { countDocuments, scourWords } from '../store/documents.ts';
import { emptyLog } from '../store/erasing.ts';
import { vacuumStore } from '../store/page-sums.ts';

type JobsDeps = {
  db: Database;
  kinds: Record<JobKind, RunJob>;
  checks?: Partial<Record<JobKind, CheckJob>>;
  log: Log;
  clock: () => number;
};

type Running = { id: number; abort: AbortController; progress: JobProgress; isCancelled: boolean; end: Promise<void> };
type Ended = Extract<JobStatus, 'done' | 'failed' | 'cancelled'>;

/** Stored now and then: a worker that dies loses a second of its bar, not of its work. */
const NOTE_MS = 1000;
const RETRY_MS = 200;
const KEPT_MS = 30 * 86_400_000;
/** Other kinds begin from the beginning. */
const GOES_ON = new Set<JobKind>(['import', 'rebuild']);
const OF_THE_REST = 'It was interrupted and resumed: these numbers are of what was left.';
const ENDS = { done: 'it is done', failed: 'it failed', cancelled: 'it was cancelled' };

export class Jobs {
  readonly #deps: JobsDeps;
  #running: Running | null = null;
  #isClosed = false;

  constructor(deps: JobsDeps) {
    this.#deps = deps;
  }

  hasWork = () => this.#running !== null;

  /** Throws for what can be seen to be wrong at once: whoever asks hears it, and no failed job is left. */
  start(kind: JobKind, parameters: unknown): Job {
    const { db, checks, clock } = this.#deps;
    checks?.[kind]?.(parameters);
    const at = clock();
    // Old ones say nothing to anybody.
    db.query("DELETE FROM jobs WHERE status NOT IN ('waiting','running') AND created_at_epoch < ?").run(at - KEPT_MS);
    const { lastInsertRowid } = db
      .query(
        `INSERT INTO jobs (kind, parameters, status, progress, created_at, created_at_epoch)
         VALUES ($kind, $parameters, 'waiting', $progress, $iso, $at)`,
      )
      .run({ kind, parameters: JSON.stringify(parameters), progress: JSON.stringify(NO_PROGRESS), iso: isoTime(at), at });
    this.resume();
    return this.read(Number(lastInsertRowid));
  }

  /** Ends it soon; what it did stays. Throws when it has ended already. */
  cancel(id: number): Job {
    const { status } = this.read(id);
    if (status !== 'waiting' && status !== 'running')
      throw new AskError('conflict', `Job ${id} has ended already: ${ENDS[status]}.`, '`claude-mem jobs` lists them.');
    if (this.#running?.id === id) {
      this.#running.isCancelled = true;
      this.#running.abort.abort();
    } else this.#end(id, 'cancelled', null, null);
    return this.read(id);
  }

  /** As it is now: fresher than what is stored. */
  read(id: number): Job {
    const row = this.#deps.db.query<Row, [number]>(`${SELECT} WHERE id = ?`).get(id);
    if (!row) throw new AskError('unknown', `There is no job ${id}.`, '`claude-mem jobs` lists them.');
    return this.#show(row);
  }

  list({ limit, offset }: { limit: number; offset: number }) {
    const { db } = this.#deps;
    const rows = db.query<Row, [number, number]>(`${SELECT} ORDER BY id DESC LIMIT ? + 0 OFFSET ?`).all(limit, offset);
    const total = db.query<{ n: number }, []>('SELECT count(*) AS n FROM jobs').get()?.n ?? 0;
    return { jobs: rows.map((row) => this.#show(row)), total, limit, offset };
  }

  #show(row: Row): Job {
    const job = fromRow(row);
    return this.#running?.id === job.id ? { ...job, status: 'running', progress: this.#running.progress } : job;
  }

  /** Takes up the next one, also what an earlier worker left. */
  resume = () => {
    const next = this.#running || this.#isClosed ? null : nextJob(this.#deps.db);
    if (!next) return;
    const job = { id: next.id, abort: new AbortController(), progress: NO_PROGRESS, isCancelled: false, end: Promise.resolve() };
    this.#running = job;
    job.end = this.#run(job, next).finally(() => {
      this.#running = null;
      this.resume();
    });
  };

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#running?.abort.abort();
    await this.#running?.end;
  }

  async #run(job: Running, { kind, parameters, isBegun }: NextJob): Promise<void> {
    const { kinds, log } = this.#deps;
    const { signal } = job.abort;
    let notedAt = performance.now();
    const note = (progress: JobProgress) => {
      notedAt = performance.now();
      this.#note(job.id, progress);
    };
    const report = (progress: JobProgress) => {
      job.progress = progress;
      if (performance.now() - notedAt >= NOTE_MS) note(progress);
    };
    note({ ...NO_PROGRESS, step: 'starting' });
    try {
      const said = await kinds[kind](parameters, { report, signal, pause, isResumed: isBegun });
      note(job.progress);
      const result = isBegun && GOES_ON.has(kind) ? [...said, OF_THE_REST] : said;
      if (!signal.aborted || job.isCancelled) await this.#finish(job, signal.aborted ? 'cancelled' : 'done', result, null);
    } catch (error) {
      if (this.#isClosed) return;
      const isTheirs = error instanceof AskError;
      if (!isTheirs) log.error('a job failed', { job: job.id, kind, error: error instanceof Error ? error.stack : String(error) });
      const reason = isTheirs ? [error.message, error.hint].filter(Boolean).join(' ') : String(error);
      await this.#finish(job, job.isCancelled ? 'cancelled' : 'failed', null, reason);
    }
  }

  #note(id: number, progress: JobProgress): void {
    try {
      this.#deps.db.query("UPDATE jobs SET status = 'running', progress = ? WHERE id = ?").run(JSON.stringify(progress), id);
    } catch (error) {
      // The database is busy with the job itself: the next report says more.
      if (!isPassing(error)) throw error;
    }
  }

  /** How it ended is not lost to a full or locked database: a worker that is closed meanwhile leaves it to the next. */
  async #finish({ id }: Running, status: Ended, result: string[] | null, error: string | null): Promise<void> {
    for (;;) {
      try {
        return this.#end(id, status, result, error);
      } catch (fault) {
        if (!isPassing(fault) || this.#isClosed) throw fault;
        await Bun.sleep(RETRY_MS);
      }
    }
  }

  #end(id: number, status: Ended, result: string[] | null, error: string | null): void {
    const { db, clock } = this.#deps;
    const end = db.query('UPDATE jobs SET status = ?, result = ?, error = ?, ended_at_epoch = ? WHERE id = ?');
    end.run(status, result && JSON.stringify(result), error, clock(), id);
  }
}

/** Whoever waits comes first: also what arrived on a socket meanwhile. */
const pause = () => new Promise<void>((resolve) => setImmediate(resolve));

type NextJob = { id: number; kind: JobKind; parameters: unknown; isBegun: boolean };

/** The first that waits, or was left by a worker that ended: it is run again and repeats nothing. */
function nextJob(db: Database): NextJob | null {
  const row = db.query<Row, []>(`${SELECT} WHERE status IN ('waiting','running') ORDER BY id LIMIT 1`).get();
  return row && { id: row.id, kind: row.kind, parameters: JSON.parse(row.parameters), isBegun: row.status === 'running' };
}

type Row = Omit<Job, 'parameters' | 'progress' | 'result'> & { parameters: string; progress: string; result: string | null };

const SELECT = `SELECT id, kind, parameters, status, progress, result, error, created_at_epoch AS createdAt,
  ended_at_epoch AS endedAt FROM jobs`;

// Written by the class above and nobody else.
const fromRow = (row: Row): Job => ({
  ...row,
  parameters: JSON.parse(row.parameters),
  progress: JSON.parse(row.progress),
  result: row.result === null ? null : JSON.parse(row.result),
});

// The job that gives back disk: pages that nothing uses any more go, in the memory and in its index.

type VacuumDeps = {
  db: Database;
  paths: Pick<Paths, 'database' | 'indexDatabase'>;
  log: Log;
  /** Bytes that are free in a folder; another one for tests. */
  freeBytes?: (folder: string) => number;
};

/** SQLite writes all of it twice: a copy beside it, and then the log. */
const ROOM = 2.2;
const PAGES = 8;
/** From here on it takes seconds. */
const LARGE = 500e6;

export function runVacuum({ db, paths, log, freeBytes = (folder) => readRoom(folder).bytes }: VacuumDeps): RunJob {
  return async (_parameters, control) => {
    const started = performance.now();
    const before = sizesOf(paths);
    requireRoom(Math.max(before.memory, before.index) * ROOM, freeBytes(dirname(paths.database)));
    await mergeWords(db, control);
    if (control.signal.aborted) return ['Nothing was made smaller.'];
    const wait = before.memory > LARGE ? ', which takes seconds; what happens meanwhile waits in the offline queue' : '';
    await say(control, `packing memory.db (${megabytes(before.memory)} MB)${wait}`, 1);
    vacuumStore(db, dirname(paths.database));
    if (!emptyLog(db)) log.warn('the log of the database could not be emptied after a vacuum; the next quiet time will');
    await say(control, 'packing index.db', 2);
    const problem = before.index > 0 ? vacuumIndex(paths) : null;
    const after = sizesOf(paths);
    log.info('vacuum', { before, after, ms: Math.round(performance.now() - started) });
    const lines = [`memory.db  ${change(before.memory, after.memory)}`];
    if (before.index > 0) lines.push(`index.db   ${problem ?? change(before.index, after.index)}`);
    return lines;
  };
}

/** In small steps, as long as nothing else has to wait for it. */
async function mergeWords(db: Database, control: JobControl): Promise<void> {
  const counts = { documents: countDocuments(db) };
  for (let isWhole = false; !isWhole && !control.signal.aborted; ) {
    isWhole = db.transaction(() => scourWords(db, PAGES)).immediate();
    await say(control, 'merging the index of words', 0, counts);
  }
}

/** Somebody may be watching: it is said before everything stands still. */
async function say({ report, pause }: JobControl, step: string, done: number, counts = {}): Promise<void> {
  report({ step, done, total: 3, unit: 'rows', counts });
  await pause();
}

/** Vectors can be made again: what stands in the way is told, and nothing depends on it. */
function vacuumIndex({ indexDatabase }: Pick<Paths, 'indexDatabase'>): string | null {
  const index = openBeside(indexDatabase);
  try {
    vacuumStore(index, dirname(indexDatabase));
    emptyLog(index);
    return null;
  } catch (error) {
    return `was left as it is: ${error instanceof Error ? error.message : String(error)}`;
  } finally {
    index.close();
  }
}

function requireRoom(needed: number, free: number): void {
  if (free >= needed) return;
  const missing = `There is not enough room on the disk: ${megabytes(needed)} MB are needed for a while, ${megabytes(free)} MB are free.`;
  throw new AskError('conflict', missing, 'Nothing was changed. Make room, or move the data dir to another disk.');
}

const withLog = (path: string) => sizeOf(path) + sizeOf(`${path}-wal`);
const sizesOf = ({ database, indexDatabase }: VacuumDeps['paths']) => ({ memory: withLog(database), index: withLog(indexDatabase) });

const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);
const change = (before: number, after: number) => `${megabytes(before)} MB → ${megabytes(after)} MB`;
