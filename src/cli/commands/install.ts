// `claude-mem install`: from now on Claude Code loads our hooks, tools and skill in every session.
import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { createTwoFilesPatch, OMIT_HEADERS } from 'diff';
import { SETUPS } from '../../agents/setups.ts';
import { pingWorker } from '../../client/api.ts';
import { formatSize, quoteWord } from '../../core/text.ts';
import { removeIfEmpty, removeOwnFiles, requireOwn } from '../../own-files.ts';
import { findPaths, homeDir, type Paths, shellPath } from '../../paths.ts';
import { askLine, canAsk } from '../ask.ts';
import { command, type Outcome, person, someOf } from '../command.ts';
import { isThere, joinAgent, leaveAgent, listThereAgents, planAgent, setupOf } from '../install/agent-files.ts';
import { type Claude, createClaude, findClaudeFolder, REGISTER, register } from '../install/claude-cli.ts';
import {
  type Change,
  leavePlace,
  listThere,
  lookAfter,
  lookBefore,
  nameWay,
  type PlaceName,
  planEntries,
  writeEntries,
} from '../install/place.ts';
import {
  describeCommand,
  findPackage,
  isSamePlace,
  listPlaced,
  type Mark,
  marketplaceFolder,
  NO_MARK,
  notePlace,
  type PackageFiles,
  PLUGIN_ID,
  type Place,
  placePlugin,
  readMark,
  writeMark,
} from '../install/plugin-folder.ts';
import { askAll } from '../install/questions.ts';
import { readList } from '../options.ts';
import { type Say, sayStep } from '../print.ts';
import { stop } from './start.ts';

/** Run again, it does only what is missing: after an upgrade by npm it installs the new version. */
export const installCommand = command({
  name: 'install',
  about: 'Set it up for Claude Code, in every session; again after an upgrade',
  options: {
    '--agent <names>': someOf('Set up other agents', [...Object.keys(SETUPS), 'all']),
    '--traditional': 'Write hooks into its settings instead of adding a plugin',
    '--project': 'Only for the project you are in (traditional)',
    '--dry-run': 'Only show what would be written and run',
    '--yes': 'Import past sessions without asking',
  },
  help:
    'Where there is no `claude`, hooks are written into its settings, as with --traditional. In a terminal it asks, once, whether to ' +
    'import past sessions and whether a model may write memories; without one, neither happens. Nothing is fetched from the network. Set ' +
    'CLAUDE_CONFIG_DIR to install into another folder of Claude Code.',
  examples: ['npm install && npm install --global . && claude-mem install', 'git pull && npm install && claude-mem install'],
  who: 'anyone',
  async run({ yes = false, traditional = false, project = false, dryRun = false, agent, json = false }) {
    const say = sayStep(json);
    if (agent !== undefined) return setUp(readList(agent) ?? [], dryRun, say);
    const plan = makePlan(traditional, project ? findRoot() : null);
    if (dryRun) return describePlan(plan);
    const { paths, source, folder, claude, place } = plan;
    const isPlaced = putRuntime(plan, say);
    const isJoined = await join(plan, say);
    const isChanged = isPlaced || isJoined;
    // Of another version, or about to be: the next hook starts the new one.
    if (isPlaced && (await pingWorker(paths)) !== null) say(await stop());
    if (isChanged) sayNext(plan, say);
    else say(`All is in place already: ${nameWay(place)}, version ${source.version}.`);
    const missing = describeCommand(source, shellPath());
    if (missing) say(missing);
    sayAgents(folder, say);
    await askAll({ paths, folder, claudeFolder: place.claudeFolder, claude, yes, mayAsk: !json && canAsk(), say });
    return { answer: { version: source.version, folder, mode: place.mode, project: place.project, isChanged }, text: () => '' };
  },
});

type Plan = { paths: Paths; source: PackageFiles; folder: string; claude: Claude | null; place: PlaceName };

