// The person's `claude`, asked to add or remove a plugin. It alone writes its settings.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { loadConfig } from '../../config.ts';
import { claudeEnvironment, findClaude } from '../../environment.ts';
import { homeDir, type Paths } from '../../paths.ts';

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
export type Listed = z.infer<typeof Listed>;

export const listPlugins = (claude: Claude) => readList(claude, ['plugin', 'list', '--json'], z.array(Listed));

export const listMarketplaces = (claude: Claude) =>
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
