// `claude-mem install`: from now on Claude Code loads our hooks, tools and skill in every session.
import { existsSync } from 'node:fs';
import { pingWorker } from '../../client/ping.ts';
import { loadConfig } from '../../config.ts';
import { tellPrices } from '../../core/models.ts';
import { requireOwn } from '../../own-files.ts';
import { findPaths, homeDir, type Paths, shellPath } from '../../paths.ts';
import { type Ask, canAsk, isNo, isPerson, isYes, withQuestions } from '../ask.ts';
import { command } from '../command.ts';
import { describeError } from '../describe-error.ts';
import { createClaude, register } from '../install/claude-cli.ts';
import { describeOthers, findAbsent, findClaudeFolder, readClaudeSettings } from '../install/claude-folder.ts';
import { describeCommand, findPackage, type PackageFiles } from '../install/find-package.ts';
import { addPlace, BY_HAND, marketplaceFolder, noteOffer, PLUGIN_ID, placePlugin, readMark, writeMark } from '../install/plugin-folder.ts';
import { keepSetting } from './config.ts';
import { importPast, offerImport } from './import.ts';
import { stop } from './start.ts';

/** Said again, it does only what is missing: after an upgrade by npm it takes up the new version. */
export const installCommand = command({
  name: 'install',
  about: 'have Claude Code load the plugin in every session; again after an upgrade',
  options: { '--yes': 'import past sessions without asking' },
  help: `In a terminal it asks two things, once: whether your Claude login may write deeper memories, and whether past sessions are to
be read.`,
  examples: [
    'npm install && npm install --global . && claude-mem install     in a checkout',
    'git pull && npm install && claude-mem install                   takes up the new version',
    "CLAUDE_CONFIG_DIR=~/.claude-work claude-mem install             for another folder of Claude Code's",
  ],
  who: 'anyone',
  async run({ yes = false }) {
    const paths = findPaths();
    const source = findPackage();
    const claudeFolder = findClaudeFolder();
    const isPlaced = place(paths, source, claudeFolder);
    const isRegistered = await registerThere(paths, source, claudeFolder);
    if (isRegistered === null) return sayCommand(source);
    // Of another version, or about to be: the next hook starts the new one.
    if (isPlaced && (await pingWorker(paths)) !== null) await stop();
    sayNext(paths, { source, isNew: isPlaced || isRegistered });
    sayCommand(source);
    sayOthers(claudeFolder);
    if (!canAsk()) return offer(paths, { claudeFolder, ask: null, yes });
    await withQuestions((ask) => offer(paths, { claudeFolder, ask, yes }));
  },
});

function place(paths: Paths, source: PackageFiles, claudeFolder: string): boolean {
  const folder = marketplaceFolder(paths);
  if (folder.includes('${')) throw new Error(`Claude Code would read "\${" in ${folder} as a variable of its own.`);
  requireOwn(paths);
  const mark = readMark(folder);
  writeMark(folder, addPlace(mark, source.version, { claudeFolder, absent: findAbsent(claudeFolder) }));
  const changed = placePlugin(folder, source);
  if (changed) console.log(`Put the plugin, its runtime and version ${source.version} into ${folder}.`);
  return changed;
}

/** Null: it could not be done, and the person was told what to do. */
async function registerThere(paths: Paths, source: PackageFiles, claudeFolder: string): Promise<boolean | null> {
  const folder = marketplaceFolder(paths);
  const claude = createClaude(paths, claudeFolder);
  if (claude === null) {
    console.error('`claude` is not on your PATH, so Claude Code does not know of it yet. Say these in Claude Code:');
    for (const line of BY_HAND.add(folder)) console.error(`  ${line}`);
    console.error('or run `CLAUDE_CODE_PATH=/path/to/claude claude-mem install`.');
    process.exitCode = 1;
    return null;
  }
  const changed = await register(claude, { folder, version: source.version });
  if (changed) console.log(`Registered it with ${claude.path} as ${PLUGIN_ID}: hooks, memory tools and a skill.`);
  return changed;
}

function sayCommand(source: PackageFiles): void {
  const missing = describeCommand(source, shellPath());
  if (missing) console.log(missing);
}

function sayNext(paths: Paths, { source, isNew }: { source: PackageFiles; isNew: boolean }): void {
  if (!isNew) {
    console.log(`All is in place already: ${PLUGIN_ID}, version ${source.version}.`);
    return;
  }
  console.log('Every session that starts now is remembered, and told what came before; open ones after /reload-plugins.');
  console.log('To look at it: claude-mem status. To undo it: claude-mem uninstall.');
  if (paths.dataDir === `${homeDir()}/.claude-mem`) return;
  console.log(`Sessions use ${paths.dataDir}; the command \`claude-mem\` does while CLAUDE_MEM_DATA_DIR is set as it is now.`);
}

function sayOthers(claudeFolder: string): void {
  for (const line of describeOthers(readClaudeSettings(claudeFolder))) console.log(line);
  // Where the public product keeps it.
  const theirs = `${homeDir()}/.claude-mem/claude-mem.db`;
  if (existsSync(theirs)) console.log(`To take over the memories of another claude-mem: claude-mem import ${theirs}`);
}

type Offering = { claudeFolder: string; ask: Ask | null; yes: boolean };

async function offer(paths: Paths, { claudeFolder, ask, yes }: Offering): Promise<void> {
  const folder = marketplaceFolder(paths);
  const offered = readMark(folder)?.offered ?? [];
  if (ask && !yes && !offered.includes('login') && (await askLogin(paths, ask))) noteOffer(folder, 'login');
  if (offered.includes('import')) return;
  // Where they usually are, the import knows by itself, and other agents' as well.
  const past = claudeFolder === `${homeDir()}/.claude` ? undefined : `${claudeFolder}/projects`;
  await offerImport({
    claudeFolder,
    ask,
    // A folder that a variable names may be anybody's.
    yes: yes && (past === undefined || isPerson()),
    onAnswer: () => noteOffer(folder, 'import'),
    importPast: () => importPast(past, { yes: true, isTold: true }),
  });
}

/** Whether the person's Claude login may write deeper memories. True when it was asked: whoever has chosen already is not. */
async function askLogin(paths: Paths, ask: Ask): Promise<boolean> {
  const { config, broken } = loadConfig(paths.config);
  if (broken || config.provider !== 'auto' || config.claudeLogin !== 'ask') return false;
  const most = config['budget.dailyTokens'].toLocaleString('en');
  const answer = await ask(
    'Memories are made by rules, for nothing. May your own Claude login write deeper ones, with at most ' +
      `${most} tokens a day (${tellPrices()})? [y/n, Enter: later] `,
  );
  if (isYes(answer)) await choose('allow');
  else if (isNo(answer)) await choose('deny');
  else console.log('Nothing changed. `claude-mem config set claudeLogin allow` does it at any time.');
  return true;
}

async function choose(value: 'allow' | 'deny'): Promise<void> {
  try {
    await keepSetting('claudeLogin', value);
  } catch (error) {
    // What is missing is said; the rest of `install` does not depend on it.
    console.error(describeError(error));
  }
}
