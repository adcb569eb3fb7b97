// When something happened last in a transcript, by what stands at its end: the time of a copied file says nothing.
import { readPiece } from '../regular-file.ts';

/** The last lines may be long, and say nothing of time. */
const TAILS = [8 * 1024, 128 * 1024];
const TIME = /"(?:timestamp|lastUpdated)":\s*"(\d{4}-\d\d-\d\dT[\d:.]{8,12}Z)"/g;

export function readLastAt({ path, size, mtime }: { path: string; size: number; mtime: number }): number {
  for (const tail of TAILS) {
    const at = newestIn(readPiece(path, tail, Math.max(0, size - tail)).toString('latin1'));
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
