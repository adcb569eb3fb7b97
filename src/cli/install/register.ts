// Makes Claude Code load our plugin in every session, or in none, by its own commands; looks afterwards whether it will.
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { type Claude, type Listed, listMarketplaces, listPlugins } from './claude-cli.ts';
import { MARKETPLACE, PLUGIN, PLUGIN_ID } from './names.ts';

export type Wanted = { folder: string; version: string };

/** True when that changed anything. */
export async function register(claude: Claude, wanted: Wanted): Promise<boolean> {
  if (isAsWanted(await findOurs(claude), wanted)) return false;
  await claude.ask('plugin', 'marketplace', 'add', wanted.folder);
  await claude.ask('plugin', 'install', PLUGIN_ID);
  const added = await findOurs(claude);
  if (added?.version !== wanted.version) await claude.ask('plugin', 'update', PLUGIN_ID);
  const listed = await findOurs(claude);
  if (isAsWanted(listed, wanted)) return true;
  const found = listed === undefined ? 'it is not in the list' : JSON.stringify(listed);
  throw new Error(`Claude Code took the plugin ${PLUGIN_ID}, but would not load it: ${found}.`);
}

/** True when there was something to remove. */
export async function unregister(claude: Claude): Promise<boolean> {
  const plugin = await findOurs(claude);
  if (plugin) await claude.ask('plugin', 'uninstall', PLUGIN_ID);
  const marketplace = (await listMarketplaces(claude)).find(({ name }) => name === MARKETPLACE);
  if (marketplace) await claude.ask('plugin', 'marketplace', 'remove', MARKETPLACE);
  return plugin !== undefined || marketplace !== undefined;
}

/** As it is for all projects: one of them may have it disabled for itself. */
const findOurs = async (claude: Claude) =>
  (await listPlugins(claude)).find(({ id, scope = 'user' }) => id === PLUGIN_ID && scope === 'user');

function isAsWanted(listed: Listed | undefined, { folder, version }: Wanted): boolean {
  if (!listed || listed.enabled === false || (listed.errors ?? []).length > 0) return false;
  const { readFromFolder } = listed;
  const isHere = readFromFolder === undefined || isSame(readFromFolder, join(folder, PLUGIN));
  return isHere && listed.version === version;
}

function isSame(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    // One of them is gone.
    return false;
  }
}
