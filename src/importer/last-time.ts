// When something happened last in a transcript, by what stands at its end: the time of a copied file says nothing.
import { closeSync, openSync, readSync } from 'node:fs';

/** The last lines may be long, and say nothing of time. */
const TAILS = [8 * 1024, 128 * 1024];
const TIME = /"(?:timestamp|lastUpdated)":\s*"(\d{4}-\d\d-\d\dT[\d:.]{8,12}Z)"/g;

export function readLastAt({ path, size, mtime }: { path: string; size: number; mtime: number }): number {
  for (const tail of TAILS) {
    const at = newestIn(readTail(path, size, tail));
    // Nothing in it can be later than the file itself.
    if (at !== null) return Math.min(at, mtime);
    if (tail >= size) break;
  }
  return mtime;
}

function newestIn(text: string): number | null {
  const times = [...text.matchAll(TIME)].map(([, time]) => Date.parse(time ?? '')).filter((at) => at > 0);
  return times.length > 0 ? Math.max(...times) : null;
}

function readTail(path: string, size: number, length: number): string {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(Math.min(length, size));
    return bytes.toString('latin1', 0, readSync(file, bytes, 0, bytes.length, Math.max(0, size - length)));
  } finally {
    closeSync(file);
  }
}