/** Nothing is written by it. Throws when there is nobody to install it for. */
function makePlan(isTraditional: boolean, project: string | null): Plan {
  const [paths, source, claudeFolder] = [findPaths(), findPackage(), findClaudeFolder()];
  const folder = marketplaceFolder(paths);
  if (folder.includes('${')) throw new Error(`Claude Code would read "\${" in ${folder} as a variable of its own.`);
  requireOwn(paths);
  const claude = createClaude(paths, claudeFolder);
  const places = readMark(folder)?.places ?? [];
  const known = places.find((one) => isSamePlace(one, { claudeFolder, project }));
  if (project !== null && places.some((one) => isSamePlace(one, { claudeFolder, project: null })))
    throw new Error('It is installed for all projects already. To have it in some alone, first: claude-mem uninstall');
  // As it was installed, unless another way is asked for. Some have Claude Code in an editor alone: there is no `claude` then.
  const mode = isTraditional || project !== null ? 'traditional' : (known?.mode ?? (claude ? 'plugin' : 'traditional'));
  if (claude === null && (mode === 'plugin' || !(isTraditional || existsSync(claudeFolder)))) throw new Error(NO_CLAUDE(claudeFolder));
  const place: PlaceName = { claudeFolder, project, mode };
  return { paths, source, folder, claude, place };
}

const NO_CLAUDE = (claudeFolder: string) =>
  [
    `Claude Code was not found: no \`claude\` on your PATH. Nothing was written. Install it first, or name it:`,
    '  CLAUDE_CODE_PATH=/path/to/claude claude-mem install',
    `or have hooks written into ${claudeFolder}/settings.json:`,
    '  claude-mem install --traditional',
    'or set up another agent:',
    '  claude-mem install --agent all',
  ].join('\n');

/** The folder that Claude Code knows a project by: the work tree around this one, else this one. */
function findRoot(): string {
  const here = process.cwd();
  for (let folder = here; folder !== '/'; folder = dirname(folder)) if (existsSync(`${folder}/.git`)) return folder;
  return here;
}

async function setUp(names: string[], isDryRun: boolean, say: Say): Promise<Outcome> {
  const [paths, source] = [findPaths(), findPackage()];
  const folder = marketplaceFolder(paths);
  requireOwn(paths);
  const wanted = names.flatMap((name) => (name === 'all' ? listThereAgents() : [name]));
  if (wanted.length === 0)
    throw new Error(
      `None of these agents was found: ${Object.values(SETUPS)
        .map(({ title }) => title)
        .join(', ')}.`,
    );
  const absent = wanted.find((name) => !isThere(setupOf(name)));
  if (absent) throw new Error(`${setupOf(absent).title} was not found: there is no ~/${setupOf(absent).folder}. Nothing was written.`);
  const changes = wanted.flatMap((name) => planAgent(name, folder));
  if (isDryRun) return { answer: { changes }, text: () => changes.map(showChange).join('\n') };
  const isPlaced = putRuntime({ folder, source }, say);
  const agents = wanted.map((name) => {
    const { title, afterwards, lacks } = setupOf(name);
    const isChanged = joinAgent(name, folder, source.version);
    say(`${title} is set up${isChanged ? '' : ' already'}: its sessions are captured and get the memory as context (${lacks}).`);
    if (isChanged && afterwards) say(afterwards);
    return { agent: name, isChanged, lacks, afterwards };
  });
  if (isPlaced && (await pingWorker(paths)) !== null) say(await stop());
  return { answer: { version: source.version, folder, agents }, text: () => 'To undo it: claude-mem uninstall' };
}

function sayAgents(folder: string, say: Say): void {
  const joined = (readMark(folder)?.agents ?? []).map(({ agent }) => agent);
  const others = listThereAgents().filter((name) => !joined.includes(name));
  if (others.length === 0) return;
  const titles = others.map((name) => setupOf(name).title).join(', ');
  say(`${titles}: also here. To capture their sessions, too: claude-mem install --agent ${others.join(',')}`);
}

/** The head is ours: the library spells a path that is not ASCII in octal numbers. */
function showChange({ path, before, after }: Change): string {
  const changed = createTwoFilesPatch('', '', before ?? '', after, '', '', { headerOptions: OMIT_HEADERS });
  return `--- ${before === null ? '/dev/null' : path}\n+++ ${path}\n${changed}`;
}

function putRuntime({ folder, source }: Pick<Plan, 'folder' | 'source'>, say: Say): boolean {
  // First of all: by it the folder is known to be ours.
  writeMark(folder, readMark(folder) ?? NO_MARK);
  const changed = placePlugin(folder, source);
  if (changed) say(`Put version ${source.version} and its runtime into ${folder}.`);
  return changed;
}

