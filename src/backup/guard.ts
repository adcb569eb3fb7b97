// The worker's care for memory.db: whole before it is opened, checked and copied while nobody needs the processor, and
// said when it is damaged.
import type { Database } from 'bun:sqlite';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { areCopies, clearCopies } from '../forget/marks.ts';
import { isRescanning } from '../forget/rescan.ts';
import type { Log } from '../log.ts';
import type { Paths } from '../paths.ts';
import { MIGRATIONS } from '../store/migrations/index.ts';
import { dropNotice, listNotices, takeNotice } from '../store/notices.ts';
import { isDamage, openStore, StoreError } from '../store/open.ts';
import { dropCopies, listCopies, makeCopy } from './copies.ts';
import { describeDamage, type Noted, noteDamage, readDamage, rememberStore } from './damage.ts';
import { createKeeper } from './keeper.ts';
import { runChild } from './process.ts';
import { sayRepaired } from './repair.ts';
import { settleSwap } from './swap.ts';

export type Guard = {
  db: Database;
  /** Whether the file is still the one that is open: the folder may have been moved away, and another worker be at work in its place. */
  isOurs: () => boolean;
  /** A line for the person who starts a session: damage, or that it was repaired, until that was heard; '' when all is well. */
  notice: (isHeard: boolean) => string;
  /** Nobody has asked for anything for a while: what is due is done. */
  onQuiet: () => void;
  hasWork: () => boolean;
  close: () => Promise<void>;
};

export type GuardDeps = {
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
/** However busy it is. */
const LATEST_CHECK_MS = 60_000;
const DAY_MS = 86_400_000;
/** Those who wait are told before the worker ends. */
const ANSWER_MS = 1000;

/** The notice that the memory was repaired, before what is said about it. */
const REPAIRED = 'repaired:';

/** Opens the database; rejects when it cannot be used. What arrives meanwhile is kept by the hooks. */
export async function openGuarded({ paths, log, clock, quietMs, onDone }: GuardDeps): Promise<Guard> {
  settleSwap(paths);
  const mended = [await mend(paths, log)];
  await copyBeforeMigration(paths, log);
  const db = await openOrMend(paths, log, (said) => mended.push(said));
  // Kept until somebody heard it: this worker may end before.
  for (const said of mended.filter(Boolean)) takeNotice(db, `${REPAIRED}${said}`, clock());
  let news = listNotices(db, REPAIRED);
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
    isOurs,
    notice(isHeard) {
      const damage = readDamage(paths);
      if (damage) return `${describeDamage(damage)} `;
      const said = news.join('');
      if (isHeard) {
        for (const each of news) dropNotice(db, `${REPAIRED}${each}`);
        news = [];
      }
      return said;
    },
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

/** Known damage is repaired when nothing is lost by it. Returns what to tell; '' mostly. */
async function mend(paths: Paths, log: Log): Promise<string> {
  const damage = readDamage(paths);
  if (!damage || damage.isTried) return '';
  try {
    const report = await runChild({ kind: 'repair', paths, onlyIfWhole: true });
    if (report.isWhole) {
      log.warn('the database was damaged and is repaired', report);
      return `${sayRepaired(report)} `;
    }
    log.error('a repair of the database would lose rows, and waits for a person', report);
  } catch (error) {
    log.error('the database could not be repaired', { error: String(error) });
  }
  noteDamage(paths, [], { isTried: true });
  return '';
}

async function openOrMend(paths: Paths, log: Log, onMended: (said: string) => void): Promise<Database> {
  try {
    return openStore(paths.database);
  } catch (error) {
    if (!isUnreadable(error) || !statSync(paths.birthMark, { throwIfNoEntry: false })) throw error;
    noteDamage(paths, [`it cannot be opened: ${error instanceof Error ? error.message : String(error)}`]);
    const said = await mend(paths, log);
    if (said === '') throw error;
    onMended(said);
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
  if (!statSync(database, { throwIfNoEntry: false })?.size) return 0;
  const file = openSync(database, 'r');
  try {
    const header = Buffer.alloc(64);
    readSync(file, header, 0, 64, 0);
    return header.readUInt32BE(60);
  } finally {
    closeSync(file);
  }
}
