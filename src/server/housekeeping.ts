// What a worker does now and then: let go of what is old or big, and notice that it may end.

import type { Database } from 'bun:sqlite';
import { lstatSync, readFileSync, rmSync } from 'node:fs';
import type { Guard } from '../backup/guard.ts';
import { expirePayloads } from '../capture/events.ts';
import type { Ingested } from '../capture/ingest.ts';
import { readQueue } from '../capture/queue.ts';
import { interruptSilentSessions } from '../capture/sessions.ts';
import type { Config } from '../config.ts';
import { type PrivateTimes, readTimes, sessionMark } from '../core/envelope.ts';
import { codeOf } from '../core/passing-fault.ts';
import { beginRescan, endRescan, rescanSlice } from '../forget/rescan.ts';
import type { Log } from '../log.ts';
import { expireTold } from '../memory/injections.ts';
import { listFolder, writeOwnFile } from '../own-files.ts';
import type { Paths } from '../paths.ts';
import { hashRules } from '../secrets/compile.ts' with { type: 'macro' };
import { scrubSecrets } from '../secrets/scrub.ts';
import { count } from '../store/counters.ts';
import { scourWords } from '../store/documents.ts';
import { checkpoint, type Mode } from '../store/page-sums.ts';

const TICK_MS = 10_000;
const DAY_MS = 86_400_000;
/** So long the exact words that a session was told can be shown again. */
const TOLD_DAYS = 30;
/** After so long without an event, disk and memory that the last ones took are given back. */
const QUIET_MS = 10_000;
/** The allocator returns pages some time after they were freed: once is not enough. */
const GIVE_BACK_TIMES = 3;
/** A worker that was busy keeps memory that no collection gives back: after so long without an event a new one takes its place. */
const WORN_MS = 25_000;
const WORN_BYTES = 80e6;
export const WORN = 'it takes more memory than a new one';

type HousekeepingDeps = {
  db: Database;
  /** False when the database was moved away from under us. */
  isOurs: () => boolean;
  config: () => Config;
  log: Log;
  clock: () => number;
  quietMs: () => number;
  connections: () => number;
  /** Something waits for the model that it will be asked without anybody's help. */
  hasQuestions: () => boolean;
  /** Lets go of what is older or more than the settings allow, a little at a time; true while there is more. */
  retain: () => boolean;
  /** Checks and copies the database when that is due. */
  guard: Pick<Guard, 'onQuiet' | 'hasWork'>;
  onDone: (reason: string) => void;
  isReplaceable: boolean;
};

export function startHousekeeping(deps: HousekeepingDeps): { close: () => void } {
  const { db, isOurs, config, log, clock, quietMs, connections, hasQuestions, retain, guard, onDone, isReplaceable } = deps;
  // Time as it passed since the start: one wrong setting of the clock must not expire anything.
  const [startedAt, startedTick] = [clock(), performance.now()];
  let timesGivenBack = 0;

  const tidy = () => {
    if (!isOurs()) return onDone('the database was moved away');
    const now = Math.min(clock(), startedAt + performance.now() - startedTick);
    db.transaction(() => {
      interruptSilentSessions(db, now - DAY_MS);
      expireTold(db, now - TOLD_DAYS * DAY_MS);
    }).immediate();
    if (!isLettingGo) letGo(now);
    // What goes on in the background leaves garbage, too: given back while it does, and once more after it.
    if (quietMs() < QUIET_MS || hasQuestions()) timesGivenBack = 0;
    // While somebody else writes, the log is not emptied: it would be copied without a sum of its pages.
    if (quietMs() >= QUIET_MS && timesGivenBack++ < GIVE_BACK_TIMES) giveBack(db, hasQuestions() ? 'PASSIVE' : 'TRUNCATE');
    if (quietMs() >= QUIET_MS && !hasQuestions()) guard.onQuiet();
    const isIdle = quietMs() > config().idleMinutes * 60_000;
    if (!isIdle && !isWorn()) return;
    const isFree = connections() === 0 && !hasQuestions() && !guard.hasWork() && readQueue(db, clock()).depth === 0;
    if (isFree) onDone(isIdle ? 'idle' : WORN);
  };
  // One that has had nothing to do since its start is as small as it gets.
  const isWorn = () => isReplaceable && quietMs() > WORN_MS && clock() - quietMs() > startedAt && process.memoryUsage.rss() > WORN_BYTES;

  let isClosed = false;
  let isLettingGo = false;
  /** Some at a time: hooks are answered in between. */
  const letGo = (now: number) => {
    const hasExpired = expirePayloads(db, now - config().retentionDays * DAY_MS) > 0;
    isLettingGo = (retain() || hasExpired) && !isClosed;
    if (isLettingGo) setImmediate(() => attempt(() => letGo(now)));
  };

  const attempt = (work: () => void) => {
    try {
      if (!isClosed) work();
    } catch (error) {
      // The database is locked or full: the next round comes soon. That somebody else is writing is no fault.
      isLettingGo = false;
      log[codeOf(error).startsWith('SQLITE_BUSY') ? 'info' : 'error']('housekeeping failed', { error: String(error) });
    }
  };

  const timer = setInterval(() => attempt(tidy), TICK_MS);
  return {
    close: () => {
      isClosed = true;
      clearInterval(timer);
    },
  };
}

