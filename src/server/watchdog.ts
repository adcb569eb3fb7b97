// Ends a worker that hangs on one event. The kernel does it: a loop that never ends would let no timer of ours run.
import { dlopen, FFIType } from 'bun:ffi';

/** Runs it; if it takes longer than the limit, the process ends by SIGALRM, and the next worker knows what it was at. */
export type Watch = <T>(work: () => T) => T;

/** After so long it is no chance that a worker lives: it may try once more what others ended at. */
export const STABLE_MS = 60_000;

/** No event takes a second; a disk may stall for longer. */
const LIMIT_SECONDS = 30;
const LIBRARIES = process.platform === 'darwin' ? ['libSystem.B.dylib'] : ['libc.so.6', 'libc.so'];

/** Where there is no such clock, nothing is watched. Only for work that does not await. */
export function createWatch(limitSeconds = LIMIT_SECONDS): Watch {
  const alarm = findAlarm();
  let isSet = false;
  const unset = () => {
    isSet = false;
    alarm(0);
  };
  return (work) => {
    // Once for all that comes in one turn of the event loop: two calls of the system for each event would cost as much as reading it.
    if (!isSet) setImmediate(unset);
    if (!isSet) alarm(limitSeconds);
    isSet = true;
    return work();
  };
}

function findAlarm(): (seconds: number) => unknown {
  for (const library of LIBRARIES) {
    try {
      return dlopen(library, { alarm: { args: [FFIType.u32], returns: FFIType.u32 } }).symbols.alarm;
    } catch {
      // Another name, or none: the next one is tried.
    }
  }
  return () => undefined;
}
