// Looks after the open database: notes how far it is, copies its log to it in time, and hears of every statement that met damage.
import type { Database, Statement } from 'bun:sqlite';
import { statSync } from 'node:fs';
import type { Log } from '../log.ts';
import type { Paths } from '../paths.ts';
import { isDamage } from '../store/open.ts';
import { checkpoint, dataVersion, keepSums, readLog, syncLog } from '../store/page-sums.ts';
import { type Compared, compareMark, keepIds, openMark, readMark, takeMark } from './damage.ts';

type Keeper = {
  /** What the mark of before says of the database as it was opened. */
  compared: Compared;
  /** Every page was looked at. `isForeign`: another program has written them as they are. */
  onChecked: (isForeign: boolean) => void;
  /** The last one to use the connection: empties the log and closes the database. */
  close: () => void;
};

type KeeperDeps = { db: Database; paths: Paths; log: Log; onDamage: (what: string) => void };

const LOOK_MS = 500;
/** 32 MB of log. */
const MOST_FRAMES = 8000;
/** What it shrinks to when it begins anew. */
const LOG_BYTES = 64 * 1024 * 1024;

export function createKeeper({ db, paths, log, onDamage }: KeeperDeps): Keeper {
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
      if (sums.noticeForeign()) log.warn('another program writes to the database');
      const { log: frames, checkpointed } = readLog(db);
      if (frames - checkpointed > MOST_FRAMES) checkpoint(db, 'PASSIVE');
      // An importing process does not wait for the disk; what the mark says must be there.
      if (dataVersion(db) !== version) syncLog(wal);
      version = dataVersion(db);
    }
    if (isKept) write(true);
  };
  const timer = setInterval(() => {
    try {
      look();
    } catch (error) {
      // The disk is full, or the database is locked: the next look comes soon. Damage was heard of already.
      log.debug('the mark of the database could not be written', { error: String(error) });
    }
  }, LOOK_MS);
  if (isKept) write(true);
  return {
    compared,
    onChecked(isForeign) {
      if (isForeign) sums?.forget();
      if (compared.kind !== 'suspect' || !isForeign) return;
      isKept = true;
      write(true);
    },
    close() {
      clearInterval(timer);
      try {
        checkpoint(db, 'TRUNCATE');
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
