// <data dir>/plugin: a marketplace with our plugin, beside it the runtime and the bundles that it names, and the mark that it is ours.
import {
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { z } from 'zod';
import { homeDir, type Paths } from '../../paths.ts';
import { readRegular } from '../../regular-file.ts';
import type { PackageFiles } from './find-package.ts';

/**
 * True when that changed anything. Claude Code copies a plugin to its cache, and some versions run that copy: so the plugin is
 * text alone, and what it runs has its whole path and stays here, once.
 */
export function placePlugin(folder: string, source: PackageFiles): boolean {
  const runtime = join(folder, 'runtime');
  const bun = process.platform === 'win32' ? 'bun.exe' : 'bun';
  return [
    placeFile(source.bun, join(runtime, 'bin', bun)),
    placeText(writeLauncher(source, dirname(folder)), join(runtime, 'bin/start-bun'), 0o700),
    placeFolder(source.dist, join(runtime, 'dist')),
    removeOthers(runtime, ['bin', 'dist']),
    placeTexts(readTexts(source, runtime), join(folder, PLUGIN)),
    placeText(describeMarketplace(source), join(folder, '.claude-plugin/marketplace.json')),
    removeOthers(folder, [MARK_FILE, '.claude-plugin', PLUGIN, 'runtime']),
  ].some(Boolean);
}

/** It says whose memory it is, because the environment of a session does not: a repository's settings can set that. */
function writeLauncher({ launcher }: PackageFiles, dataDir: string): string {
  const spell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const own = `CLAUDE_MEM_INSTALLED=${spell(dataDir)}\nHOME=${spell(homeDir())}`;
  return readFileSync(launcher, 'utf8').replace(/^CLAUDE_MEM_INSTALLED=$/m, () => own);
}

function placeTexts(texts: Map<string, string>, to: string): boolean {
  const changed = [...texts].map(([path, text]) => placeText(text, join(to, path)));
  const stale = listFiles(to).filter((path) => !texts.has(path));
  for (const path of stale) rmSync(join(to, path));
  return changed.some(Boolean) || stale.length > 0;
}

/** By path. What npm ships of the plugin has neither runtime nor bundles; what is built in a checkout has both. */
function readTexts({ plugin, version }: PackageFiles, runtime: string): Map<string, string> {
  const paths = listFiles(plugin).filter((path) => !/^(?:bin|dist)\//.test(path));
  const read = (path: string) => rewrite(path, readFileSync(join(plugin, path), 'utf8'), { runtime, version });
  return new Map(paths.map((path) => [path, read(path)]));
}

function listFiles(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll('\\', '/'));
}

function rewrite(path: string, text: string, { runtime, version }: { runtime: string; version: string }): string {
  if (path === '.claude-plugin/plugin.json') return print({ ...Manifest.parse(JSON.parse(text)), name: PLUGIN, version });
  if (!path.endsWith('.json')) return text;
  // Inside of a JSON string, hence escaped as one.
  const spelled = JSON.stringify(runtime.replaceAll('\\', '/')).slice(1, -1);
  return text.replaceAll(`\${CLAUDE_PLUGIN_ROOT}`, () => spelled);
}

const Manifest = z.looseObject({ description: z.string() });

function describeMarketplace({ plugin, version }: PackageFiles): string {
  const { description } = Manifest.parse(JSON.parse(readFileSync(join(plugin, '.claude-plugin/plugin.json'), 'utf8')));
  return print({
    name: MARKETPLACE,
    description: 'Made by `claude-mem install`; removed by `claude-mem uninstall`.',
    owner: { name: 'claude-mem' },
    plugins: [{ name: PLUGIN, source: `./${PLUGIN}`, description, version }],
  });
}

const print = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

/**
 * Makes `to` hold the files of `from` and no others. True when that changed anything. Others run them meanwhile: each appears
 * whole, by a rename, and only if it differs from what is there.
 */
function placeFolder(from: string, to: string): boolean {
  makeFolder(to);
  const names = readdirSync(from);
  let changed = removeOthers(to, names);
  for (const name of names) {
    const [source, target] = [join(from, name), join(to, name)];
    const place = statSync(source).isDirectory() ? placeFolder : placeFile;
    changed = place(source, target) || changed;
  }
  return changed;
}

/**
 * A hard link costs no space and outlives the package it comes from; what npm installs later is another file. Across
 * file systems, or where the package belongs to another user, a copy.
 */
function placeFile(from: string, to: string): boolean {
  if (isSameFile(from, to)) return false;
  replaceFile(to, (temporary) => {
    try {
      linkSync(from, temporary);
    } catch {
      // No link is possible here: a copy, which some file systems make without copying.
      copyFileSync(from, temporary, constants.COPYFILE_FICLONE);
    }
  });
  return true;
}

function placeText(text: string, to: string, mode = 0o600): boolean {
  if (statSync(to, { throwIfNoEntry: false })?.isFile() && readFileSync(to, 'utf8') === text) return false;
  replaceFile(to, (temporary) => writeFileSync(temporary, text, { mode }));
  return true;
}

function removeOthers(folder: string, names: string[]): boolean {
  const others = readdirSync(folder).filter((name) => !names.includes(name));
  for (const name of others) rmSync(join(folder, name), { recursive: true });
  return others.length > 0;
}

const makeFolder = (path: string) => mkdirSync(path, { recursive: true, mode: 0o700 });

function replaceFile(target: string, write: (temporary: string) => void): void {
  makeFolder(dirname(target));
  const temporary = `${target}.tmp-${process.pid}`;
  rmSync(temporary, { force: true });
  write(temporary);
  renameSync(temporary, target);
}

function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path): Stats | undefined => statSync(path, { throwIfNoEntry: false }));
  if (a === undefined || b === undefined || a.size !== b.size) return false;
  if (a.dev === b.dev && a.ino === b.ino) return true;
  // Times tell nothing: npm gives every file the same. Mapped, because the runtime has 100 MB.
  return a.size === 0 || Buffer.compare(Bun.mmap(one), Bun.mmap(other)) === 0;
}

