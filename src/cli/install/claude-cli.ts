// The person's `claude`, asked to add our plugin: it alone knows all that its version needs for that.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { isOurs as isOurEntry } from '../../agents/setups.ts';
import { loadConfig } from '../../config.ts';
import { wordTable } from '../../core/text.ts';
import { claudeEnvironment, findClaude } from '../../environment.ts';
import { homeDir, type Paths } from '../../paths.ts';
import { readText, requireJson } from './place.ts';
import { isSameFile, PLUGIN, PLUGIN_ID } from './plugin-folder.ts';

const TIMEOUT_MS = 60_000;

export type Claude = {
  path: string;
  /** Runs it and returns what it printed. Throws with what it complained about when it fails. */
  ask(...args: string[]): Promise<string>;
};

/** Null: it was not found. It works on `claudeFolder`, which need not be the one of this shell. */
export function createClaude(paths: Paths, claudeFolder: string): Claude | null {
  // Besides the PATH, where its own installers put it and a shell knows it by an alias.
  const usual = [loadConfig(paths.config, {}).config.claudePath, `${homeDir()}/.local/bin/claude`, `${homeDir()}/.claude/local/claude`];
  const found = findClaude() ?? usual.find((one) => one !== '' && existsSync(one));
  if (found === undefined) return null;
  const path = resolve(found);
  const { CLAUDE_CONFIG_DIR, ...environment } = claudeEnvironment(path);
  const isUsual = CLAUDE_CONFIG_DIR === undefined && claudeFolder === `${homeDir()}/.claude`;
  const env = { ...environment, ...(!isUsual && { CLAUDE_CONFIG_DIR: claudeFolder }), ...ON_THIS_MACHINE };
  return { path, ask: (...args) => run([path, ...args], env) };
}

const ON_THIS_MACHINE = {
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
};

async function run(command: string[], env: Record<string, string>): Promise<string> {
  // In a folder without settings of a project's, which would count as well.
  const child = Bun.spawn(command, { cwd: '/', env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe', timeout: TIMEOUT_MS });
  const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (exitCode === 0) return stdout;
  const why = (stderr || stdout).trim() || (child.signalCode ? 'it took too long' : `it ended with ${exitCode}`);
  throw new Error(`\`claude ${command.slice(1).join(' ')}\` failed: ${why}`);
}

const Listed = z.looseObject({
  id: z.string(),
  version: z.string().optional(),
  scope: z.string().default('user'),
  enabled: z.boolean().optional(),
  /** Where it is read, when that is not the copy. */
  readFromFolder: z.string().optional(),
  errors: z.array(z.string()).default([]),
});

async function readList<List>(claude: Claude, args: string[], schema: z.ZodType<List>): Promise<List> {
  const printed = await claude.ask(...args);
  try {
    return schema.parse(JSON.parse(printed));
  } catch (cause) {
    const remedy = `Is ${claude.path} up to date? \`claude update\` makes it so.`;
    throw new Error(`\`claude ${args.join(' ')}\` did not answer as expected. ${remedy}`, { cause });
  }
}

export const REGISTER = (folder: string) => [
  ['plugin', 'marketplace', 'add', folder],
  ['plugin', 'install', PLUGIN_ID],
];

type Wanted = { folder: string; version: string };

/** By its own commands; looks afterwards whether it will load our plugin in every session. True when that changed anything. */
export async function register(claude: Claude, wanted: Wanted): Promise<boolean> {
  if (isAsWanted(await findOurs(claude), wanted)) return false;
  for (const args of REGISTER(wanted.folder)) await claude.ask(...args);
  const added = await findOurs(claude);
  if (added?.version !== wanted.version) await claude.ask('plugin', 'update', PLUGIN_ID);
  const listed = await findOurs(claude);
  if (isAsWanted(listed, wanted)) return true;
  const found = listed === undefined ? 'it is not in the list' : JSON.stringify(listed);
  throw new Error(`Claude Code took the plugin ${PLUGIN_ID}, but would not load it: ${found}.`);
}

/** As it is for all projects: one of them may have it disabled for itself. */
async function findOurs(claude: Claude) {
  const plugins = await readList(claude, ['plugin', 'list', '--json'], z.array(Listed));
  return plugins.find(({ id, scope }) => id === PLUGIN_ID && scope === 'user');
}

function isAsWanted(listed: z.infer<typeof Listed> | undefined, { folder, version }: Wanted): boolean {
  if (!listed || listed.enabled === false || listed.errors.length > 0 || listed.version !== version) return false;
  return listed.readFromFolder === undefined || isSameFile(listed.readFromFolder, join(folder, PLUGIN));
}

// Claude Code's own folder: where it is, and who else is in its settings.

/** `~/.claude`, or what CLAUDE_CONFIG_DIR says. Whole: we ask `claude` from elsewhere. */
export const findClaudeFolder = () => resolve(claudeEnvironment('').CLAUDE_CONFIG_DIR || `${homeDir()}/.claude`);

type ClaudeSettings = z.infer<typeof Settings>;

const Settings = z.looseObject({
  enabledPlugins: z.record(z.string(), z.unknown()).optional().catch(undefined),
  hooks: z.unknown().optional(),
});

/** Null: there are none. Throws when they cannot be read: then nobody, `claude` included, may write them. */
export function readClaudeSettings(folder: string): ClaudeSettings | null {
  const file = join(folder, 'settings.json');
  const text = readText(file);
  return text === null ? null : Settings.parse(JSON.parse(requireJson(file, text).trim() || '{}'));
}

/** Other products that keep a memory of the same sessions, in sentences with what to do. They are named, never touched. */
export function describeOthers(settings: ClaudeSettings | null, launcher: string): string[] {
  const enabled = Object.entries(settings?.enabledPlugins ?? {}).filter(([id, value]) => value !== false && id !== PLUGIN_ID);
  const others = enabled.flatMap(([id]) => {
    const why = SAME_NAME[id.split('@')[0] ?? ''];
    return why ? [`The plugin ${id} ${why}. To have only this one: claude plugin disable ${id}`] : [];
  });
  const groups = Object.values(Object(settings?.hooks ?? {})).flat();
  const isHooked = groups.some((group) => JSON.stringify(group).includes('claude-mem') && !isOurEntry(group, launcher));
  return [...others, ...(isHooked ? [`"hooks" in your settings name claude-mem as well: ${BOTH}. Take them out there.`] : [])];
}

export const findOriginal = (settings: ClaudeSettings | null): string | undefined =>
  Object.entries(settings?.enabledPlugins ?? {}).find(([id, value]) => value !== false && id.startsWith('claude-mem@'))?.[0];

const BOTH = 'both would capture the same sessions';
const SAME_NAME: Record<string, string> = wordTable({
  'claude-mem': `is enabled, too: ${BOTH} and add to their context`,
  [PLUGIN]: 'has the same name: Claude Code runs the hooks of only one of them',
});
