// `claude-mem install`: from now on Claude Code loads our hooks, tools and skill in every session.
import { existsSync } from 'node:fs';
import { pingWorker } from '../../client/ping.ts';
import { shellPath } from '../../environment.ts';
import { requireOwn } from '../../own-files.ts';
import { findPaths, homeDir, type Paths } from '../../paths.ts';
import { type Ask, canAsk, withQuestions } from '../install/ask-line.ts';
import { askLogin } from '../install/ask-login.ts';
import { createClaude } from '../install/claude-cli.ts';
import { findAbsent, findClaudeFolder, readClaudeSettings } from '../install/claude-folder.ts';
import { describeCommand } from '../install/find-command.ts';
import { findPackage, type PackageFiles } from '../install/find-package.ts';
import { addPlace, noteOffer, readMark, writeMark } from '../install/install-mark.ts';
import { BY_HAND, marketplaceFolder, PLUGIN_ID } from '../install/names.ts';
import { describeOthers } from '../install/other-memories.ts';
import { placePlugin } from '../install/place-plugin.ts';
import { register } from '../install/register.ts';
import { offerImport } from '../offer-import.ts';
import { isPerson } from '../only-person.ts';
import { importPast } from './import.ts';
import { stop } from './stop.ts';

export type InstallOptions = { yes?: boolean };

/** Said again, it does only what is missing: after an upgrade by npm it takes up the new version. */
export async function install({ yes = false }: InstallOptions): Promise<void> {
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
}

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
  console.log(
    'Every session that starts now is remembered, and told what came before; open ones after /reload-plugins.',
  );
  console.log('To look at it: claude-mem status. To undo it: claude-mem uninstall.');
  if (paths.dataDir === `${homeDir()}/.claude-mem`) return;
  console.log(
    `Sessions use ${paths.dataDir}; the command \`claude-mem\` does while CLAUDE_MEM_DATA_DIR is set as it is now.`,
  );
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
