// Why a worker did not start: the last error in its log.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Paths } from '../paths.ts';

export function readLastError({ logs }: Paths): string {
  const newest = existsSync(logs) ? readdirSync(logs).sort().at(-1) : undefined;
  const lines = newest ? readFileSync(`${logs}/${newest}`, 'utf8').trimEnd().split('\n') : [];
  const last = lines.findLast((line) => line.includes(' ERROR '));
  return last ? last.slice(last.indexOf(' ERROR ') + 7) : `See the log in ${logs}.`;
}