/** True when that changed anything. What was there another way goes first: another mode, or a project of what is now for all. */
async function join(plan: Plan, say: Say): Promise<boolean> {
  const { folder, source, place } = plan;
  const { places, ...mark } = readMark(folder) ?? NO_MARK;
  const isOld = (one: (typeof places)[number]) =>
    isSamePlace(one, place)
      ? one.mode !== place.mode
      : one.claudeFolder === place.claudeFolder && one.project !== null && place.project === null;
  for (const one of places.filter(isOld)) leavePlace(one, folder);
  const left = places.filter((one) => !isOld(one));
  writeMark(folder, { ...mark, places: left });
  const before = lookBefore(
    place,
    folder,
    left.find((one) => isSamePlace(one, place)),
  );
  const there = listThere(place);
  notePlace(folder, source.version, before);
  const changed = place.mode === 'plugin' ? await registerPlugin(plan, say) : putEntries(plan, say);
  notePlace(folder, source.version, lookAfter(before, there));
  return changed;
}

async function registerPlugin({ claude, folder, source }: Plan, say: Say): Promise<boolean> {
  if (claude === null) throw new Error('`claude` is gone.');
  const changed = await register(claude, { folder, version: source.version });
  if (changed) say(`Registered it with ${claude.path} as ${PLUGIN_ID}: hooks, memory tools and a skill.`);
  return changed;
}

function putEntries({ place, folder, source, claude }: Plan, say: Say): boolean {
  const changes = planEntries(place, folder, source);
  writeEntries(changes);
  if (changes.length === 0) return false;
  say(`Wrote hooks and MCP server into ${changes.map(({ path }) => path).join(' and ')}.`);
  say(`All else in there is as it was, byte for byte; copies are in ${folder}/before.`);
  if (place.project !== null) say('These hooks name paths of this machine: keep .claude/settings.local.json out of git.');
  else if (claude === null)
    say('`claude` was not found. To have a plugin, once it is on your PATH: claude-mem uninstall && claude-mem install');
  return true;
}

function describePlan({ folder, source, claude, place }: Plan): Outcome {
  const { files, bytes } = listPlaced(folder, source);
  const isPlugin = place.mode === 'plugin' && claude !== null;
  const commands = isPlugin ? REGISTER(folder).map((args) => [claude.path, ...args]) : [];
  const changes = isPlugin ? [] : planEntries(place, folder, source);
  return {
    answer: { folder, mode: place.mode, files, bytes, commands, changes },
    text: () =>
      [
        `Would put ${files} files (${formatSize(bytes)}, as hard links where the disk allows it) into ${folder}.`,
        ...commands.map((args) => `Would run: ${args.map(quoteWord).join(' ')}`),
        ...(isPlugin ? [WRITES(place)] : changes.length > 0 ? changes.map(showChange) : ['Our entries are there already.']),
      ].join('\n'),
  };
}

const WRITES = ({ claudeFolder }: PlaceName) =>
  `That writes ${claudeFolder}/settings.json ("enabledPlugins", "extraKnownMarketplaces") and ${claudeFolder}/plugins.`;

function sayNext({ paths, place }: Plan, say: Say): void {
  const open = place.mode === 'plugin' ? 'after /reload-plugins' : 'once they are started again';
  say(`Every session that starts now is remembered and gets the memory as context; open ones ${open}.`);
  say('To look at it: claude-mem status\nTo undo it: claude-mem uninstall');
  if (paths.dataDir === `${homeDir()}/.claude-mem`) return;
  say(`Sessions use ${paths.dataDir}; the command \`claude-mem\` does while CLAUDE_MEM_DATA_DIR is set as it is now.`);
}

// `claude-mem uninstall`: removes what `install` made, and nothing else. Memories stay, unless a person has them deleted.

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
      say(`Took it out of ${nameAgents(mark)}, and removed ${folder}.`);
      if (places.some(({ mode }) => mode === 'plugin')) say('Open sessions of Claude Code stop using it after /reload-plugins.');
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
  return isLeft ? `Your memories stay in ${dataDir}.\nTo delete them: claude-mem uninstall --purge` : '';
}

const nameAgents = ({ places, agents }: Mark) =>
  [...(places.length > 0 ? ['Claude Code'] : []), ...agents.map(({ agent }) => setupOf(agent).title)].join(', ');

const NOWHERE: Omit<Place, 'claudeFolder'> = { project: null, mode: 'plugin', files: [], made: [] };

async function stopIfRunning(paths: Paths, say: Say): Promise<void> {
  if ((await pingWorker(paths)) !== null) say(await stop());
}

/** A slip of the hand must not do it, and no agent may. */
function isPurgeConfirmed(dataDir: string): boolean {
  if (!canAsk()) throw new Error('--purge asks first, and there is nobody to ask. Run it in a terminal.');
  return askLine(`All memories and settings in ${dataDir} would be deleted permanently. Type "erase" to go on: `) === 'erase';
}
