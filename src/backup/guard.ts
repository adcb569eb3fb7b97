// The worker's care for memory.db: whole before it is opened, checked and copied while nobody needs the processor, and
// said when it is damaged.
import type { Database, Statement } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { isRescanning } from '../forget/rescan.ts';
import type { Log } from '../log.ts';
import { sizeOf } from '../own-files.ts';
import type { Paths } from '../paths.ts';
import { readPiece } from '../regular-file.ts';
import { areCopies, clearCopies } from '../store/erasing.ts';
import { MIGRATIONS } from '../store/migrations/index.ts';
import { isDamage, openStore, StoreError } from '../store/open.ts';
import { checkpoint, dataVersion, keepSums, readLog, syncLog } from '../store/page-sums.ts';
import { dropCopies, listCopies, makeCopy, runChild } from './copies.ts';
import {
  compareMark,
  describeDamage,
  keepIds,
  type Noted,
  noteDamage,
  openMark,
  readDamage,
  readMark,
  rememberStore,
  sayRepaired,
  takeMark,
} from './damage.ts';
import { clearRepaired, readRepaired, settleSwap } from './swap.ts';

export type Guard = Awaited<ReturnType<typeof openGuarded>>;

type GuardDeps = {
  paths: Paths;
  log: Log;
  clock: () => number;
  /** How long ago somebody asked for something. */
  quietMs: () => number;
  /** Damage was found that may be repaired before the next start. */
  onDone: (reason: string) => void;
};

/** Hooks that started the worker, and what they woke, come first. */
const FIRST_CHECK_MS = 2000;
const QUIET_MS = 1000;
const LATEST_CHECK_MS = 60_000;
const DAY_MS = 86_400_000;
/** Those who wait are told before the worker ends. */
const ANSWER_MS = 1000;

/** Opens the database; rejects when it cannot be used. What arrives meanwhile is kept by the hooks. */
export async function openGuarded({ paths, log, clock, quietMs, onDone }: GuardDeps) {
  settleSwap(paths);
  await mend(paths, log);
  await copyBeforeMigration(paths, log);
  const db = await openOrMend(paths, log);
  const isOurs = rememberStore(paths);
  const onDamage = (what: string, noted?: Noted) => {
    if (!isOurs()) return;
    if (!noteDamage(paths, [what], noted)) return;
    log.error('the database is damaged', { what });
    // By the next start it may be repaired; a worker that has tried goes on with what can be read.
    if (readDamage(paths)?.isTried === false) setTimeout(() => onDone('the database is damaged'), ANSWER_MS);
  };
  const keeper = createKeeper({ db, paths, log, onDamage: (what) => onDamage(what) });
  // No repair by itself can bring it back: a person hears of it first.
  if (keeper.compared.kind === 'lost') onDamage(keeper.compared.what, { isTried: true, lost: keeper.compared.lost });
  const stop = new AbortController();
  let work: Promise<void> | null = null;
  let checkedAt = 0;

  const check = async (isDeep: boolean) => {
    const verdict = await runChild({ kind: 'check', paths, isDeep }, stop.signal);
    checkedAt = clock();
    keeper.onChecked(verdict.isForeign);
    for (const what of verdict.damage) onDamage(what);
  };
  const isOld = () => Math.abs(clock() - (listCopies(paths)[0]?.at ?? 0)) >= DAY_MS;
  // What may still hold a secret that the rules know by now is not copied.
  const isCopyDue = () => !isRescanning(db) && (areCopies(db, 'stale') || areCopies(db, 'unscanned') || isOld());
  const lookAfter = async () => {
    await check(true);
    if (readDamage(paths) || !isCopyDue()) return;
    const isStale = areCopies(db, 'stale');
    const { path, size } = await makeCopy(paths, { signal: stop.signal });
    log.info('made a backup', { path, size });
    if (isStale) dropCopies(paths, path);
    if (isStale) clearCopies(db, 'stale');
    if (!areCopies(db, 'unscanned')) return;
    const dropped = await runChild({ kind: 'scan', paths }, stop.signal);
    clearCopies(db, 'unscanned');
    if (dropped > 0) log.info('deleted backups that held secrets', { dropped });
  };
  const start = (task: () => Promise<void>) => {
    work ??= task()
      .catch((error) => {
        if (!stop.signal.aborted) log.warn('the database could not be looked after', { error: String(error) });
      })
      .finally(() => {
        work = null;
      });
  };
  const openedAt = clock();
  const checkFirst = () => {
    const isBusy = quietMs() < QUIET_MS && clock() - openedAt < LATEST_CHECK_MS;
    if (isBusy) timer = setTimeout(checkFirst, QUIET_MS);
    else start(() => check(false));
  };
  let timer = setTimeout(checkFirst, FIRST_CHECK_MS);
  let triedAt = 0;
  return {
    db,
    /** Whether the file is still the one that is open: the folder may have been moved away, and another worker be at work in its place. */
    isOurs,
    /** A line for the person who starts a session: damage, or that it was repaired, until that was heard; '' when all is well. */
    notice(isHeard: boolean): string {
      const damage = readDamage(paths);
      if (damage) return `${describeDamage(damage)} `;
      const repaired = readRepaired(paths);
      if (isHeard && repaired.length > 0) clearRepaired(paths);
      return repaired.map((report) => `${sayRepaired(report)} `).join('');
    },
    /** Nobody has asked for anything for a while: what is due is done. */
    onQuiet() {
      const isDue = clock() - checkedAt >= DAY_MS || isCopyDue();
      if (!isDue || checkedAt === 0 || clock() - triedAt < RETRY_MS || readDamage(paths)) return;
      triedAt = clock();
      start(lookAfter);
    },
    hasWork: () => work !== null,
    async close() {
      clearTimeout(timer);
      stop.abort(new Error('the worker ends'));
      await work;
      keeper.close();
    },
  };
}

