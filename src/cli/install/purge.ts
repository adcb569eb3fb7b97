// Erases all memories and settings in the data dir. Another product may share the folder: only what is ours goes.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Paths } from '../../paths.ts';
import { removeIfEmpty } from './claude-folder.ts';

/** What SQLite puts beside a database. */
const SUFFIXES = ['', '-wal', '-shm', '-journal'];
const OWN_LOG = /^worker-[\d-]+.*\.log/;

/** To be called when no worker runs. */
export function purgeData(paths: Paths): void {
  const { dataDir, logs, ...own } = paths;
  const inside = Object.values(own).filter((path) => path.startsWith(`${dataDir}/`));
  for (const path of inside.flatMap((one) => SUFFIXES.map((suffix) => one + suffix))) {
    rmSync(path, { recursive: true, force: true });
  }
  if (existsSync(logs)) {
    for (const name of readdirSync(logs).filter((one) => OWN_LOG.test(one))) rmSync(join(logs, name));
    removeIfEmpty(logs);
  }
  removeIfEmpty(dataDir);
}
