// Verified copies of memory.db in backups/: made by a process of its own, looked through before they count, and deleted
// when they are many.
import { lstatSync, mkdirSync, rmSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { findProgram } from '../child-program.ts';
import type { RunJob } from '../core/job.ts';
import { formatSize } from '../core/text.ts';
import { listFolder, sizeOf } from '../own-files.ts';
import { homeDir, type Paths } from '../paths.ts';
import { startBun } from '../start-bun.ts';
import type { Answers, Order } from './child.ts';
import { type Copy, listAside, prune, removeDatabase, stampOf } from './swap.ts';

const NAME = /^memory-(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)\.db$/;
/** A copy reads one moment of the database, and until it has ended the log can only grow. */
const MOST_LOG_BYTES = 256 * 1024 * 1024;
const LOOK_MS = 200;

/** The newest first; regular files only. Their times are in their names: a file that is moved to another disk gets another one. */
export function listCopies({ backups }: Pick<Paths, 'backups'>): Copy[] {
  return listFolder(backups)
    .flatMap((name) => {
      const [, ...parts] = NAME.exec(name) ?? [];
      if (parts.length === 0) return [];
      const [year = 0, month = 1, ...rest] = parts.map(Number);
      const path = `${backups}/${name}`;
      const stat = lstatSync(path, { throwIfNoEntry: false });
      return stat?.isFile() ? [{ path, at: Date.UTC(year, month - 1, ...rest), size: stat.size }] : [];
    })
    .sort((a, b) => b.at - a.at);
}

type CopyOptions = {
  /** Where to; into backups/ unless said. */
  target?: string;
  onProgress?: (done: number, total: number) => void;
  signal?: AbortSignal;
};

/** Beside a worker or without one. Rejects when there is no room, when the log grows too long meanwhile, and when the copy is not sound. */
export async function makeCopy(paths: Paths, { target, onProgress, signal }: CopyOptions = {}): Promise<Copy> {
  const at = Math.floor(Date.now() / 1000) * 1000;
  const path = target ?? `${paths.backups}/memory-${stampOf(new Date(at))}.db`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const stop = new AbortController();
  const watch = setInterval(() => {
    const obstacle = signal?.aborted ? 'The worker ends.' : findObstacle(paths, path);
    if (obstacle) stop.abort(new Error(`The backup was given up. ${obstacle}`));
    onProgress?.(sizeOf(`${path}.part`), sizeOf(paths.database));
  }, LOOK_MS);
  try {
    const obstacle = findObstacle(paths, path);
    if (obstacle) throw new Error(`No backup can be made. ${obstacle}`);
    await runChild({ kind: 'copy', database: paths.database, target: path }, stop.signal);
  } finally {
    clearInterval(watch);
    rmSync(`${path}.part`, { force: true });
  }
  if (target === undefined) prune(paths, listCopies(paths));
  return { path, at, size: sizeOf(path) };
}

export const runBackup =
  (paths: Paths): RunJob =>
  async (_, { report, signal }) => {
    const onProgress = (done: number, total: number) =>
      report({ step: done >= total ? 'checking the copy' : 'copying', done, total, unit: 'bytes', counts: {} });
    const { path, size } = await makeCopy(paths, { onProgress, signal });
    return [`Copied and verified: ${path} (${formatSize(size)}).`];
  };

const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;

/** Why none can be made just now, and what to do; null when one can. */
export function findObstacle({ database }: Paths, path: string): string | null {
  const { bavail, bsize } = statfsSync(dirname(path));
  const [free, needed, log] = [bavail * bsize, sizeOf(database) * 2, sizeOf(`${database}-wal`)];
  if (free < needed) return `${megabytes(needed)} must be free in ${dirname(path)}, and ${megabytes(free)} are. Make room there.`;
  if (log > MOST_LOG_BYTES) return `Too much is written just now: the log has ${megabytes(log)}. Try again later.`;
  return null;
}

/** What has gone from the database is still in a copy that is just being made: whoever makes it fails, and tries again later. */
export function dropUnfinished({ backups }: Pick<Paths, 'backups'>): void {
  for (const name of listFolder(backups)) if (name.endsWith('.part')) rmSync(`${backups}/${name}`, { force: true });
}

/** All but one, and what repairs and restores have put aside. */
export function dropCopies(paths: Paths, except: string | null): void {
  for (const path of listAll(paths)) if (path !== except) removeDatabase(path);
}

export const listAll = (paths: Paths): string[] => [...listCopies(paths).map(({ path }) => path), ...listAside(paths)];

export const NO_FILE = 'it is a link, or something else that is no regular file';

/** By itself, not by what it leads to. */
export const isRegular = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

// The process that copies, checks and repairs (dist/backup.js): asked once, answers once, at low priority.

type Said<K extends Order['kind']> = { result: Answers[K] } | { error: string };

/** Its order goes by its own channel: what is forgotten must not stand in a list of processes. Rejects with what the process says. */
export async function runChild<K extends Order['kind']>(order: Extract<Order, { kind: K }>, signal?: AbortSignal): Promise<Answers[K]> {
  const said = Promise.withResolvers<Said<K>>();
  const child = Bun.spawn(startBun(findProgram(import.meta.dir, 'backup')), {
    env: { HOME: homeDir() },
    stdio: ['ignore', 'ignore', 'ignore'],
    ipc: (answer: Said<K>) => said.resolve(answer),
    onExit: (_child, code, killedBy) => said.resolve({ error: `The process ended (${killedBy ?? `code ${code}`}).` }),
  });
  const end = () => child.kill('SIGKILL');
  signal?.addEventListener('abort', end);
  child.send(order);
  const answer = await said.promise;
  // It has nothing more to do, and waits for this so that its answer comes before its end.
  end();
  await child.exited;
  signal?.removeEventListener('abort', end);
  if (signal?.aborted) throw signal.reason;
  if ('error' in answer) throw new Error(answer.error);
  return answer.result;
}
