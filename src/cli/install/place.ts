// One place where we are installed: which of Claude Code's files that touches, how they were before, and how they become so again.
import * as fs from 'node:fs';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { insert, put, readValue, removeUpwards, valueAt, valueIn } from '../../agents/json-text.ts';
import { findOurs, SERVER } from '../../agents/setups.ts';
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
    const after = put(before === null ? '' : takeFrom(path)(before, launcher, ''));
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

/** How things are before we come: to be kept before anything is written. */
export function lookBefore(place: PlaceName, folder: string, known: Place | undefined): Place {
  const files = listFiles(place).map((path) => noteBefore(path, folder, known?.files, takeFrom(path)));
  return { ...place, files, made: known?.made ?? [] };
}

/** Afterwards: how each file was left, and what else is there now. `there`: what listThere found before. */
export function lookAfter(place: Place, there: string[]): Place {
  const files = place.files.map(noteAfter);
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

/** Then what was made with it. */
export function leavePlace(place: Place, folder: string): void {
  const noted = place.files.length > 0 ? place.files : listFiles(place).map((path) => ({ path, copy: null, after: '' }));
  giveBack(noted, folder, takeFrom);
  const { claudeFolder } = place;
  for (const own of [`plugins/cache/${MARKETPLACE}`, `plugins/data/${PLUGIN}-${MARKETPLACE}`])
    fs.rmSync(join(claudeFolder, own), { recursive: true, force: true });
  for (const path of place.made.toReversed()) {
    // Copies of its state that Claude Code made because we started it.
    if (dirname(path) === join(claudeFolder, 'backups')) fs.rmSync(path, { force: true });
    removeIfEmpty(path);
  }
}

// A file of another program that we write into: how it was before is kept, and given back.

/** `copy`: how it was without us, in <data dir>/plugin/before; null: there was none. `after`: a hash of it as we left it. */
type Noted = Place['files'][number];
/** Our part goes from its text. `before`: the file as it was without us. */
type Take = (text: string, launcher: string, before: string) => string;

/** To be noted before anything is written. `known`: as it was noted when we came here before. */
export function noteBefore(path: string, folder: string, known: Noted[] | undefined, take: Take): Noted {
  const without = readWithout(path, folder, known?.find((one) => one.path === path) ?? null, take);
  return { path, copy: without === null ? null : keepCopy(folder, path, without), after: '' };
}

export const noteAfter = (file: Noted): Noted => ({ ...file, after: hash(readText(file.path)) });

/** The file as it would be without us. What somebody has changed since is theirs: only our part of it is not. */
export function readWithout(path: string, folder: string, noted: Noted | null, take: Take): string | null {
  const now = readText(path);
  const before = noted?.copy ? readText(join(folder, 'before', noted.copy)) : null;
  if (now === null) return null;
  return noted && noted.after === hash(now) ? before : take(now, launcherIn(folder), before ?? '');
}

/** Each file that nobody has changed since gets its old bytes; of any other only our part goes. All are read before one is written. */
export function giveBack(files: Noted[], folder: string, takeOf: (path: string) => Take): void {
  const left = files.map((file) => {
    const later = readWithout(file.path, folder, file, takeOf(file.path));
    return { path: file.path, later: file.copy === null && later !== null && isHollow(file.path, later) ? null : later };
  });
  for (const { path, later } of left) if (later !== readText(path)) write(path, later);
}

/** What is written when there is nothing to say. Claude Code's state is never hollow: it is the person's. */
const isHollow = (path: string, text: string) =>
  basename(path) !== '.claude.json' && ['', '{}', '{"plugins":{}}'].includes(text.replace(/\s/g, '').replace(/"version":\d+,?/, ''));

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

const hash = (text: string | null) => (text === null ? 'none' : hashParts([text]));

function keepCopy(folder: string, path: string, text: string): string {
  const name = `${hashParts([path]).slice(0, 12)}-${basename(path)}`;
  fs.mkdirSync(join(folder, 'before'), { recursive: true, mode: 0o700 });
  fs.writeFileSync(join(folder, 'before', name), text, { mode: 0o600 });
  return name;
}

// Our entries in Claude Code's own JSON files: put in and taken out as text, so that every other byte stays as it is.

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
  const path = [...(project === null ? [] : ['projects', project]), 'mcpServers', SERVER];
  if (valueAt(text, path) !== undefined) {
    throw new Error(`Another MCP server is called ${SERVER}. Nothing was changed. Remove it: claude mcp remove ${SERVER}`);
  }
  return put(text, path, { type: 'stdio', command: launcher, args: ['mcp.js'], env: {}, alwaysLoad: true });
}

/** Of whatever file: what is ours goes, and with it what holds nothing else and was not there `before`. */
const takeFrom = (path: string) => (text: string, launcher: string, before: string) => {
  const file = readValue(requireJson(path, text));
  const ours = [...findOurs(file, launcher), ...NAMED.filter((one) => valueIn(file, one) !== undefined)];
  return ours.reduce((left, one) => removeUpwards(left, one, before), text);
};

/** What Claude Code itself writes when it adds our plugin. */
const NAMED = [['enabledPlugins', PLUGIN_ID], ['extraKnownMarketplaces', MARKETPLACE], ['plugins', PLUGIN_ID], [MARKETPLACE]];

export const hasHooks = (text: string, launcher: string): boolean => findOurs(readValue(text), launcher).some(([key]) => key === 'hooks');
