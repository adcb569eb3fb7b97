// A file that is one JSON document: read at once, so it must not be too big.
import { readRegular } from '../regular-file.ts';
import type { FileLine } from './read-lines.ts';

/** More than any conversation in earnest. */
const MOST_BYTES = 64 * 1024 * 1024;

export function* readWhole(path: string): Generator<FileLine> {
  const text = readRegular(path, MOST_BYTES).toString('utf8').trim();
  if (text !== '') yield { text, position: 0, isLast: true };
}
