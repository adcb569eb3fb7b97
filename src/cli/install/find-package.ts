// The files of this package, wherever npm put them.
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { quoteWord } from '../../core/text.ts';

export type PackageFiles = {
  version: string;
  /** The bundles and the models of search. */
  dist: string;
  /** What Claude Code reads: manifest, hooks, servers, skills. */
  plugin: string;
  /** The Bun that runs us: the one the bundles were made for. */
  bun: string;
  /** How that is started. */
  launcher: string;
};

export function findPackage(): PackageFiles {
  const dist = findDist();
  const root = dirname(dist);
  const plugin = join(root, 'plugin');
  if (!existsSync(join(dist, 'hook.js')) || !existsSync(join(plugin, 'hooks/hooks.json'))) {
    throw new Error(`${root} is not a whole package: run \`npm install\` there.`);
  }
  const { version } = readManifest(root);
  return { version, dist, plugin, bun: realpathSync(process.execPath), launcher: join(root, 'bin/start-bun') };
}

/** The version of Bun that the package asks for. */
export const pinnedBun = (): string => readManifest(dirname(findDist())).dependencies.bun;

const Manifest = z.object({ version: z.string(), dependencies: z.object({ bun: z.string() }) });

const readManifest = (root: string) => Manifest.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));

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

/** By whatever links. */
export function isSameFile(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    // One of the two is gone: then they are not one.
    return false;
  }
}
