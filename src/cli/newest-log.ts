// The log file of the latest day.
import { existsSync, readdirSync } from 'node:fs';
import type { Paths } from '../paths.ts';

export function findNewestLog({ logs }: Paths): string | null {
  const names = existsSync(logs) ? readdirSync(logs).filter((name) => name.endsWith('.log')) : [];
  const newest = names.sort().at(-1);
  return newest ? `${logs}/${newest}` : null;
}
