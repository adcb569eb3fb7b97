// <data dir>/plugin: a marketplace with our plugin, beside it the runtime and the bundles that it names, and the mark that it is ours.
import * as fs from 'node:fs';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../../core/plain-json.ts';
import { quoteWord } from '../../core/text.ts';
import { homeDir, type Paths } from '../../paths.ts';
import { readRegular } from '../../regular-file.ts';

type Content = { from: string } | { text: string; mode?: number };

/**
 * True when that changed anything. Claude Code copies a plugin to its cache, and some versions run that copy: so the plugin is
 * text alone, and what it runs has its whole path and stays here, once. Others run the files meanwhile: each appears whole, by a
 * rename, and only if it differs from what is there.
 */
export function placePlugin(folder: string, source: PackageFiles): boolean {
  const wanted = listWanted(folder, source);
  const changed = [...wanted].filter(([path, content]) => place(content, join(folder, path)));
  const stale = listFiles(folder).filter((path) => path !== MARK_FILE && !path.startsWith('before/') && !wanted.has(path));
  for (const path of stale) fs.rmSync(join(folder, path));
  return changed.length + stale.length > 0;
}

export function listPlaced(folder: string, source: PackageFiles): { files: number; bytes: number } {
  const sizes = [...listWanted(folder, source).values()].map((one) => ('from' in one ? fs.statSync(one.from).size : one.text.length));
  return { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

function listWanted(folder: string, source: PackageFiles): Map<string, Content> {
  const bun = process.platform === 'win32' ? 'bun.exe' : 'bun';
  return new Map<string, Content>([
    [`runtime/bin/${bun}`, { from: source.bun }],
    ['runtime/bin/start-bun', { text: writeLauncher(source, dirname(folder)), mode: 0o700 }],
    ...listFiles(source.dist).map((path): [string, Content] => [`runtime/dist/${path}`, { from: join(source.dist, path) }]),
    ...readTexts(source, join(folder, 'runtime')),
    ['.claude-plugin/marketplace.json', { text: describeMarketplace(source) }],
  ]);
}

/** It says whose memory it is, because the environment of a session does not: a repository's settings can set that. */
function writeLauncher({ launcher }: PackageFiles, dataDir: string): string {
  const spell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const own = `CLAUDE_MEM_INSTALLED=${spell(dataDir)}\nHOME=${spell(homeDir())}`;
  return fs.readFileSync(launcher, 'utf8').replace(/^CLAUDE_MEM_INSTALLED=$/m, () => own);
}

/** What npm ships of the plugin has neither runtime nor bundles; what is built in a checkout has both. */
function readTexts({ plugin, version }: PackageFiles, runtime: string): [string, Content][] {
  // Inside of a JSON string, hence escaped as one.
  const spelled = JSON.stringify(runtime.replaceAll('\\', '/')).slice(1, -1);
  return listFiles(plugin)
    .filter((path) => !/^(?:bin|dist)\//.test(path))
    .map((path) => {
      const text = fs.readFileSync(join(plugin, path), 'utf8');
      const isManifest = path === '.claude-plugin/plugin.json';
      const own = path.endsWith('.json')
        ? text.replaceAll(`\${CLAUDE_PLUGIN_ROOT}`, () => spelled)
        : // In a command of the plugin it is a word of a shell.
          text.replaceAll(`"\${CLAUDE_PLUGIN_ROOT}"`, () => quoteWord(runtime));
      return [`${PLUGIN}/${path}`, { text: isManifest ? print({ ...Manifest.parse(JSON.parse(text)), name: PLUGIN, version }) : own }];
    });
}

function listFiles(folder: string): string[] {
  const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll('\\', '/'));
}

const Manifest = z.looseObject({ description: z.string() });

function describeMarketplace({ plugin, version }: PackageFiles): string {
  const { description } = Manifest.parse(JSON.parse(fs.readFileSync(join(plugin, '.claude-plugin/plugin.json'), 'utf8')));
  return print({
    name: MARKETPLACE,
    description: 'Made by `claude-mem install`; removed by `claude-mem uninstall`.',
    owner: { name: 'claude-mem' },
    plugins: [{ name: PLUGIN, source: `./${PLUGIN}`, description, version }],
  });
}

const print = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

function place(content: Content, to: string): boolean {
  const isThere = fs.statSync(to, { throwIfNoEntry: false })?.isFile();
  if (isThere && ('from' in content ? hasSameBytes(content.from, to) : fs.readFileSync(to, 'utf8') === content.text)) return false;
  fs.mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  const temporary = `${to}.tmp-${process.pid}`;
  fs.rmSync(temporary, { force: true });
  if ('from' in content) linkOrCopy(content.from, temporary);
  else fs.writeFileSync(temporary, content.text, { mode: content.mode ?? 0o600 });
  fs.renameSync(temporary, to);
  return true;
}

/**
 * A hard link costs no space and outlives the package it comes from; what npm installs later is another file. Across
 * file systems, or where the package belongs to another user, a copy.
 */
function linkOrCopy(from: string, to: string): void {
  try {
    fs.linkSync(from, to);
  } catch {
    // No link is possible here: a copy, which some file systems make without copying.
    fs.copyFileSync(from, to, fs.constants.COPYFILE_FICLONE);
  }
}

function hasSameBytes(one: string, other: string): boolean {
  const [a, b] = [fs.statSync(one), fs.statSync(other)];
  if (a.size !== b.size || a.size === 0) return a.size === b.size;
  // Times tell nothing: npm gives every file the same. Mapped, because the runtime has 100 MB.
  return (a.dev === b.dev && a.ino === b.ino) || Buffer.compare(Bun.mmap(one), Bun.mmap(other)) === 0;
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

export const launcherIn = (folder: string) => join(folder, 'runtime/bin/start-bun');

/** <data dir>/plugin/installed.json: the folder is ours, where it is registered, and what has been offered. */
const MARK_FILE = 'installed.json';

/** One folder of Claude Code's: whoever sets CLAUDE_CONFIG_DIR has several. What 0.1.0 wrote down has its name alone. */
const Place = z.object({
  claudeFolder: z.string(),
  /** For this project alone; null: for all. */
  project: z.string().nullable().default(null),
  mode: z.enum(['plugin', 'traditional']).default('plugin'),
  /** Files that were changed: a copy of each without us (null: there was none), and a hash of it as we left it. */
  files: z.array(z.object({ path: z.string(), copy: z.string().nullable(), after: z.string() })).default([]),
  made: z.array(z.string()).default([]),
});
export type Place = z.infer<typeof Place>;

const AgentPlace = z.object({
  agent: z.string(),
  files: Place.shape.files,
  made: Place.shape.made,
});
export type AgentPlace = z.infer<typeof AgentPlace>;

export const NO_MARK: Mark = { version: '', places: [], agents: [], offered: [] };

const Mark = z.object({
  version: z.string(),
  places: z.array(Place),
  agents: z.array(AgentPlace).default([]),
  offered: z.array(z.enum(['login', 'import', 'original'])),
});
export type Mark = z.infer<typeof Mark>;
/** Null: nothing is installed. Throws when the folder is somebody else's. */
export function readMark(folder: string): Mark | null {
  if (!fs.existsSync(folder) || fs.readdirSync(folder).length === 0) return null;
  const file = join(folder, MARK_FILE);
  if (!fs.existsSync(file)) {
    throw new Error(`${folder} was not made by claude-mem install. Move it away, then run this again.`);
  }
  const parsed = Mark.safeParse(parseJson(readRegular(file).toString()));
  // Only we write it: what is damaged is written again, and less can be tidied up.
  return parsed.success ? parsed.data : NO_MARK;
}

export function writeMark(folder: string, mark: Mark): void {
  place({ text: print(mark) }, join(folder, MARK_FILE));
}

export function noteOffer(folder: string, offer: Mark['offered'][number]): void {
  const mark = readMark(folder);
  if (mark && !mark.offered.includes(offer)) writeMark(folder, { ...mark, offered: [...mark.offered, offer] });
}

export const isSamePlace = (one: Pick<Place, 'claudeFolder' | 'project'>, other: Pick<Place, 'claudeFolder' | 'project'>) =>
  one.claudeFolder === other.claudeFolder && one.project === other.project;

export function notePlace(folder: string, version: string, place: Place): void {
  const { places, ...mark } = readMark(folder) ?? NO_MARK;
  writeMark(folder, { ...mark, version, places: [...places.filter((one) => !isSamePlace(one, place)), place] });
}

export function isInstalled(paths: Paths): boolean {
  try {
    return readMark(marketplaceFolder(paths)) !== null;
  } catch {
    // The folder is somebody else's: `install` says so.
    return false;
  }
}

export type PackageFiles = ReturnType<typeof findPackage>;

export function findPackage() {
  const dist = findDist();
  const root = dirname(dist);
  const plugin = join(root, 'plugin');
  if (!existsSync(join(dist, 'hook.js')) || !existsSync(join(plugin, 'hooks/hooks.json'))) {
    throw new Error(`${root} is not a whole package: run \`npm install\` there.`);
  }
  const { version } = readManifest(root);
  return { version, dist, plugin, bun: realpathSync(process.execPath), launcher: join(root, 'bin/start-bun') };
}

export const pinnedBun = (): string => readManifest(dirname(findDist())).dependencies.bun;

const PackageManifest = z.object({ version: z.string(), dependencies: z.object({ bun: z.string() }) });

const readManifest = (root: string) => PackageManifest.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));

/** Where we are; run from the source tree, what was built of it. */
function findDist(): string {
  return existsSync(join(import.meta.dir, 'hook.js')) ? import.meta.dir : join(import.meta.dir, '../../../dist');
}

/**
 * A line with the remedy when `claude-mem` in the person's shell is another one, else null: all our hints begin with that word, and
 * another product has the same name. `path`: as in PATH.
 */
export function describeCommand({ dist }: Pick<PackageFiles, 'dist'>, path: string): string | null {
  const root = dirname(dist);
  const found = Bun.which('claude-mem', { PATH: withoutRunners(path) });
  if (found !== null && isSameFile(found, join(root, 'bin/claude-mem'))) return null;
  const what = found === null ? 'is not on your PATH' : `is another program on your PATH (${found})`;
  const place = `"$(npm prefix --global)/bin" on your PATH${found === null ? '' : ' before that'}`;
  return `\`claude-mem\` ${what}: run \`npm install --global ${quoteWord(root)}\`, and have ${place}.`;
}

/** npx and npm scripts put these before the rest, for as long as they run. */
const withoutRunners = (path: string) =>
  path
    .split(':')
    .filter((folder) => !/\/node_modules\/\.bin\/?$|\/node-gyp-bin\/?$/.test(folder))
    .join(':');

export function isSameFile(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    // One of the two is gone: then they are not one.
    return false;
  }
}
