// `claude-mem uninstall`: removes what `install` made, and nothing else. Memories stay, unless a person has them deleted.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pingWorker } from '../../client/ping.ts';
import { describeOne } from '../../own-files.ts';
import { findPaths, type Paths } from '../../paths.ts';
import { askLine, canAsk } from '../ask.ts';
import { command, person } from '../command.ts';
import { createClaude, unregister } from '../install/claude-cli.ts';
import { findClaudeFolder, readClaudeSettings, removeIfEmpty, tidyClaudeFolder } from '../install/claude-folder.ts';
import { BY_HAND, MARKETPLACE, marketplaceFolder, PLUGIN_ID, type Place, readMark } from '../install/plugin-folder.ts';
import { stop } from './start.ts';

export const uninstallCommand = command({
  name: 'uninstall',
  json: false,
  about: 'Remove what install made; memories stay',
  options: { '--purge': 'Delete all memories and settings, too; asks first' },
  who: person('It ends the memory of your sessions.'),
  async run({ purge = false }) {
    const paths = findPaths();
    const { dataDir } = paths;
    const folder = marketplaceFolder(paths);
    const hasData = existsSync(dataDir);
    if (purge && hasData && !isPurgeConfirmed(dataDir)) return 'Nothing was changed.';
    const mark = readMark(folder);
    for (const place of mark?.places ?? [{ claudeFolder: findClaudeFolder(), absent: [] }]) await leave(paths, place);
    await stopIfRunning(paths);
    if (mark) {
      rmSync(folder, { recursive: true });
      console.log(`Removed ${folder}. Open sessions stop using it after /reload-plugins.`);
      // A hook of an open session may have started one in between.
      await stopIfRunning(paths);
    } else console.log('Nothing was installed in the data dir.');
    if (purge && !hasData) return `There is no ${dataDir}, so there is nothing to delete.`;
    if (purge) {
      purgeData(paths);
      return `Deleted all memories and settings in ${dataDir}.${existsSync(dataDir) ? ' What is not ours stays in it.' : ''}`;
    }
    removeIfEmpty(dataDir);
    if (existsSync(dataDir)) return `Your memories stay in ${dataDir}. To delete them: claude-mem uninstall --purge`;
  },
});

async function leave(paths: Paths, { claudeFolder, absent }: Place): Promise<void> {
  if (!existsSync(claudeFolder)) return;
  // Thrown here when they cannot be read: before anything was changed.
  const isNamed = JSON.stringify(readClaudeSettings(claudeFolder) ?? '').includes(`"${MARKETPLACE}"`);
  const claude = createClaude(paths, claudeFolder);
  if (claude === null && isNamed) {
    const lines = BY_HAND.remove.map((line) => `\n  ${line}`).join('');
    throw new Error(
      `\`claude\` is not on your PATH. Nothing was changed. Type these in Claude Code, then run this again:${lines}\n` +
        'or run `CLAUDE_CODE_PATH=/path/to/claude claude-mem uninstall`.',
    );
  }
  if (claude && (await unregister(claude))) console.log(`Claude Code no longer loads ${PLUGIN_ID}.`);
  tidyClaudeFolder(claudeFolder, absent);
}

async function stopIfRunning(paths: Paths): Promise<void> {
  if ((await pingWorker(paths)) !== null) console.log(await stop());
}

/** A slip of the hand must not do it, and no agent may. */
function isPurgeConfirmed(dataDir: string): boolean {
  if (!canAsk()) throw new Error('--purge asks first, and there is nobody to ask. Run it in a terminal.');
  return askLine(`All memories and settings in ${dataDir} would be deleted permanently. Type "erase" to go on: `) === 'erase';
}

/** What SQLite puts beside a database. */
const SUFFIXES = ['', '-wal', '-shm', '-journal'];
const OWN_LOG = /^worker-[\d-]+.*\.log/;
/** Where an export was printed from, and another program's database copied to, by a run that was killed. */
const LEFT_BEHIND = [
  { folder: /^export-\w{6}$/, file: /^\.?memory\.jsonl/ },
  { folder: /^peer-copy-\w{6}$/, file: /^claude-mem\.db/ },
];

/** To be called when no worker runs. Another product may share the folder: only what is ours goes. */
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
