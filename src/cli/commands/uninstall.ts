// `claude-mem uninstall`: removes what `install` made, and nothing else. Memories stay, unless a person has them deleted.
import { existsSync, rmSync } from 'node:fs';
import { pingWorker } from '../../client/api.ts';
import { removeIfEmpty, removeOwnFiles } from '../../own-files.ts';
import { findPaths, type Paths } from '../../paths.ts';
import { askLine, canAsk } from '../ask.ts';
import { command, person } from '../command.ts';
import { leaveAgent, setupOf } from '../install/agent-files.ts';
import { findClaudeFolder } from '../install/claude-cli.ts';
import { leavePlace } from '../install/place.ts';
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
    if (purge && hasData) removeOwnFiles(paths);
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
