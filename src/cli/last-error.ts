// Why a worker did not start: what is wrong with its folder, else the last error in its log.
import { describeForeign, readOwnFile } from '../own-files.ts';
import type { Paths } from '../paths.ts';
import { findNewestLog } from './newest-log.ts';

export function readLastError(paths: Paths): string {
  const foreign = describeForeign(paths);
  if (foreign) return foreign;
  const newest = findNewestLog(paths);
  const lines = newest ? readOwnFile(newest).trimEnd().split('\n') : [];
  const last = lines.findLast((line) => line.includes(' ERROR '));
  return last ? last.slice(last.indexOf(' ERROR ') + 7) : `See the log in ${paths.logs}.`;
}