/** The marketplace that `install` makes: a folder with one plugin in it. */
export const MARKETPLACE = 'claude-mem';

/**
 * Not `claude-mem`: of two plugins with one name Claude Code loads the hooks of the first alone, without a word, and the public
 * product has that name. Names that begin with `claude-` are kept for Anthropic's own besides.
 */
export const PLUGIN = 'mem';

export const PLUGIN_ID = `${PLUGIN}@${MARKETPLACE}`;

/** In the data dir: if a person deletes that, Claude Code leaves the plugin out and says nothing. */
export const marketplaceFolder = (paths: Paths) => resolve(paths.dataDir, 'plugin');

/** The same in words for a person whose `claude` cannot be found. */
export const BY_HAND = {
  add: (folder: string) => [`/plugin marketplace add ${folder}`, `/plugin install ${PLUGIN_ID}`],
  remove: [`/plugin uninstall ${PLUGIN_ID}`, `/plugin marketplace remove ${MARKETPLACE}`],
};

/** <data dir>/plugin/installed.json: the folder is ours, where it is registered, and what has been offered. */
const MARK_FILE = 'installed.json';

/** One folder of Claude Code's: whoever sets CLAUDE_CONFIG_DIR has several. */
const Place = z.object({
  claudeFolder: z.string(),
  /** What was not there before us: see claude-folder.ts. */
  absent: z.array(z.string()),
});
export type Place = z.infer<typeof Place>;

const Mark = z.object({
  version: z.string(),
  places: z.array(Place),
  /** The questions that were asked: not again. */
  offered: z.array(z.enum(['login', 'import'])),
});
type Mark = z.infer<typeof Mark>;
type Offer = Mark['offered'][number];

/** Null: nothing is installed. Throws when the folder is somebody else's. */
export function readMark(folder: string): Mark | null {
  if (!existsSync(folder) || readdirSync(folder).length === 0) return null;
  const file = join(folder, MARK_FILE);
  if (!existsSync(file)) {
    throw new Error(`${folder} was not made by claude-mem install. Move it away, then say this again.`);
  }
  const parsed = Mark.safeParse(parseJson(readRegular(file).toString()));
  // Only we write it: what is damaged is written anew, and less can be tidied up.
  return parsed.success ? parsed.data : { version: '', places: [], offered: [] };
}

/** Before anything else is put there. */
export function writeMark(folder: string, mark: Mark): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  placeText(`${JSON.stringify(mark, null, 2)}\n`, join(folder, MARK_FILE));
}

export function noteOffer(folder: string, offer: Offer): void {
  const mark = readMark(folder);
  if (mark && !mark.offered.includes(offer)) writeMark(folder, { ...mark, offered: [...mark.offered, offer] });
}

/** What was known of a place first counts: a second `install` finds there what the first one made. */
export function addPlace(mark: Mark | null, version: string, place: Place): Mark {
  const places = mark?.places ?? [];
  const isKnown = places.some(({ claudeFolder }) => claudeFolder === place.claudeFolder);
  return { version, places: isKnown ? places : [...places, place], offered: mark?.offered ?? [] };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Damaged: the schema says so.
    return null;
  }
}

export const isInstalled = (paths: Paths): boolean => readInstalled(paths) !== undefined;

function readInstalled(paths: Paths): string | undefined {
  try {
    return readMark(marketplaceFolder(paths))?.version;
  } catch {
    // The folder is somebody else's: `install` says so.
    return undefined;
  }
}
