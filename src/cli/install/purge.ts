// Erases all memories and settings in the data dir. Another product may share the folder: only what is ours goes.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describeOne } from '../../own-files.ts';
import type { Paths } from '../../paths.ts';
import { removeIfEmpty } from './claude-folder.ts';

/** What SQLite puts beside a database. */
const SUFFIXES = ['', '-wal', '-shm', '-journal'];
const OWN_LOG = /^worker-[\d-]+.*\.log/;
/** Where an export was printed from, and another program's database copied to, by a run that was killed. */
const LEFT_BEHIND = [
  { folder: /^export-\w{6}$/, file: /^\.?memory\.jsonl/ },
  { folder: /^peer-copy-\w{6}$/, file: /^claude-mem\.db/ },
];

/** To be called when no worker runs. */
export function purgeData(paths: Paths): void {
  const { dataDir, logs, ...own } = paths;
  const inside = Object.values(own).filter((path) => path.startsWith(`${dataDir}/`));
  for (const path of inside.flatMap((one) => SUFFIXES.map((suffix) => one + suffix))) {
    rmSync(path, { recursive: true, force: true });
  }
  for (const folder of listLeftBehind(dataDir)) rmSync(folder, { recursive: true, force: true });
  if (existsSync(logs) && describeOne(logs) === null) {
    for (const name of readdirSync(logs).filter((one) => OWN_LOG.test(one))) rmSync(join(logs, name));
    removeIfEmpty(logs);
  }
  removeIfEmpty(dataDir);
}

/** Ours by their names, and by all that is in them. */
function listLeftBehind(dataDir: string): string[] {
  if (!existsSync(dataDir)) return [];
  return readdirSync(dataDir, { withFileTypes: true }).flatMap((entry) => {
    const known = entry.isDirectory() ? LEFT_BEHIND.find(({ folder }) => folder.test(entry.name)) : undefined;
    const path = join(dataDir, entry.name);
    return known && readdirSync(path).every((name) => known.file.test(name)) ? [path] : [];
  });
}
