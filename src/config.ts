// Settings: <data dir>/config.json over the defaults, CLAUDE_MEM_* over both. With paths.ts the only reader of the environment.
import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { CONTEXT_SECTIONS } from './core/context.ts';
import { OBSERVATION_TYPES } from './core/observation.ts';
import { LOG_LEVELS } from './log.ts';

export const EMBEDDERS = ['minilm', 'static', 'openai', 'off'] as const;
export const PROVIDERS = ['auto', 'claude', 'anthropic', 'openai', 'local'] as const;
const whole = () => z.coerce.number().int().min(0);

/** `a,b` or `["a", "b"]`. */
const readList = () =>
  z.union([z.array(z.string()), z.string().transform((list) => list.split(',').flatMap((name) => name.trim() || []))]);
const listOf = <Name extends string>(names: readonly Name[]) => readList().pipe(z.array(z.enum(names)));
const readSwitch = () => z.union([z.boolean(), z.stringbool()]);

/** With the host it was set for: it is sent nowhere else. */
const readApiKey = () => z.object({ value: z.string(), host: z.string() });

/** Every setting: its name in config.json, its variable, its default. docs/settings.md must describe each. A schema is made when it is needed: twenty of them would cost a starting worker milliseconds. */
export const SETTINGS = {
  logLevel: { variable: 'CLAUDE_MEM_LOG_LEVEL', schema: () => z.enum(LOG_LEVELS), fallback: 'info' },
  idleMinutes: { variable: 'CLAUDE_MEM_IDLE_MINUTES', schema: () => z.coerce.number().positive(), fallback: 30 },
  contextTokens: { variable: 'CLAUDE_MEM_CONTEXT_TOKENS', schema: () => whole().min(200).max(10_000), fallback: 2000 },
  contextSections: {
    variable: 'CLAUDE_MEM_CONTEXT_SECTIONS',
    schema: () => listOf(CONTEXT_SECTIONS),
    fallback: [...CONTEXT_SECTIONS],
  },
  contextTypes: {
    variable: 'CLAUDE_MEM_CONTEXT_TYPES',
    schema: () => listOf(OBSERVATION_TYPES),
    fallback: [...OBSERVATION_TYPES],
  },
  contextIndex: { variable: 'CLAUDE_MEM_CONTEXT_INDEX', schema: () => whole().max(200), fallback: 50 },
  contextFull: { variable: 'CLAUDE_MEM_CONTEXT_FULL', schema: () => whole().max(30), fallback: 6 },
  contextSessions: { variable: 'CLAUDE_MEM_CONTEXT_SESSIONS', schema: () => whole().max(50), fallback: 10 },
  promptRecall: {
    variable: 'CLAUDE_MEM_PROMPT_RECALL',
    schema: () => z.enum(['first', 'every', 'off']),
    fallback: 'first',
  },
  fileContext: { variable: 'CLAUDE_MEM_FILE_CONTEXT', schema: readSwitch, fallback: true },
  errorRecall: { variable: 'CLAUDE_MEM_ERROR_RECALL', schema: readSwitch, fallback: true },
  retentionDays: { variable: 'CLAUDE_MEM_RETENTION_DAYS', schema: () => z.coerce.number().min(0), fallback: 7 },
  skipTools: {
    variable: 'CLAUDE_MEM_SKIP_TOOLS',
    schema: readList,
    fallback: ['ListMcpResourcesTool', 'ReadMcpResourceTool', 'SlashCommand', 'Skill', 'ToolSearch'],
  },
  provider: { variable: 'CLAUDE_MEM_PROVIDER', schema: () => z.enum(PROVIDERS), fallback: 'auto' },
  model: { variable: 'CLAUDE_MEM_MODEL', schema: () => z.string().min(1).max(200), fallback: 'claude-haiku-4-5' },
  claudeLogin: { variable: 'CLAUDE_MEM_CLAUDE_LOGIN', schema: () => z.enum(['ask', 'allow', 'deny']), fallback: 'ask' },
  claudePath: {
    variable: 'CLAUDE_CODE_PATH',
    schema: () => z.string().regex(/^(\/|[A-Za-z]:)/, 'must be an absolute path'),
    fallback: '',
  },
  baseUrl: { variable: 'CLAUDE_MEM_BASE_URL', schema: () => z.url({ protocol: /^https?$/ }), fallback: '' },
  apiKey: { variable: 'CLAUDE_MEM_API_KEY', schema: readApiKey, fallback: null },
  'budget.dailyTokens': { variable: 'CLAUDE_MEM_BUDGET_DAILY_TOKENS', schema: () => whole(), fallback: 200_000 },
  'budget.dailyCalls': { variable: 'CLAUDE_MEM_BUDGET_DAILY_CALLS', schema: () => whole(), fallback: 300 },
  'budget.sessionTokens': { variable: 'CLAUDE_MEM_BUDGET_SESSION_TOKENS', schema: () => whole(), fallback: 100_000 },
  'budget.sessionCalls': { variable: 'CLAUDE_MEM_BUDGET_SESSION_CALLS', schema: () => whole(), fallback: 100 },
  retrySeconds: {
    variable: 'CLAUDE_MEM_RETRY_SECONDS',
    schema: () => z.coerce.number().min(0.01).max(3600),
    fallback: 30,
  },
  answerSeconds: {
    variable: 'CLAUDE_MEM_ANSWER_SECONDS',
    schema: () => z.coerce.number().min(0.1).max(600),
    fallback: 120,
  },
  verbosity: {
    variable: 'CLAUDE_MEM_VERBOSITY',
    schema: () => z.enum(['minimal', 'normal', 'verbose']),
    fallback: 'normal',
  },
  mode: {
    variable: 'CLAUDE_MEM_MODE',
    schema: () => z.string().regex(/^[a-z0-9-]+$/, 'must be a name like code'),
    fallback: 'code',
  },
  language: { variable: 'CLAUDE_MEM_LANGUAGE', schema: () => z.string().max(60), fallback: '' },
  embedder: { variable: 'CLAUDE_MEM_EMBEDDER', schema: () => z.enum(EMBEDDERS), fallback: 'minilm' },
  embedderUrl: {
    variable: 'CLAUDE_MEM_EMBEDDER_URL',
    schema: () => z.url({ protocol: /^https?$/ }),
    fallback: 'http://127.0.0.1:11434/v1',
  },
  embedderModel: {
    variable: 'CLAUDE_MEM_EMBEDDER_MODEL',
    schema: () => z.string().min(1).max(200),
    fallback: 'nomic-embed-text',
  },
} as const;

