// Whether a worker could keep anything: asked before one is started, which could only die where nobody sees it.
import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { describeForeign } from '../own-files.ts';
import type { Paths } from '../paths.ts';

export function requireWritable(paths: Paths): void {
  const problem = describeUnwritable(paths);
  if (problem !== null) throw new Error(problem);
}

/** What is in the way and what to do about it. Null when nothing is. */
export function describeUnwritable(paths: Paths): string | null {
  return describeForeign(paths) ?? describeLocked(paths);
}

function describeLocked({ dataDir, ownerLock, database, logs }: Paths): string | null {
  const place = nearest(dataDir);
  const say = (why: string, first: string) =>
    `The data dir ${dataDir} cannot be written to${why}. ${first}, or set CLAUDE_MEM_DATA_DIR to a folder that is.`;
  if (!isFolder(place)) return say(`: ${place} is not a folder`, 'Move that away');
  // A folder that can be written to may hold what another user made: the root who ran it once.
  const locked = [place, ownerLock, database, logs].find((path) => isThere(path) && !isWritable(path));
  if (locked === undefined) return null;
  return locked === dataDir ? say('', 'Make it writable') : say(`: ${locked} is read-only`, 'Make that writable');
}

/** The data dir, or as long as it is not there, the folder that it would be made in. */
function nearest(path: string): string {
  const above = dirname(path);
  return isThere(path) || above === path ? path : nearest(above);
}

const isThere = (path: string) => look(path) !== null;
const isFolder = (path: string) => look(path)?.isDirectory() === true;

function look(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    // Not there, behind a file, or not for us to see.
    return null;
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    // That is the answer.
    return false;
  }
}