/** After a failure, such as a full disk. */
const RETRY_MS = 3_600_000;

/** Known damage is repaired when nothing is lost by it. Whether it was. */
async function mend(paths: Paths, log: Log): Promise<boolean> {
  const damage = readDamage(paths);
  if (!damage || damage.isTried) return false;
  try {
    const report = await runChild({ kind: 'repair', paths, onlyIfWhole: true });
    if (report.isWhole) {
      log.warn('the database was damaged and is repaired', report);
      return true;
    }
    log.error('a repair of the database would lose rows, and waits for a person', report);
  } catch (error) {
    log.error('the database could not be repaired', { error: String(error) });
  }
  noteDamage(paths, [], { isTried: true });
  return false;
}

async function openOrMend(paths: Paths, log: Log): Promise<Database> {
  try {
    return openStore(paths.database);
  } catch (error) {
    if (!isUnreadable(error) || !statSync(paths.birthMark, { throwIfNoEntry: false })) throw error;
    noteDamage(paths, [`it cannot be opened: ${error instanceof Error ? error.message : String(error)}`]);
    if (!(await mend(paths, log))) throw error;
    return openStore(paths.database);
  }
}

export const isUnreadable = (error: unknown) =>
  isDamage(error) || (error instanceof StoreError && (error.kind === 'foreign' || error.kind === 'empty'));

/** A step that turns out to be a mistake can be taken back. */
async function copyBeforeMigration(paths: Paths, log: Log): Promise<void> {
  const schema = readSchemaInFile(paths.database);
  if (schema === 0 || schema >= (MIGRATIONS.at(-1)?.version ?? 0)) return;
  try {
    const { path } = await makeCopy(paths);
    log.info('made a backup before the schema changes', { path, schema });
  } catch (error) {
    // Each step of a migration is one transaction: without a copy it is as safe as it was before there were any.
    log.warn('the schema changes without a backup', { error: String(error) });
  }
}

/** 0: there is none yet. The file may be behind its log: to ask SQLite would cost more than a needless copy now and then. */
function readSchemaInFile(database: string): number {
  return sizeOf(database) < 64 ? 0 : readPiece(database, 64).readUInt32BE(60);
}

/** Looks after the open database: notes how far it is, copies its log to it in time, and hears of every statement that met damage. */
type KeeperDeps = { db: Database; paths: Paths; log: Log; onDamage: (what: string) => void };

/** How often it is looked whether something was written, and while much is: a log that stays small is written over, and need not grow. */
const LOOK_MS = 250;
const BUSY_LOOK_MS = 50;
const BUSY_FRAMES = 1000;
/** 32 MB of log: a copy holds hooks up for as long as the disk takes, and with fewer of them most pages are written once. */
const MOST_FRAMES = 8000;
/** What it shrinks to when it begins anew. */
const LOG_BYTES = 64 * 1024 * 1024;
/** Half a gigabyte; whoever told the worker to end waits. */
const FILL_MS = 200;

