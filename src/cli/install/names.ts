// What Claude Code knows us by, and where it finds us.
import { resolve } from 'node:path';
import type { Paths } from '../../paths.ts';

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
