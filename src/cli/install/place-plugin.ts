// <data dir>/plugin: a marketplace with our plugin, and beside the plugin the runtime and the bundles that it names.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { homeDir } from '../../paths.ts';
import type { PackageFiles } from './find-package.ts';
import { MARK_FILE } from './install-mark.ts';
import { MARKETPLACE, PLUGIN } from './names.ts';
import { placeFile, placeFolder, placeText, removeOthers } from './place-files.ts';

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
  if (path === '.claude-plugin/plugin.json')
    return print({ ...Manifest.parse(JSON.parse(text)), name: PLUGIN, version });
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
