// One line on whether Claude Code loads the plugin, and whether it is as new as this package.
import type { Paths } from '../../paths.ts';
import { VERSION } from '../version.ts';
import { readMark } from './install-mark.ts';
import { marketplaceFolder, PLUGIN_ID } from './names.ts';

export function describeInstalled(paths: Paths, version = VERSION): string {
  const installed = readInstalled(paths);
  if (installed === undefined) return 'not installed: `claude-mem install` has every session load it';
  if (installed === version) return `${PLUGIN_ID}, version ${version}`;
  return `${PLUGIN_ID}, version ${installed}; this is ${version}: \`claude-mem install\` takes it up`;
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
