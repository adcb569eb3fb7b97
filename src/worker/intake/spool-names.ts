// The names in the spool: `TIME-ID.json`, with a mark of what became of it, and those that begin with a dot, which are not whole yet.
import { lstatSync, opendirSync, readdirSync, unlinkSync } from 'node:fs';

/** `X.json`, or `X.try1.json` after a worker ended at it once. */
export function readTries(name: string): { times: number } {
  return { times: Number(/\.try(\d)\.json$/.exec(name)?.[1] ?? 0) };
}

export const plainName = (name: string) => name.replace(/\.(?:try\d|failed)\.json$/, '.json');
export const withMark = (name: string, mark: string) => plainName(name).replace(/\.json$/, `.${mark}.json`);

/** Oldest first: the name begins with the time of arrival. Removes what a killed hook left half written. */
export function listSpooled(folder: string, now: number): string[] {
  const names = readdirSync(folder);
  for (const name of names) if (name.startsWith('.')) removeOrphan(`${folder}/${name}`, now);
  return names.filter((name) => name.endsWith('.json') && !name.startsWith('.')).sort();
}

/** Without reading all of it. */
export function holdsMore(folder: string, few: number): boolean {
  const entries = opendirSync(folder);
  try {
    for (let read = 0; read <= few; read++) if (entries.readSync() === null) return false;
    return true;
  } finally {
    entries.closeSync();
  }
}

/** A hook lives for seconds. */
const ORPHAN_MS = 120_000;
/** After so long its number may be another's. */
const OLD_MS = 3_600_000;

function removeOrphan(path: string, now: number): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  const age = stat ? now - stat.mtimeMs : 0;
  const pid = Number(/\.json\.(\d+)$/.exec(path)?.[1]);
  if (age > OLD_MS || (age > ORPHAN_MS && pid > 0 && !isAlive(pid))) unlinkSync(path);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's is alive, too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
