// One place where we are installed: which of Claude Code's files that touches, how they were before, and how they become so again.
import * as fs from 'node:fs';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { insert, type JSONPath, put, readValue, removeUpwards, valueAt, valueIn } from '../../agents/json-text.ts';
import { isOurs as isOurEntry, SERVER } from '../../agents/setup.ts';
import { hashParts } from '../../core/ids.ts';
import { quoteWord } from '../../core/text.ts';
import { removeIfEmpty } from '../../own-files.ts';
import { homeDir } from '../../paths.ts';
import { readRegular } from '../../regular-file.ts';
import { launcherIn, MARKETPLACE, type PackageFiles, PLUGIN, PLUGIN_ID, type Place } from './plugin-folder.ts';

/** Its history and its caches are in one of them. */
const MOST_BYTES = 256 * 1024 * 1024;

export type PlaceName = Pick<Place, 'claudeFolder' | 'project' | 'mode'>;

/** What is different in a file; null: there is no such file. */
export type Change = { path: string; before: string | null; after: string };

/** Claude Code keeps the servers beside its folder, unless CLAUDE_CONFIG_DIR names one. */
const stateFile = (claudeFolder: string) => join(claudeFolder === join(homeDir(), '.claude') ? homeDir() : claudeFolder, '.claude.json');

export const settingsFile = ({ claudeFolder, project }: Pick<Place, 'claudeFolder' | 'project'>) =>
  project === null ? join(claudeFolder, 'settings.json') : join(project, '.claude/settings.local.json');

export const nameWay = (place: PlaceName) => (place.mode === 'plugin' ? `the plugin ${PLUGIN_ID}` : `hooks in ${settingsFile(place)}`);

const listFiles = (place: PlaceName) => [
  settingsFile(place),
  stateFile(place.claudeFolder),
  ...['plugins/known_marketplaces.json', 'plugins/installed_plugins.json'].map((file) => join(place.claudeFolder, file)),
];

export function planEntries(place: PlaceName, folder: string, source: PackageFiles): Change[] {
  const launcher = launcherIn(folder);
  const files: [string, (text: string) => string][] = [
    [settingsFile(place), (text) => putHooks(text, source.plugin, launcher)],
    [stateFile(place.claudeFolder), (text) => putServer(text, place.project, launcher)],
  ];
  return files.flatMap(([path, put]) => {
    const before = readText(path);
    const after = put(before === null ? '' : takeOut(requireJson(path, before), null, launcher));
    return isSame(before, after) ? [] : [{ path, before, after }];
  });
}

const isSame = (before: string | null, after: string) =>
  before !== null && Bun.deepEquals(JSON.parse(before.trim() || '{}'), JSON.parse(after));

/** Throws when it cannot be read: then nobody, `claude` included, may write it. */
export function requireJson(path: string, text: string): string {
  try {
    const value = JSON.parse(text.trim() || '{}');
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return text;
  } catch {
    // Said below.
  }
  throw new Error(`${path} cannot be read: it is not a JSON object. Nothing was changed: correct it, then say this again.`);
}

/** How things are before we come: to be kept before anything is written, with a copy of each file. */
export function lookBefore(place: PlaceName, folder: string, known: Place | undefined): Place {
  const launcher = launcherIn(folder);
  const files = listFiles(place).map((path) => {
    const now = readText(path);
    const noted = known?.files.find((one) => one.path === path);
    // What somebody has changed since is theirs: only our part of it is not.
    const isAsLeft = noted !== undefined && noted.after === hash(now);
    const before = isAsLeft
      ? readBefore(folder, noted)
      : now && takeOut(requireJson(path, now), noted ? readBefore(folder, noted) : null, launcher);
    return { path, copy: before === null ? null : keepCopy(folder, path, before), after: '' };
  });
  return { ...place, files, made: known?.made ?? [] };
}

/** Afterwards: how each file was left, and what else is there now. `there`: what listThere found before. */
export function lookAfter(place: Place, there: string[]): Place {
  const files = place.files.map((file) => ({ ...file, after: hash(readText(file.path)) }));
  const later = FOLDERS.map((path) => join(place.claudeFolder, path));
  const made = [...later, ...listThere(place)].filter((path) => !there.includes(path));
  return { ...place, files, made: [...new Set([...place.made, ...made])].sort() };
}

/** Claude Code makes these for a plugin, some when a session first runs it. */
const FOLDERS = ['plugins', 'plugins/cache', 'plugins/data', 'plugins/marketplaces'];

/** In the folders that we or `claude` may write to. Past sessions are many, and not written by either. */
export function listThere({ claudeFolder, project }: PlaceName): string[] {
  return [claudeFolder, ...(project === null ? [] : [join(project, '.claude')])].flatMap((folder) => [
    ...(fs.existsSync(folder) ? [folder] : []),
    ...listUnder(folder, 'projects'),
  ]);
}

function listUnder(folder: string, except = ''): string[] {
  const entries = fs.existsSync(folder) ? fs.readdirSync(folder, { withFileTypes: true }) : [];
  return entries
    .filter(({ name }) => name !== except)
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? [path, ...listUnder(path)] : [path];
    });
}

export function writeEntries(changes: Change[]): void {
  for (const { path, after } of changes) write(path, after);
}

