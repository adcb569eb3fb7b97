// Why a worker did not start: the last error in its log.
import { readFileSync } from 'node:fs';
import type { Paths } from '../paths.ts';
import { findNewestLog } from './newest-log.ts';

export function readLastError(paths: Paths): string {
  const newest = findNewestLog(paths);
  const lines = newest ? readFileSync(newest, 'utf8').trimEnd().split('\n') : [];
  const last = lines.findLast((line) => line.includes(' ERROR '));
  return last ? last.slice(last.indexOf(' ERROR ') + 7) : `See the log in ${paths.logs}.`;
}
