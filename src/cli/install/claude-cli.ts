// The person's `claude`, asked to add or remove a plugin. It alone writes its settings.
import { existsSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { loadConfig } from '../../config.ts';
import { claudeEnvironment, findClaude } from '../../environment.ts';
import { homeDir, type Paths } from '../../paths.ts';
import { MARKETPLACE, PLUGIN, PLUGIN_ID } from './plugin-folder.ts';

const TIMEOUT_MS = 60_000;

export type Claude = {
  path: string;
  /** Runs it and returns what it printed. Throws with what it complained about when it fails. */
  ask(...args: string[]): Promise<string>;
};

/** Null: it was not found. It works on `claudeFolder`, which need not be the one of this shell. */
export function createClaude(paths: Paths, claudeFolder: string): Claude | null {
  const path = findProgram(paths);
  if (path === null) return null;
  const environment = chooseEnvironment(path, claudeFolder);
  return { path, ask: (...args) => run([path, ...args], environment) };
}

/** Besides the PATH, where its own installers put it and a shell knows it by an alias. */
function findProgram(paths: Paths): string | null {
  const { claudePath } = loadConfig(paths.config, {}).config;
  const usual = [claudePath, `${homeDir()}/.local/bin/claude`, `${homeDir()}/.claude/local/claude`];
  const found = findClaude() ?? usual.find((path) => path !== '' && existsSync(path));
  return found === undefined ? null : resolve(found);
}

/** Nothing is fetched and nothing reported: all of this happens on this machine. */
function chooseEnvironment(path: string, claudeFolder: string): Record<string, string> {
  const { CLAUDE_CONFIG_DIR, ...environment } = claudeEnvironment(path);
  const isUsual = CLAUDE_CONFIG_DIR === undefined && claudeFolder === `${homeDir()}/.claude`;
  return {
    ...environment,
    ...(isUsual ? {} : { CLAUDE_CONFIG_DIR: claudeFolder }),
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  };
}

async function run(command: string[], env: Record<string, string>): Promise<string> {
  // In a folder without settings of a project's, which would count as well.
  const child = Bun.spawn(command, {
    cwd: '/',
    env,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: TIMEOUT_MS,
  });
  const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (exitCode === 0) return stdout;
  const why = (stderr || stdout).trim() || (child.signalCode ? 'it took too long' : `it ended with ${exitCode}`);
  throw new Error(`\`claude ${command.slice(1).join(' ')}\` failed: ${why}`);
}

/** The part of `claude plugin list --json` that we look at. */
const Listed = z.looseObject({
  id: z.string(),
  version: z.string().optional(),
  scope: z.string().optional(),
  enabled: z.boolean().optional(),
  /** Where it is read, when that is not the copy. */
  readFromFolder: z.string().optional(),
  errors: z.array(z.string()).optional(),
});
type Listed = z.infer<typeof Listed>;

const listPlugins = (claude: Claude) => readList(claude, ['plugin', 'list', '--json'], z.array(Listed));

const listMarketplaces = (claude: Claude) =>
  readList(claude, ['plugin', 'marketplace', 'list', '--json'], z.array(z.looseObject({ name: z.string() })));

async function readList<List>(claude: Claude, args: string[], schema: z.ZodType<List>): Promise<List> {
  const printed = await claude.ask(...args);
  try {
    return schema.parse(JSON.parse(printed));
  } catch (cause) {
    throw new Error(
      `\`claude ${args.join(' ')}\` did not answer as expected. Is ${claude.path} up to date? \`claude update\` makes it so.`,
      { cause },
    );
  }
}

/** Makes Claude Code load our plugin in every session, or in none, by its own commands; looks afterwards whether it will. */
type Wanted = { folder: string; version: string };

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