function createKeeper({ db, paths, log, onDamage }: KeeperDeps) {
  watchStatements(db, (error) => onDamage(`SQLite says: ${error.message}`));
  const wal = `${paths.database}-wal`;
  const before = readMark(paths.mark);
  const file = openMark(paths.mark);
  const write = (hasLog: boolean) => {
    const mark = takeMark(db, paths.database);
    file.write(hasLog ? mark : { ...mark, log: null });
  };
  // The log is about to begin anew: what the mark says of it does not hold any more.
  const sums = keepSums(db, paths.database, paths.pageSums, () => {
    if (isKept) write(false);
  });
  db.run(`PRAGMA journal_size_limit = ${LOG_BYTES}`);
  const compared = compareMark(before, takeMark(db, paths.database), paths.database, sums ? readLog(db).log : 0);
  // The mark of one that has lost something, or may have, stays: until that is known or repaired, it tells.
  let isKept = compared.kind === 'same';
  if (before && compared.kind === 'lost') keepIds(db, before.last);
  let seen = '';
  let version = dataVersion(db);

  const look = () => {
    const stat = statSync(wal, { throwIfNoEntry: false });
    const now = `${stat?.size} ${stat?.mtimeMs}`;
    if (now !== seen) note();
    else sums?.fill();
    seen = now;
  };
  const note = () => {
    if (sums) {
      noticeForeign();
      // An importing process does not wait for the disk; what the mark says must be there.
      if (dataVersion(db) !== version) syncLog(wal);
      version = dataVersion(db);
    }
    if (isKept) write(true);
  };
  const noticeForeign = () => {
    if (sums?.noticeForeign()) log.warn('another program writes to the database');
  };
  const relieve = (): boolean => {
    if (!sums) return false;
    const { log: frames, checkpointed } = readLog(db);
    const waiting = frames - checkpointed;
    if (waiting > MOST_FRAMES) {
      noticeForeign();
      checkpoint(db, 'PASSIVE');
      if (isKept) write(true);
    }
    return waiting > BUSY_FRAMES;
  };
  let [lookedAt, timer] = [performance.now(), setTimeout(() => tick(), LOOK_MS)];
  const tick = () => {
    const isDue = performance.now() - lookedAt >= LOOK_MS;
    let isBusy = false;
    try {
      if (isDue) look();
      isBusy = relieve();
    } catch (error) {
      // The disk is full, or the database is locked: the next look comes soon. Damage was heard of already.
      log.debug('the mark of the database could not be written', { error: String(error) });
    }
    if (isDue) lookedAt = performance.now();
    timer = setTimeout(tick, isBusy ? BUSY_LOOK_MS : LOOK_MS);
  };
  if (isKept) write(true);
  /** Damage to a page without a sum is not seen by the next check. */
  const fillSums = () => {
    const end = performance.now() + FILL_MS;
    while (sums?.fill() === false && performance.now() < end);
  };
  return {
    /** What the mark of before says of the database as it was opened. */
    compared,
    /** Every page was looked at. `isForeign`: another program has written them as they are. */
    onChecked(isForeign: boolean) {
      if (isForeign) sums?.forget();
      if (compared.kind !== 'suspect' || !isForeign) return;
      isKept = true;
      write(true);
    },
    /** The last one to use the connection: empties the log and closes the database. */
    close() {
      clearTimeout(timer);
      try {
        if (checkpoint(db, 'TRUNCATE')) fillSums();
        if (isKept) write(true);
      } catch (error) {
        // The next one to open it copies what is in the log; damage was heard of already.
        log.warn('the log of the database could not be emptied', { error: String(error) });
      } finally {
        db.close(true);
        sums?.close();
        file.close();
      }
    },
  };
}

const METHODS = ['get', 'all', 'values', 'run', 'iterate'] as const;

const WATCHED = Symbol('watched');
type Watchable = Statement & { [WATCHED]?: true } & Record<string, (...args: unknown[]) => unknown>;

/** Whoever asked hears of it as before; many of them go on without an answer. An event asks ten times, so this must cost little. */
function watchStatements(db: Database, onDamage: (error: Error) => void): void {
  const hear = <Args extends unknown[], Result>(work: (...args: Args) => Result) =>
    function (this: unknown, ...args: Args): Result {
      try {
        return work.apply(this, args);
      } catch (error) {
        if (isDamage(error)) onDamage(error as Error);
        throw error;
      }
    };
  const query = hear(db.query);
  db.query = function (this: Database, sql: string) {
    const statement = query.call(this, sql) as unknown as Watchable;
    if (statement[WATCHED] === undefined) watch(statement);
    return statement;
  } as typeof db.query;
  const watch = (statement: Watchable) => {
    statement[WATCHED] = true;
    for (const method of METHODS) {
      const own = statement[method];
      if (own) (statement as Record<string, unknown>)[method] = hear(own);
    }
  };
  db.run = hear(db.run);
}