/** Each file that nobody has changed since gets its old bytes; of any other only our part goes. Then what was made with it. */
export function leavePlace(place: Place, folder: string): void {
  const noted = place.files.length > 0 ? place.files : listFiles(place).map((path) => ({ path, copy: null, after: '' }));
  const left = noted.map((file) => ({ ...file, ...planLeave(file, folder) }));
  for (const { path, now, later } of left) if (later !== now) write(path, later);
  const { claudeFolder } = place;
  for (const own of [`plugins/cache/${MARKETPLACE}`, `plugins/data/${PLUGIN}-${MARKETPLACE}`])
    fs.rmSync(join(claudeFolder, own), { recursive: true, force: true });
  for (const path of place.made.toReversed()) {
    // Copies of its state that Claude Code made because we started it.
    if (dirname(path) === join(claudeFolder, 'backups')) fs.rmSync(path, { force: true });
    removeIfEmpty(path);
  }
}

/** Read before anything is written: one that cannot be read stops all. */
function planLeave(file: Place['files'][number], folder: string): { now: string | null; later: string | null } {
  const now = readText(file.path);
  const before = readBefore(folder, file);
  if (now === null || file.after === hash(now)) return { now, later: now === null ? null : before };
  const later = takeOut(requireJson(file.path, now), before, launcherIn(folder));
  return { now, later: before === null && isHollow(file.path, later) ? null : later };
}

/** What Claude Code writes when there is nothing to say. Its state of before is never hollow: it is the person's. */
const isHollow = (path: string, text: string) => {
  const { version: _, ...rest } = JSON.parse(text.trim() || '{}');
  return basename(path) !== '.claude.json' && ['{}', '{"plugins":{}}'].includes(JSON.stringify(rest));
};

export function readText(path: string): string | null {
  return fs.existsSync(path) ? readRegular(path, MOST_BYTES).toString() : null;
}

/** Whole or not at all; a link to a file elsewhere stays one, and whoever could read it still can. */
export function write(path: string, text: string | null): void {
  if (text === null) {
    fs.rmSync(path, { force: true });
    return;
  }
  fs.mkdirSync(dirname(path), { recursive: true });
  const isThere = fs.existsSync(path);
  const file = isThere ? fs.realpathSync(path) : path;
  const part = `${file}.${process.pid}.part`;
  fs.writeFileSync(part, text, { mode: isThere ? fs.statSync(file).mode : 0o600 });
  fs.renameSync(part, file);
}

export const hash = (text: string | null) => (text === null ? 'none' : hashParts([text]));
export const readBefore = (folder: string, { copy }: { copy: string | null }) => copy && readText(join(folder, 'before', copy));

/** In <data dir>/plugin/before: the file as it was without us. */
export function keepCopy(folder: string, path: string, text: string): string {
  const name = `${hashParts([path]).slice(0, 12)}-${basename(path)}`;
  fs.mkdirSync(join(folder, 'before'), { recursive: true, mode: 0o700 });
  fs.writeFileSync(join(folder, 'before', name), text, { mode: 0o600 });
  return name;
}

// Our entries in Claude Code's own JSON files: put in and taken out as text, so that every other byte stays as it is.

const serversOf = (project: string | null): JSONPath => [...(project === null ? [] : ['projects', project]), 'mcpServers', SERVER];

/** The hooks of plugin/hooks/hooks.json as commands of a shell: every version of Claude Code runs those. */
function putHooks(text: string, plugin: string, launcher: string): string {
  const { hooks } = Hooks.parse(JSON.parse(readFileSync(join(plugin, 'hooks/hooks.json'), 'utf8')));
  return Object.entries(hooks).reduce((left, [event, groups]) => {
    const own = groups.map(({ hooks: all, ...group }) => ({
      ...group,
      hooks: all.map(({ args, ...hook }) => ({ ...hook, command: [launcher, ...args].map(quoteWord).join(' ') })),
    }));
    return own.reduce((one, group) => insert(one, ['hooks', event], group), left);
  }, text);
}

const Hook = z.looseObject({ type: z.literal('command'), args: z.array(z.string()) });
const Hooks = z.object({ hooks: z.record(z.string(), z.array(z.looseObject({ hooks: z.array(Hook) }))) });

/** Throws when another program has its name there. */
function putServer(text: string, project: string | null, launcher: string): string {
  const path = serversOf(project);
  if (valueAt(text, path) !== undefined) {
    throw new Error(`Another MCP server is called ${SERVER}. Nothing was changed. Remove it: claude mcp remove ${SERVER}`);
  }
  return put(text, path, { type: 'stdio', command: launcher, args: ['mcp.js'], env: {}, alwaysLoad: true });
}

/** Of whatever file: what is ours goes, and with it what holds nothing else and was not there `before`. */
export function takeOut(text: string, before: string | null, launcher: string): string {
  // From the end: what stands before it keeps its number.
  const ours = findOurs(readValue(text), launcher).reverse();
  return ours.reduce((left, path) => removeUpwards(left, path, before ?? '{}'), text);
}

export const hasHooks = (text: string, launcher: string): boolean => findOurs(readValue(text), launcher).some(([key]) => key === 'hooks');

function findOurs(file: Record<string, unknown>, launcher: string): JSONPath[] {
  const isOurs = (value: unknown) => isOurEntry(value, launcher);
  const named: JSONPath[] = [['enabledPlugins', PLUGIN_ID], ['extraKnownMarketplaces', MARKETPLACE], ['plugins', PLUGIN_ID], [MARKETPLACE]];
  const projects = Object.keys(Object(file.projects));
  const servers = [null, ...projects].map(serversOf).filter((path) => isOurs(valueIn(file, path)));
  const groups = Object.entries(Object(file.hooks)).flatMap(([event, list]) =>
    (Array.isArray(list) ? list : []).flatMap((group, at): JSONPath[] => (isOurs(group) ? [['hooks', event, at]] : [])),
  );
  return [...named.filter((path) => valueIn(file, path) !== undefined), ...servers, ...groups];
}
