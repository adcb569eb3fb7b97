// A file that is one JSON document: read at once, so it must not be too big.
import { readFileSync, statSync } from 'node:fs';
import type { FileLine } from './read-lines.ts';

/** More than any conversation in earnest. */
const MOST_BYTES = 64 * 1024 * 1024;

export function* readWhole(path: string): Generator<FileLine> {
  if (statSync(path).size > MOST_BYTES) return;
  const text = readFileSync(path, 'utf8').trim();
  if (text !== '') yield { text, position: 0 };
}
