// `claude-mem uninstall`: removes what `install` made, and nothing else. Memories stay, unless a person has them deleted.
import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { pingWorker } from '../../client/ping.ts';
import { findPaths, type Paths } from '../../paths.ts';
import { askLine, canAsk } from '../ask.ts';
import { command, person } from '../command.ts';
import { leaveAgent, setupOf } from '../install/agent-files.ts';
import { findClaudeFolder } from '../install/claude-folder.ts';
import { leavePlace, removeIfEmpty } from '../install/place.ts';
import { type Mark, marketplaceFolder, type Place, readMark } from '../install/plugin-folder.ts';
import { type Say, sayStep } from '../print.ts';
import { stop } from './start.ts';

export const uninstallCommand = command({
  name: 'uninstall',
  about: 'Remove what install made; memories stay',
  options: { '--purge': 'Delete all memories and settings, too; asks first' },
  who: person('It ends the memory of your sessions.'),
  async run({ purge = false, json = false }) {
    const paths = findPaths();
    const say = sayStep(json);
    const { dataDir } = paths;
    const folder = marketplaceFolder(paths);
    const hasData = existsSync(dataDir);
    if (purge && hasData && !isPurgeConfirmed(dataDir)) return 'Nothing was changed.';
    const mark = readMark(folder);
    // Without a mark: somebody deleted the data dir, and Claude Code's files still name us.
    const places = mark?.places ?? [{ ...NOWHERE, claudeFolder: findClaudeFolder() }];
    for (const place of places) leavePlace(place, folder);
    for (const place of mark?.agents ?? []) leaveAgent(place, folder);
    await stopIfRunning(paths, say);
    if (mark) {
      rmSync(folder, { recursive: true });
      say(`Took it out of ${sayAgents(mark)}, and removed ${folder}. Open sessions stop using it after /reload-plugins.`);
      // A hook of an open session may have started one in between.
      await stopIfRunning(paths, say);
    } else say('Nothing was installed in the data dir.');
    if (purge && hasData) purgeData(paths);
    else removeIfEmpty(dataDir);
    const isLeft = existsSync(dataDir);
    const answer = { wasInstalled: mark !== null, isPurged: purge && hasData, dataDir, isDataLeft: isLeft };
    return { answer, text: () => sayData(dataDir, { purge, hasData, isLeft }) };
  },
});

function sayData(dataDir: string, { purge, hasData, isLeft }: { purge: boolean; hasData: boolean; isLeft: boolean }): string {
  if (purge && !hasData) return `There is no ${dataDir}, so there is nothing to delete.`;
  if (purge) return `Deleted all memories and settings in ${dataDir}.${isLeft ? ' What is not ours stays in it.' : ''}`;
  return isLeft ? `Your memories stay in ${dataDir}. To delete them: claude-mem uninstall --purge` : '';
}

const sayAgents = (mark: Mark) => ['Claude Code', ...mark.agents.map(({ agent }) => setupOf(agent).title)].join(', ');

const NOWHERE: Omit<Place, 'claudeFolder'> = { project: null, mode: 'plugin', files: [], made: [] };

async function stopIfRunning(paths: Paths, say: Say): Promise<void> {
  if ((await pingWorker(paths)) !== null) say(await stop());
}

/** A slip of the hand must not do it, and no agent may. */
function isPurgeConfirmed(dataDir: string): boolean {
  if (!canAsk()) throw new Error('--purge asks first, and there is nobody to ask. Run it in a terminal.');
  return askLine(`All memories and settings in ${dataDir} would be deleted permanently. Type "erase" to go on: `) === 'erase';
}

/** What SQLite puts beside a database. */
const SUFFIXES = ['', '-wal', '-shm', '-journal'];
const RANDOM = '[a-zA-Z0-9]'.repeat(6);
/** Logs, and what a run that was killed left of a printed export or of another program's database. */
const LEFT_BEHIND = ['logs/worker-*.log*', `export-${RANDOM}/*memory.jsonl*`, `peer-copy-${RANDOM}/claude-mem.db*`];

/** To be called when no worker runs. Another product may share the folder: only what is ours goes. */
export function purgeData({ dataDir, logs, ...own }: Paths): void {
  const inside = Object.values(own).filter((path) => path.startsWith(`${dataDir}/`));
  for (const path of inside.flatMap((one) => SUFFIXES.map((suffix) => one + suffix))) rmSync(path, { recursive: true, force: true });
  const left = LEFT_BEHIND.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: dataDir, dot: true, absolute: true })]);
  for (const path of left) rmSync(path);
  for (const folder of new Set([...left.map(dirname), logs, dataDir])) removeIfEmpty(folder);
}