export type SettingName = keyof typeof SETTINGS;
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];
export const SETTING_VARIABLES = Object.values(SETTINGS).map(({ variable }) => variable);

type Values = { [Name in SettingName]: z.output<ReturnType<(typeof SETTINGS)[Name]['schema']>> };
export type Config = Omit<Values, 'apiKey'> & { apiKey: Values['apiKey'] | null };

export type LoadedConfig = {
  config: Config;
  /** What was wrong, one sentence each; the default holds for that key only. */
  problems: string[];
  /** The settings that a variable decides, whatever the file says. */
  fromVariables: SettingName[];
  /** The file is there but cannot be read: nothing in it counts. */
  isBroken: boolean;
};

type Environment = Record<string, string | undefined>;

export function loadConfig(path: string, environment: Environment = process.env): LoadedConfig {
  const problems: string[] = [];
  const file = readSettingsFile(path, problems);
  const isBroken = problems.length > 0;
  const variables = { ...environment, CLAUDE_MEM_API_KEY: undefined };
  for (const key of Object.keys(file)) {
    if (!(key in SETTINGS)) problems.push(`${path}: unknown setting "${key}" was passed over.`);
  }
  const choose = (name: SettingName): unknown => {
    const { variable, schema, fallback } = SETTINGS[name];
    for (const [source, value] of [
      [variable, variables[variable as keyof typeof variables]],
      [`${path}: ${name}`, file[name]],
    ] as const) {
      if (value === undefined || value === '') continue;
      const parsed = schema().safeParse(value);
      if (parsed.success) return parsed.data;
      problems.push(`${source}: ${parsed.error.issues[0]?.message ?? 'not valid'}; it does not count.`);
    }
    return fallback;
  };
  // Each value is what its schema yields, or its fallback of the same type.
  const config = Object.fromEntries(SETTING_NAMES.map((name) => [name, choose(name)])) as Config;
  const fromVariables = SETTING_NAMES.filter((name) => environment[SETTINGS[name].variable]);
  return { config: { ...config, ...keyFrom(environment, config.provider) }, problems, fromVariables, isBroken };
}

