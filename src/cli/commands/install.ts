// `claude-mem install`: from now on Claude Code loads our hooks, tools and skill in every session.
import { existsSync } from 'node:fs';
import { pingWorker } from '../../client/ping.ts';
import { loadConfig } from '../../config.ts';
import { tellPrices } from '../../core/models.ts';
import { listPast } from '../../import/choose-sessions.ts';
import { requireOwn } from '../../own-files.ts';
import { findPaths, homeDir, type Paths, shellPath } from '../../paths.ts';
import { askLine, canAsk, isNo, isPerson, isYes } from '../ask.ts';
import { command, type Outcome } from '../command.ts';
import { describeError } from '../describe-error.ts';
import { createClaude, register } from '../install/claude-cli.ts';
import { describeOthers, findAbsent, findClaudeFolder, readClaudeSettings } from '../install/claude-folder.ts';
import { describeCommand, findPackage, type PackageFiles } from '../install/find-package.ts';
import { addPlace, BY_HAND, marketplaceFolder, noteOffer, PLUGIN_ID, placePlugin, readMark, writeMark } from '../install/plugin-folder.ts';
import { runJob } from '../watch-job.ts';
import { keepSetting } from './config.ts';
import { nameSource, sayTranscripts } from './import.ts';
import { stop } from './start.ts';

/** Run again, it does only what is missing: after an upgrade by npm it installs the new version. */
export const installCommand = command({
  name: 'install',
  json: false,
  about: 'Have Claude Code load the plugin in every session; again after an upgrade',
  options: { '--yes': 'Import past sessions without asking' },
  help:
    'In a terminal it asks two things, once: whether memories may be written by a model with your Claude login, and whether past ' +
    'sessions are to be imported. Set CLAUDE_CONFIG_DIR to install into another folder of Claude Code.',
  examples: ['npm install && npm install --global . && claude-mem install', 'git pull && npm install && claude-mem install'],
  who: 'anyone',
  async run({ yes = false }) {
    const paths = findPaths();
    const source = findPackage();
    const claudeFolder = findClaudeFolder();
    const isPlaced = place(paths, source, claudeFolder);
    const isRegistered = await registerThere(paths, source, claudeFolder);
    const missing = describeCommand(source, shellPath());
    if (isRegistered === null) return missing ?? undefined;
    // Of another version, or about to be: the next hook starts the new one.
    if (isPlaced && (await pingWorker(paths)) !== null) console.log(await stop());
    if (isPlaced || isRegistered) sayNext(paths);
    else console.log(`All is in place already: ${PLUGIN_ID}, version ${source.version}.`);
    if (missing) console.log(missing);
    sayOthers(claudeFolder);
    const folder = marketplaceFolder(paths);
    const offered = readMark(folder)?.offered ?? [];
    if (canAsk() && !yes && !offered.includes('login') && (await askLogin(paths))) noteOffer(folder, 'login');
    return offered.includes('import') ? undefined : offerImport(folder, claudeFolder, yes);
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

/** Null: it could not be done, and it was said what to do. */
async function registerThere(paths: Paths, source: PackageFiles, claudeFolder: string): Promise<boolean | null> {
  const folder = marketplaceFolder(paths);
  const claude = createClaude(paths, claudeFolder);
  if (claude === null) {
    console.error('`claude` is not on your PATH, so Claude Code does not know of it yet. Type these in Claude Code:');
    for (const line of BY_HAND.add(folder)) console.error(`  ${line}`);
    console.error('or run `CLAUDE_CODE_PATH=/path/to/claude claude-mem install`.');
    process.exitCode = 1;
    return null;
  }
  const changed = await register(claude, { folder, version: source.version });
  if (changed) console.log(`Registered it with ${claude.path} as ${PLUGIN_ID}: hooks, memory tools and a skill.`);
  return changed;
}

function sayNext(paths: Paths): void {
  console.log('Every session that starts now is remembered and gets the memory as context; open ones after /reload-plugins.');
  console.log('To look at it: claude-mem status. To undo it: claude-mem uninstall.');
  if (paths.dataDir === `${homeDir()}/.claude-mem`) return;
  console.log(`Sessions use ${paths.dataDir}; the command \`claude-mem\` does while CLAUDE_MEM_DATA_DIR is set as it is now.`);
}

function sayOthers(claudeFolder: string): void {
  for (const line of describeOthers(readClaudeSettings(claudeFolder))) console.log(line);
  // Where the public product keeps it.
  const theirs = `${homeDir()}/.claude-mem/claude-mem.db`;
  if (existsSync(theirs)) console.log(`To import the memories of another claude-mem: claude-mem import ${theirs}`);
}

/** Whether the person's Claude login may be used. True when it was asked: whoever has chosen already is not. */
async function askLogin(paths: Paths): Promise<boolean> {
  const { config, broken } = loadConfig(paths.config);
  if (broken || config.provider !== 'auto' || config.claudeLogin !== 'ask') return false;
  const most = config['budget.dailyTokens'].toLocaleString('en');
  const answer = askLine(
    'Memories are made by rules, for nothing. May a model summarise sessions with your own Claude login, with at most ' +
      `${most} tokens a day (${tellPrices()})? [y/n, Enter: later] `,
  );
  if (!isYes(answer) && !isNo(answer)) console.log('Nothing changed. `claude-mem config set claudeLogin allow` does it at any time.');
  // What is missing is said; the rest of `install` does not depend on it.
  else await keepSetting('claudeLogin', isYes(answer) ? 'allow' : 'deny').catch((error) => console.error(describeError(error)));
  return true;
}

/** Once: the sessions of the past, read from the transcripts that coding agents have kept. */
async function offerImport(folder: string, claudeFolder: string, yes: boolean): Promise<Outcome> {
  const { sessions, bytes } = await countPast(homeDir(), claudeFolder);
  if (Object.keys(sessions).length === 0) return;
  const past = claudeFolder === `${homeDir()}/.claude` ? undefined : `${claudeFolder}/projects`;
  // A folder that a variable names may be anybody's.
  const isAgreed = yes && (past === undefined || isPerson());
  const said = `${sayTranscripts(sessions, bytes)}; reading them costs no tokens.`;
  if (!isAgreed && !canAsk()) return `${said} To import them: claude-mem import`;
  if (isAgreed) console.log(said);
  const answer = isAgreed ? 'yes' : askLine(`${said} Import now? [Y/n] `);
  // Before it begins: whoever interrupts it knows of it.
  if (answer !== null) noteOffer(folder, 'import');
  if (answer !== '' && !isYes(answer)) return 'Not now. `claude-mem import` does it at any time.';
  return runJob('import', nameSource(past), {});
}

/** By agent. Who keeps Claude Code's elsewhere is offered those alone: the others may be another person's. */
export async function countPast(home: string, claudeFolder: string): Promise<{ sessions: Record<string, number>; bytes: number }> {
  const isUsual = claudeFolder === `${home}/.claude`;
  const found = await listPast(home, isUsual ? {} : { agent: 'claude-code', claudeDir: claudeFolder });
  const sessions: Record<string, number> = {};
  for (const { host } of found) sessions[host.name] = (sessions[host.name] ?? 0) + 1;
  return { sessions, bytes: found.reduce((sum, { bytes }) => sum + bytes, 0) };
}
