// Puts another database into the place of memory.db. Killed at any moment, the next process that works with it goes on
// where this one ended.
import { Database } from 'bun:sqlite';
import { closeSync, existsSync, fsyncSync, linkSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { readOwnFile, writeOwnFile } from '../own-files.ts';
import type { Paths } from '../paths.ts';
import { writeSums } from '../store/page-sums.ts';
import { clearDamage } from './damage.ts';

type Plan = { fresh: string; aside: string };

/** So many of those that were replaced are kept. */
const KEPT = 3;
const ASIDE = /^replaced-[\d-]+\.db$/;

const planOf = ({ dataDir }: Paths) => `${dataDir}/memory.swap`;
/** Where the new one is made. */
export const freshPath = ({ dataDir }: Paths) => `${dataDir}/memory.fresh`;

const lockOf = ({ dataDir }: Paths) => `${dataDir}/memory.lock`;
/** So long another process may take to make one. */
const PATIENCE_MS = 600_000;

/** One at a time, also when the worker that asked for it has died meanwhile: the kernel frees the lock with its holder. */
export function alone<T>(paths: Paths, work: () => T): T {
  const lock = new Database(lockOf(paths), { create: true });
  try {
    lock.run(`PRAGMA busy_timeout = ${PATIENCE_MS}`);
    lock.run('BEGIN IMMEDIATE');
    finishSwap(paths);
    const result = work();
    rmSync(lockOf(paths), { force: true });
    return result;
  } finally {
    lock.close();
  }
}

/** Before memory.db is opened: what a repair or a restore was killed at is brought to its end, and one that still runs is waited for. */
export function settleSwap(paths: Paths): void {
  if (existsSync(lockOf(paths)) || existsSync(planOf(paths))) alone(paths, () => undefined);
}

/** `fresh` is whole and nobody has it or memory.db open. Returns where the old one is kept. */
export function swapIn(paths: Paths, at: Date): string {
  mkdirSync(paths.backups, { recursive: true, mode: 0o700 });
  const plan = { fresh: freshPath(paths), aside: `${paths.backups}/replaced-${stampOf(at)}.db` };
  syncFile(plan.fresh);
  writeOwnFile(planOf(paths), JSON.stringify(plan));
  syncFile(planOf(paths));
  syncFile(paths.dataDir);
  finishSwap(paths);
  return plan.aside;
}

function finishSwap(paths: Paths): void {
  if (!existsSync(planOf(paths))) return;
  const plan: Plan = JSON.parse(readOwnFile(planOf(paths)));
  if (existsSync(plan.fresh)) replace(paths, plan);
  writeSums(paths.database, paths.pageSums);
  rmSync(paths.mark, { force: true });
  writeOwnFile(paths.birthMark, '');
  clearDamage(paths);
  rmSync(planOf(paths), { force: true });
  for (const path of listAside(paths).slice(0, -KEPT)) removeDatabase(path);
}

/** The log goes before the new one comes: SQLite would take it for that one's. */
function replace(paths: Paths, { fresh, aside }: Plan): void {
  for (const suffix of ['', '-wal', '-journal']) keepAside(`${paths.database}${suffix}`, `${aside}${suffix}`);
  for (const suffix of ['-wal', '-shm', '-journal']) rmSync(`${paths.database}${suffix}`, { force: true });
  renameSync(fresh, paths.database);
  syncFile(dirname(paths.database));
}

function keepAside(path: string, aside: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > 0 && !existsSync(aside)) linkSync(path, aside);
}

/** The databases that were replaced, the oldest first. */
export function listAside({ backups }: Pick<Paths, 'backups'>): string[] {
  const names = existsSync(backups) ? readdirSync(backups).filter((name) => ASIDE.test(name)) : [];
  return names.sort().map((name) => `${backups}/${name}`);
}

/** For the name of a file: `20261117-231500`, UTC. */
export const stampOf = (at: Date) => at.toISOString().replace(/[-:]|\..*|(T)/g, (_, hasTime) => (hasTime ? '-' : ''));

/** With what SQLite writes beside it. */
export function removeDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${suffix}`, { force: true });
}

export function syncFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } catch (error) {
    // Some file systems sync no folders.
    if (basename(path).includes('.db')) throw error;
  } finally {
    closeSync(file);
  }
}