/** Most of what a busy worker holds is the write-ahead log, SQLite's page cache and garbage. */
function giveBack(db: Database, mode: Mode): void {
  checkpoint(db, mode);
  db.run('PRAGMA shrink_memory');
  Bun.gc(true);
  Bun.shrink();
}

const WEEK_MS = 7 * 86_400_000;

/** The session has ended: nothing more comes of its turns. And others that never said so, a week after. */
export function clearMarks(folder: string, session: string, now: number): void {
  const mark = sessionMark(session);
  for (const name of listFolder(folder)) {
    const stat = lstatSync(`${folder}/${name}`, { throwIfNoEntry: false });
    const isOld = stat !== undefined && now - stat.mtimeMs > WEEK_MS;
    if (isOld || name.startsWith(mark)) rmSync(`${folder}/${name}`, { force: true });
  }
}

/** Null where hooks have marked nothing of a session. */
export function readPrivateTimes(folder: string, session: string): PrivateTimes | null {
  const isMarked = lstatSync(`${folder}/${sessionMark(session)}`, { throwIfNoEntry: false }) !== undefined;
  return isMarked ? readTimes(listFolder(folder), session) : null;
}

// Scans the store, its index and the logs again for secrets when the rules have changed: in the background, and on after a crash. The
// backups follow when it is done (backup/guard.ts).

type RescanDeps = {
  db: Database;
  paths: Pick<Paths, 'logs' | 'spool'>;
  log: Log;
  clock: () => number;
  onChanged: () => void;
};

const RULES = hashRules();
const SLICE_MS = 5;
/** Hooks and questions are answered in between. */
const PAUSE_MS = 10;
/** A full or locked disk: the next try. */
const RETRY_MS = 10_000;
const PAGES = 50;

export function createRescan({ db, paths, log, clock, onChanged }: RescanDeps) {
  let timer: Timer | null = null;
  let step: 'begin' | 'rows' | 'words' = 'begin';
  let rows = 0;
  let isLeft = false;
  let files: number | null = null;

  const later = (ms: number) => {
    timer = setTimeout(attempt, ms);
  };
  const attempt = () => {
    timer = null;
    try {
      if (!work()) later(PAUSE_MS);
    } catch (error) {
      log.error('the scan for secrets failed, and is tried again', { error: String(error) });
      later(RETRY_MS);
    }
  };
  const work = (): boolean => {
    if (step === 'begin') {
      const begun = beginRescan(db, RULES);
      isLeft = begun === 'left';
      step = 'rows';
      return begun === null;
    }
    if (step === 'rows') {
      const slice = rescanSlice(db, SLICE_MS);
      rows += slice.rows;
      for (const kind of slice.found) count(db, `rescrubbed:${kind}`, clock());
      if (slice.rows > 0) onChanged();
      if (slice.isDone) step = 'words';
      return false;
    }
    // A word that was deleted stays in its page until that is written anew.
    if ((rows > 0 || isLeft) && !scourWords(db, PAGES)) return false;
    files ??= cleanFiles(paths);
    // As long as somebody reads, the old bytes stay in the log.
    if (!checkpoint(db, 'TRUNCATE')) return false;
    endRescan(db);
    log.info('scanned again for secrets, by new rules', { rows, files });
    return true;
  };

  return {
    /** Begins, or goes on with what a worker before left. */
    start: attempt,
    hasWork: () => timer !== null,
    close() {
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
}

/** Logs, and events that were set aside. Returns how many were changed. */
function cleanFiles({ logs, spool }: Pick<Paths, 'logs' | 'spool'>): number {
  const changed = [logs, `${spool}/bad`].flatMap((folder) =>
    listFolder(folder).filter((name) => {
      const path = `${folder}/${name}`;
      const text = readFileSync(path, 'utf8');
      const scrubbed = scrubSecrets(text);
      if (scrubbed.found.length === 0) return false;
      writeOwnFile(path, scrubbed.text);
      return true;
    }),
  );
  return changed.length;
}

// Has the page of the next session written when the last one is over: once its turns are processed and no hook waits.

type PreparingDeps = {
  prepare: (cwd: string) => Promise<void>;
  /** Since a hook was heard. */
  quietMs: () => number;
  log: Log;
};

const LULL_MS = 1000;
/** Its last turn is processed within seconds; what is stored for hours is an import. */
const MOST_TIMES = 3;

export function createPreparing({ prepare, quietMs, log }: PreparingDeps) {
  let next: { cwd: string; left: number } | null = null;
  let timer: Timer | null = null;
  let writing: Promise<void> = Promise.resolve();

  function run(): void {
    timer = null;
    if (next && quietMs() >= LULL_MS) {
      next.left--;
      writing = prepare(next.cwd).catch((error) =>
        log.error('the page of the next session could not be written', { error: String(error) }),
      );
    } else wake();
  }

  /** Something was stored: the page may be another. */
  function wake(): void {
    if (next && next.left > 0) timer ??= setTimeout(run, LULL_MS);
  }

  return {
    note({ happened }: Ingested): void {
      if (happened?.event.kind === 'prompt') next = null;
      if (happened?.event.kind !== 'end') return;
      next = { cwd: happened.event.cwd, left: MOST_TIMES };
      wake();
    },
    wake,
    close: async () => {
      next = null;
      if (timer) clearTimeout(timer);
      await writing;
    },
  };
}
