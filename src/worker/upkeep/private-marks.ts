// The marks that hooks leave of private prompts: needed as long as their session goes on.
import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { type PrivateTimes, readTimes, sessionMark } from '../../core/private-mark.ts';

const WEEK_MS = 7 * 86_400_000;

/** The session has ended: nothing more comes of its turns. And others that never said so, a week after. */
export function clearMarks(folder: string, session: string, now: number): void {
  const mark = sessionMark(session);
  for (const name of list(folder)) {
    const stat = lstatSync(`${folder}/${name}`, { throwIfNoEntry: false });
    const isOld = stat !== undefined && now - stat.mtimeMs > WEEK_MS;
    if (isOld || name.startsWith(mark)) rmSync(`${folder}/${name}`, { force: true });
  }
}

/** Null where hooks have marked nothing of a session. */
export function readPrivateTimes(folder: string, session: string): PrivateTimes | null {
  const isMarked = lstatSync(`${folder}/${sessionMark(session)}`, { throwIfNoEntry: false }) !== undefined;
  return isMarked ? readTimes(list(folder), session) : null;
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Nobody has marked anything.
    return [];
  }
}
