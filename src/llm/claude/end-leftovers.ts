// Ends a child that a killed worker left behind: the very one, never another process that got its number.
import { readFileSync } from 'node:fs';
import { OBSERVER_VARIABLE } from './command.ts';

/** True when it was there and was killed. Only Linux lets us read whose it is; elsewhere it is left to end by itself. */
export function endLeftover({ pid, mark }: { pid: number; mark: string }): boolean {
  try {
    if (!readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`${OBSERVER_VARIABLE}=${mark}`))
      return false;
    // Its whole group: child.ts gave it one of its own.
    process.kill(-pid, 'SIGKILL');
    return true;
  } catch {
    // Gone, another user's, or no Linux: nothing of ours to end.
    return false;
  }
}
