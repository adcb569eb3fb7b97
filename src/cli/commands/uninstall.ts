// `claude-mem uninstall`: takes away what `install` made, and nothing else. Memories stay, unless a person has them erased.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pingWorker } from '../../client/ping.ts';
import { describeOne } from '../../own-files.ts';
import { findPaths, type Paths } from '../../paths.ts';
import { canAsk, withQuestions } from '../ask.ts';
import { command, person } from '../command.ts';
import { createClaude, unregister } from '../install/claude-cli.ts';
import { findClaudeFolder, readClaudeSettings, removeIfEmpty, tidyClaudeFolder } from '../install/claude-folder.ts';
import { BY_HAND, MARKETPLACE, marketplaceFolder, PLUGIN_ID, type Place, readMark } from '../install/plugin-folder.ts';
import { stop } from './start.ts';

export const uninstallCommand = command({
  name: 'uninstall',
  about: 'take away what install made; memories stay',
  options: { '--purge': 'erase all memories and settings, too; asks first' },
  who: person('It ends the memory of your sessions.'),
  async run({ purge = false }) {
    const paths = findPaths();
    const folder = marketplaceFolder(paths);
    const hasData = existsSync(paths.dataDir);
    if (purge && hasData && !(await isPurgeConfirmed(paths))) return console.log('Nothing was changed.');
    const mark = readMark(folder);
    for (const place of mark?.places ?? [{ claudeFolder: findClaudeFolder(), absent: [] }]) await leave(paths, place);
    await stopIfRunning(paths);
    if (mark) {
      rmSync(folder, { recursive: true });
      console.log(`Removed ${folder}. Sessions that are open now forget it after /reload-plugins.`);
      // A hook of an open session may have started one in between.
      await stopIfRunning(paths);
    } else console.log('Nothing was installed in the data dir.');
    if (purge && !hasData) return console.log(`There is no ${paths.dataDir}, so there is nothing to erase.`);
    if (purge) return erase(paths);
    removeIfEmpty(paths.dataDir);
    if (!existsSync(paths.dataDir)) return;
    console.log(`Your memories stay in ${paths.dataDir}. To erase them: claude-mem uninstall --purge`);
  },
});

async function leave(paths: Paths, { claudeFolder, absent }: Place): Promise<void> {
  if (!existsSync(claudeFolder)) return;
  // Thrown here when they cannot be read: before anything was changed.
  const isNamed = JSON.stringify(readClaudeSettings(claudeFolder) ?? '').includes(`"${MARKETPLACE}"`);
  const claude = createClaude(paths, claudeFolder);
  if (claude === null && isNamed) {
    throw new Error(
      [
        '`claude` is not on your PATH, so it cannot be told. Nothing was changed. Say these in Claude Code, then this again:',
        ...BY_HAND.remove.map((line) => `  ${line}`),
        'or run `CLAUDE_CODE_PATH=/path/to/claude claude-mem uninstall`.',
      ].join('\n'),
    );
  }
  if (claude && (await unregister(claude))) console.log(`Claude Code no longer loads ${PLUGIN_ID}.`);
  tidyClaudeFolder(claudeFolder, absent);
}

async function stopIfRunning(paths: Paths): Promise<void> {
  if ((await pingWorker(paths)) !== null) await stop();
}

const WORD = 'erase';

/** A slip of the hand must not do it, and no agent may. */
async function isPurgeConfirmed(paths: Paths): Promise<boolean> {
  if (!canAsk()) throw new Error('--purge asks first, and there is nobody to ask. Run it in a terminal.');
  let typed: string | null = null;
  await withQuestions(async (ask) => {
    typed = await ask(`All memories and settings in ${paths.dataDir} would be gone for good. Type "${WORD}" to go on: `);
  });
  return typed === WORD;
}

function erase(paths: Paths): void {
  purgeData(paths);
  const rest = existsSync(paths.dataDir) ? ' What is not ours stays in it.' : '';
  console.log(`Erased all memories and settings in ${paths.dataDir}.${rest}`);
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
