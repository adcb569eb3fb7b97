// Starting a worker that outlives whoever needs one. Loaded by the hook when none answers.
import { closeSync, existsSync, lstatSync, mkdirSync, openSync, unlinkSync } from 'node:fs';
import { requireOwnFolders } from '../own-files.ts';
import { type Paths, workerEnvironment } from '../paths.ts';
import { startBun } from '../start-bun.ts';

/** A start that takes longer than this has failed: the next hook may try again. */
const START_MARKER_MS = 3000;

/** Starts a worker that outlives us. Gives back what tells whether it still lives; null when another starts one already. */
export function startWorker(paths: Paths, environment = workerEnvironment(paths.dataDir)): (() => boolean) | null {
  requireOwnFolders(paths);
  mkdirSync(paths.dataDir, { recursive: true, mode: 0o700 });
  if (!claimStart(paths.startMarker)) return null;
  const child = Bun.spawn(startBun(workerProgram()), {
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore'],
    cwd: paths.dataDir,
    env: environment,
  });
  child.unref();
  return () => child.exitCode === null && child.signalCode === null;
}

export const isStarting = ({ startMarker }: Paths): boolean => !isOlderThan(startMarker, START_MARKER_MS);

function claimStart(marker: string): boolean {
  try {
    closeSync(openSync(marker, 'wx', 0o600));
    return true;
  } catch (error) {
    if (!isCode(error, 'EEXIST') || !isOlderThan(marker, START_MARKER_MS)) return false;
  }
  try {
    unlinkSync(marker);
    closeSync(openSync(marker, 'wx', 0o600));
    return true;
  } catch {
    // Another hook was faster: it starts the worker.
    return false;
  }
}

function isOlderThan(path: string, ageMs: number): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  // A mark from the future is as old as one from the past: the clock was set.
  return stat === undefined || Math.abs(Date.now() - stat.mtimeMs) > ageMs;
}

const isCode = (error: unknown, code: string) => error instanceof Error && 'code' in error && error.code === code;

/** Beside us in dist/; in the source tree when run from it. */
function workerProgram(): string {
  const built = `${import.meta.dir}/worker.js`;
  return existsSync(built) ? built : `${import.meta.dir}/../cli/worker.ts`;
}
