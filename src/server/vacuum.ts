// The job that gives back disk: pages that nothing uses any more go, in the memory and in its index.
import type { Database } from 'bun:sqlite';
import { dirname } from 'node:path';
import { AskError } from '../core/ask-error.ts';
import type { JobControl, RunJob } from '../core/job.ts';
import type { Log } from '../log.ts';
import { readRoom, sizeOf } from '../own-files.ts';
import type { Paths } from '../paths.ts';
import { openBeside } from '../search/index-db.ts';
import { countDocuments, scourWords } from '../store/documents.ts';
import { emptyLog } from '../store/erasing.ts';
import { vacuumStore } from '../store/page-sums.ts';

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
