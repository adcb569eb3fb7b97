// Whether `claude-mem` in the person's shell is this one: all our hints begin with that word, and another product has the same name.
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { quoteWord } from '../../core/quote-word.ts';
import type { PackageFiles } from './find-package.ts';

/** A line with the remedy; null when it is. `path`: as in PATH. */
export function describeCommand({ dist }: Pick<PackageFiles, 'dist'>, path: string): string | null {
  const root = dirname(dist);
  const found = Bun.which('claude-mem', { PATH: withoutRunners(path) });
  if (found !== null && isSameFile(found, join(root, 'bin/claude-mem'))) return null;
  const what = found === null ? 'is not on your PATH' : `is another program on your PATH (${found})`;
  return `\`claude-mem\` ${what}: run \`npm install --global ${quoteWord(root)}\`, and have "$(npm prefix --global)/bin" on your PATH${found === null ? '' : ' before that'}.`;
}

/** npx and npm scripts put these before the rest, for as long as they run. */
const withoutRunners = (path: string) =>
  path
    .split(':')
    .filter((folder) => !/\/node_modules\/\.bin\/?$|\/node-gyp-bin\/?$/.test(folder))
    .join(':');

function isSameFile(found: string, ours: string): boolean {
  try {
    return realpathSync(found) === realpathSync(ours);
  } catch {
    // One of the two is gone: then they are not one.
    return false;
  }
}
