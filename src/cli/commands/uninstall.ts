// `claude-mem uninstall`: takes away what `install` made, and nothing else. Memories stay, unless a person has them erased.
import { existsSync, rmSync } from 'node:fs';
import { pingWorker } from '../../client/ping.ts';
import { findPaths, type Paths } from '../../paths.ts';
import { canAsk, withQuestions } from '../install/ask-line.ts';
import { createClaude } from '../install/claude-cli.ts';
import { findClaudeFolder, readClaudeSettings, removeIfEmpty, tidyClaudeFolder } from '../install/claude-folder.ts';
import { type Place, readMark } from '../install/install-mark.ts';
import { BY_HAND, MARKETPLACE, marketplaceFolder, PLUGIN_ID } from '../install/names.ts';
import { purgeData } from '../install/purge.ts';
import { unregister } from '../install/register.ts';
import { stop } from './stop.ts';

export type UninstallOptions = { purge?: boolean };

export async function uninstall({ purge = false }: UninstallOptions): Promise<void> {
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
}

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
    typed = await ask(
      `All memories and settings in ${paths.dataDir} would be gone for good. Type "${WORD}" to go on: `,
    );
  });
  return typed === WORD;
}

function erase(paths: Paths): void {
  purgeData(paths);
  const rest = existsSync(paths.dataDir) ? ' What is not ours stays in it.' : '';
  console.log(`Erased all memories and settings in ${paths.dataDir}.${rest}`);
}
