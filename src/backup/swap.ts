// Puts another database into the place of memory.db. Killed at any moment, the next process that works with it goes on
// where this one ended.
import { Database } from 'bun:sqlite';
import * as fs from 'node:fs';
import { basename, dirname } from 'node:path';
import { isPassing } from '../core/passing-fault.ts';
import { listFolder, readOwnFile, sizeOf, writeOwnFile } from '../own-files.ts';
import type { Paths } from '../paths.ts';
import { writeSums } from '../store/page-sums.ts';
import { clearDamage, type RepairReport } from './damage.ts';

/** `repaired`: repairs of which nobody has heard, this one the last. In the plan, so that it can be told as soon as the swap is sure. */
type Plan = { fresh: string; aside: string; repaired?: RepairReport[] };

const KEPT = 3;
const ASIDE = /^replaced-[\d-]+\.db$/;

const planOf = ({ dataDir }: Paths) => `${dataDir}/memory.swap`;
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
    fs.rmSync(lockOf(paths), { force: true });
    return result;
  } finally {
    lock.close();
  }
}

/** Before memory.db is opened: what a repair or a restore was killed at is brought to its end, and one that still runs is waited for. */
export function settleSwap(paths: Paths): void {
  if (fs.existsSync(lockOf(paths)) || fs.existsSync(planOf(paths))) alone(paths, () => undefined);
}

/** `fresh` is whole and nobody has it or memory.db open. Returns where the old one is kept. `repair`: what made it, to be told. */
export function swapIn(paths: Paths, at: Date, repair?: RepairReport): string {
  fs.mkdirSync(paths.backups, { recursive: true, mode: 0o700 });
  const aside = `${paths.backups}/replaced-${stampOf(at)}.db`;
  const repaired = repair && [...readRepaired(paths), { ...repair, keptAs: aside }];
  const plan: Plan = { fresh: freshPath(paths), aside, repaired };
  syncFile(plan.fresh);
  writeOwnFile(planOf(paths), JSON.stringify(plan));
  syncFile(planOf(paths));
  syncFile(paths.dataDir);
  finishSwap(paths);
  return plan.aside;
}

function finishSwap(paths: Paths): void {
  if (!fs.existsSync(planOf(paths))) return;
  const plan: Plan = JSON.parse(readOwnFile(planOf(paths)));
  if (fs.existsSync(plan.fresh)) replace(paths, plan);
  removeDatabase(plan.fresh);
  writeSums(paths.database, paths.pageSums);
  fs.rmSync(paths.mark, { force: true });
  writeOwnFile(paths.birthMark, '');
  clearDamage(paths);
  if (plan.repaired) fs.renameSync(planOf(paths), paths.repaired);
  else fs.rmSync(planOf(paths), { force: true });
  for (const path of listAside(paths).slice(0, -KEPT)) removeDatabase(path);
}

/** Repairs of which nobody has heard, the oldest first; one that is still being put in its place counts: nothing stops it any more. */
export function readRepaired(paths: Paths): RepairReport[] {
  for (const path of [planOf(paths), paths.repaired].filter((each) => fs.existsSync(each))) {
    try {
      const { repaired }: Partial<Plan> = JSON.parse(readOwnFile(path));
      if (repaired) return repaired;
    } catch {
      // The plan has just become the other one; of that, that there is such a file says enough.
      if (path === paths.repaired) return [UNREADABLE];
    }
  }
  return [];
}

const UNREADABLE: RepairReport = { tables: {}, backup: null, isWhole: false, keptAs: null };

export function clearRepaired({ repaired }: Paths): void {
  try {
    fs.rmSync(repaired, { force: true });
  } catch (error) {
    // Nothing can be written just now: it is told once more.
    if (!isPassing(error)) throw error;
  }
}

/** The log goes before the new one comes: SQLite would take it for that one's. */
function replace(paths: Paths, { fresh, aside }: Plan): void {
  for (const suffix of ['', '-wal', '-journal']) keepAside(`${paths.database}${suffix}`, `${aside}${suffix}`);
  for (const suffix of ['-wal', '-shm', '-journal']) fs.rmSync(`${paths.database}${suffix}`, { force: true });
  fs.renameSync(fresh, paths.database);
  syncFile(dirname(paths.database));
}

function keepAside(path: string, aside: string): void {
  const size = fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0 || fs.existsSync(aside)) return;
  try {
    fs.linkSync(path, aside);
  } catch {
    // backups/ is on another disk, or its file system knows no links.
    fs.copyFileSync(path, `${aside}.part`);
    syncFile(`${aside}.part`);
    fs.renameSync(`${aside}.part`, aside);
  }
}

/** What was made and is not wanted; not the one that a swap, which failed in the middle and goes on at the next start, still needs. */
export function dropFresh(paths: Paths): void {
  if (!fs.existsSync(planOf(paths))) removeDatabase(freshPath(paths));
}

export function listAside({ backups }: Pick<Paths, 'backups'>): string[] {
  const names = listFolder(backups).filter((name) => ASIDE.test(name));
  return names.sort().map((name) => `${backups}/${name}`);
}

/** For the name of a file: `20261117-231500`, UTC. */
export const stampOf = (at: Date) => at.toISOString().replace(/[-:]|\..*|(T)/g, (_, hasTime) => (hasTime ? '-' : ''));

export function removeDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) fs.rmSync(`${path}${suffix}`, { force: true });
}

export function syncFile(path: string): void {
  const file = fs.openSync(path, 'r');
  try {
    fs.fsyncSync(file);
  } catch (error) {
    // Some file systems sync no folders.
    if (basename(path).includes('.db')) throw error;
  } finally {
    fs.closeSync(file);
  }
}

export type Copy = { path: string; at: number; size: number };

const DAY_MS = 86_400_000;
const [DAILY, WEEKLY] = [7, 4];
const LEAST_BYTES = 500e6;

/** `copies`: the newest first. Of each of the last seven days and four weeks the newest stays, as long as there is room. */
export function prune(paths: Paths, copies: Copy[]): void {
  const newestOf = (unit: number, most: number) =>
    [...new Map(copies.toReversed().map((copy) => [Math.floor(copy.at / unit), copy])).entries()]
      .sort(([a], [b]) => b - a)
      .slice(0, most)
      .map(([, copy]) => copy);
  const chosen = new Set([...newestOf(DAY_MS, DAILY), ...newestOf(7 * DAY_MS, WEEKLY)]);
  let room = Math.max(LEAST_BYTES, 2 * sizeOf(paths.database));
  for (const [at, copy] of copies.entries()) {
    room -= chosen.has(copy) ? copy.size : 0;
    if (at > 0 && (!chosen.has(copy) || room < 0)) fs.rmSync(copy.path, { force: true });
  }
  for (const name of listFolder(paths.backups).filter((one) => one.endsWith('.part'))) {
    const path = `${paths.backups}/${name}`;
    if (Date.now() - fs.lstatSync(path).mtimeMs > DAY_MS) fs.rmSync(path, { force: true });
  }
}
