// Settings: <data dir>/config.json over the defaults, CLAUDE_MEM_* over both. With paths.ts the only reader of the environment.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { LOG_LEVELS } from './log.ts';

/** Every setting: its name in config.json, its variable, its default. docs/settings.md must describe each. */
const SETTINGS = {
  logLevel: { variable: 'CLAUDE_MEM_LOG_LEVEL', schema: z.enum(LOG_LEVELS), fallback: 'info' },
  idleMinutes: { variable: 'CLAUDE_MEM_IDLE_MINUTES', schema: z.coerce.number().positive(), fallback: 30 },
  contextTokens: {
    variable: 'CLAUDE_MEM_CONTEXT_TOKENS',
    schema: z.coerce.number().int().min(200).max(10_000),
    fallback: 2000,
  },
  retentionDays: { variable: 'CLAUDE_MEM_RETENTION_DAYS', schema: z.coerce.number().min(0), fallback: 7 },
  skipTools: {
    variable: 'CLAUDE_MEM_SKIP_TOOLS',
    schema: z.union([z.array(z.string()), z.string().transform((list) => list.split(',').map((name) => name.trim()))]),
    fallback: ['ListMcpResourcesTool', 'ReadMcpResourceTool', 'SlashCommand', 'Skill', 'ToolSearch'],
  },
} as const;

export const SETTING_NAMES = Object.keys(SETTINGS);
export const SETTING_VARIABLES = Object.values(SETTINGS).map(({ variable }) => variable);

export type Config = {
  logLevel: (typeof LOG_LEVELS)[number];
  idleMinutes: number;
  contextTokens: number;
  retentionDays: number;
  skipTools: readonly string[];
};

export type LoadedConfig = {
  config: Config;
  /** What was wrong, one sentence each; the default holds for that key only. */
  problems: string[];
};

export function loadConfig(path: string, environment: Record<string, string | undefined> = process.env): LoadedConfig {
  const problems: string[] = [];
  const file = readSettingsFile(path, problems);
  for (const key of Object.keys(file)) {
    if (!(key in SETTINGS)) problems.push(`${path}: unknown setting "${key}" was passed over.`);
  }
  const choose = <T>(name: keyof typeof SETTINGS): T => {
    const { variable, schema, fallback } = SETTINGS[name];
    for (const [source, value] of [
      [variable, environment[variable]],
      [`${path}: ${name}`, file[name]],
    ] as const) {
      if (value === undefined || value === '') continue;
      const parsed = schema.safeParse(value);
      // Each schema yields the type that Config gives the setting of the same name.
      if (parsed.success) return parsed.data as T;
      problems.push(`${source}: ${parsed.error.issues[0]?.message ?? 'not valid'}; the default holds.`);
    }
    return fallback as T;
  };
  return {
    config: {
      logLevel: choose('logLevel'),
      idleMinutes: choose('idleMinutes'),
      contextTokens: choose('contextTokens'),
      retentionDays: choose('retentionDays'),
      skipTools: choose('skipTools'),
    },
    problems,
  };
}

function readSettingsFile(path: string, problems: string[]): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    // No file: nothing differs from the defaults.
    return {};
  }
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text.replace(/^\uFEFF/, '')));
  } catch (error) {
    problems.push(
      `${path} is not a JSON object (${error instanceof Error ? error.message.split('\n')[0] : error}); the defaults hold.`,
    );
    return {};
  }
}