/** A key in a variable is for the address in the variable beside it, or for the provider's own; not for one that a file names later. */
function keyFrom(environment: Environment, provider: string): Pick<Config, 'apiKey'> | null {
  const value = environment.CLAUDE_MEM_API_KEY;
  if (!value) return null;
  const url =
    environment.CLAUDE_MEM_BASE_URL || (provider === 'openai' ? PROVIDER_URLS.openai : PROVIDER_URLS.anthropic);
  return { apiKey: { value, host: URL.parse(url)?.host ?? '' } };
}

/** The settings as they are now: read again whenever the file has changed. While it cannot be read, those before hold. */
export function followConfig(path: string, onChange: (loaded: LoadedConfig) => void): () => Config {
  let stamp = stampOf(path);
  let loaded = loadConfig(path);
  return () => {
    const now = stampOf(path);
    if (now === stamp) return loaded.config;
    stamp = now;
    const next = loadConfig(path);
    loaded = next.isBroken ? { ...next, config: loaded.config } : next;
    onChange(loaded);
    return loaded.config;
  };
}

function stampOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat ? `${stat.ino}:${stat.mtimeMs}:${stat.size}` : '';
}

/** What the file says, `{"budget": {"dailyTokens": 1}}` and `{"budget.dailyTokens": 1}` alike. */
export function readSettingsFile(path: string, problems: string[]): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    // No file: nothing differs from the defaults.
    return {};
  }
  try {
    return flatten(z.record(z.string(), z.unknown()).parse(JSON.parse(text.replace(/^\uFEFF/, ''))));
  } catch (error) {
    problems.push(
      `${path} is not a JSON object (${error instanceof Error ? error.message.split('\n')[0] : error}); the defaults hold.`,
    );
    return {};
  }
}

function flatten(settings: Record<string, unknown>): Record<string, unknown> {
  const { budget, ...rest } = settings;
  if (typeof budget !== 'object' || budget === null) return settings;
  return { ...rest, ...Object.fromEntries(Object.entries(budget).map(([key, value]) => [`budget.${key}`, value])) };
}

/** Where the keyed providers are, unless baseUrl says otherwise. */
export const PROVIDER_URLS = { anthropic: 'https://api.anthropic.com', openai: 'https://api.openai.com/v1' } as const;

/** The person's own `claude`: looked for when a person asks, never on the PATH of a hook, which a repository can set. */
export function findClaude(environment: Environment = process.env): string | null {
  return environment.CLAUDE_CODE_PATH || Bun.which('claude', { PATH: environment.PATH ?? '' });
}

/**
 * How a person's `claude` is told who they are. Handed on only from a worker that they started by hand: a repository's settings
 * can set the environment of hooks.
 */
const LOGIN_VARIABLES = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_BASE_URL',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CLAUDE_CONFIG_DIR',
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
  'AWS_PROFILE',
  'AWS_REGION',
  'HTTPS_PROXY',
  'NODE_EXTRA_CA_CERTS',
];

/** The CLI runs in a session of Claude Code, whose repository can set its PATH and more. */
export function isInsideAgent(environment: Environment = process.env): boolean {
  return Boolean(environment.CLAUDECODE || environment.CLAUDE_PROJECT_DIR);
}

/** https://no-color.org: any value but an empty one says no. */
export function wantsColour(environment: Environment = process.env): boolean {
  return !environment.NO_COLOR;
}

/** What a worker that a person starts by hand gets besides what every worker gets. */
export function handedOn(config: Config, environment: Environment = process.env): Record<string, string> {
  const settings = Object.keys(environment).filter((name) => name.startsWith('CLAUDE_MEM_'));
  // A path that the person has set goes before one that happens to be found.
  const path = environment.CLAUDE_CODE_PATH || (config.claudePath ? null : findClaude(environment));
  return { ...pick(environment, [...settings, ...LOGIN_VARIABLES, 'TZ']), ...(path ? { CLAUDE_CODE_PATH: path } : {}) };
}

/** The whole environment of the observer's `claude`, but for what its provider adds. */
export function claudeEnvironment(path: string, environment: Environment = process.env): Record<string, string> {
  const own = path.slice(0, path.lastIndexOf('/'));
  return {
    ...pick(environment, ['HOME', 'USER', 'LOGNAME', 'USERPROFILE', 'LANG', ...LOGIN_VARIABLES]),
    PATH: `${own}:/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin`,
  };
}

function pick(environment: Environment, names: string[]): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = environment[name];
    if (value !== undefined && name !== 'CLAUDE_MEM_OBSERVER') picked[name] = value;
  }
  return picked;
}
