// Every setting: its name, its variable, what it may be, its default, who may change it. config.ts reads them.
import { accessSync, constants, statSync } from 'node:fs';
import type { z } from 'zod';
import { AskError } from './core/ask-error.ts';
import { CONTEXT_SECTIONS } from './core/context.ts';
import { DEFAULT_MODEL, readBaseUrl } from './core/models.ts';
import { OBSERVATION_TYPES } from './core/observation.ts';
import { LOG_LEVELS } from './log.ts';

const EMBEDDERS = ['minilm', 'static', 'openai', 'off'] as const;
const PROVIDERS = ['auto', 'claude', 'anthropic', 'openai', 'local'] as const;
/** Loaded with the first schema that is made: of a worker that starts, hooks wait for it. */
const zod = () => require('./core/shapes/setting-parts.ts') as typeof import('./core/shapes/setting-parts.ts');
const whole = () => zod().coerce.number().int().min(0);

/** So many prompts of a session; in 0.1.0 it was a word. */
const readNotes = () => zod().preprocess((given) => NOTE_WORDS[String(given)] ?? given, whole().max(MOST_NOTES));
const MOST_NOTES = 1000;
const NOTE_WORDS: Record<string, number> = { off: 0, first: 1, every: MOST_NOTES };

/** Below 1024 are those of the system; of 80 a browser does not say the port, and the guard would know nobody. */
const readPort = () =>
  whole()
    .max(65_535)
    .refine((port) => port === 0 || port >= 1024, 'must be 0 or from 1024 to 65535');

/** `a,b` or `["a", "b"]`. */
const readList = () =>
  zod().union([
    zod().array(zod().string()),
    zod()
      .string()
      .transform((list) => list.split(',').flatMap((name) => name.trim() || [])),
  ]);
const listOf = <Name extends string>(names: readonly Name[]) => readList().pipe(zod().array(zod().oneOf(names)));
const readSwitch = () => zod().union([zod().boolean(), zod().stringbool()], 'must be true or false');
/** See core/path-match.ts. What would take something back from the list is not known there. */
const readPaths = () => readList().pipe(zod().array(zod().string().min(1).max(500).regex(/^[^!]/, 'no pattern begins with !')).max(200));

/** Below the root of a repository, wherever that lies. */
const readFolders = () =>
  readList().pipe(
    zod()
      .array(
        zod()
          .string()
          .regex(/^[^!~]{1,200}$/, 'must be folders like packages/*'),
      )
      .max(100),
  );

/** With the host it was set for: it is sent nowhere else. */
const readApiKey = () => zod().object({ value: zod().string(), host: zod().string() });
const ADDRESS = 'an address that begins with https://, or http:// on this machine';

/** Who may change a setting, and why not everybody. person: at a terminal or in the viewer; terminal: not by a page that has the token. */
type ChangedBy = { by: 'anyone' | 'person' | 'terminal'; why: string | null };

const by = (who: ChangedBy['by'], why: string | null): ChangedBy => ({ by: who, why });
const ANYONE = by('anyone', null);
const COSTS = by('person', 'It decides what a model may cost you.');
const KEEPS = by('person', 'It decides what is kept of your sessions.');
const PAYLOADS = by('person', 'It decides how long raw payloads are kept.');
const ASKS = by('person', 'It is a part of what a model is asked.');
const TELLS = by('person', 'It decides which memories are added to your sessions.');
const SENDS = by('terminal', 'It decides where your text is sent.');
const RUNS = by('terminal', 'It names a program that is run.');
const KEY = by('terminal', 'It is a key.');
const EXCLUDES = by('person', 'It decides what is kept of which folder.');
const FOLDERS = by('person', 'It decides which project a folder belongs to.');
const DELETES = by('person', 'It deletes memories for good.');
const TRAVELS = by('person', 'It decides what goes to your other machines.');
const OTHERS = by('terminal', 'It lets agents read and hide the memories of every project.');
const PORT = by('terminal', 'Whoever uses the port would lose it.');

/** `words`: what it may be, in words that follow "must be"; made from the schema where that tells enough. */
const setting = <Schema extends z.ZodType, Fallback>(
  variable: string,
  changed: ChangedBy,
  fallback: Fallback,
  schema: () => Schema,
  words?: string,
) => ({
  variable,
  ...changed,
  fallback,
  schema,
  words,
});

/**
 * Every setting: its name in config.json, its variable, its default. docs/settings.md must describe each. A schema is
 * made when it is needed: twenty of them would cost a starting worker milliseconds.
 */
export const SETTINGS = {
  logLevel: setting('CLAUDE_MEM_LOG_LEVEL', ANYONE, 'info', () => zod().oneOf(LOG_LEVELS)),
  workerPort: setting('CLAUDE_MEM_WORKER_PORT', PORT, 37_777, readPort, 'a whole number from 1024 to 65535, or 0 for none'),
  deleteTimeoutMs: setting('CLAUDE_MEM_DELETE_TIMEOUT', ANYONE, 5000, () => whole().max(600_000)),
  idleMinutes: setting('CLAUDE_MEM_IDLE_MINUTES', ANYONE, 30, () => zod().coerce.number().positive()),
  contextTokens: setting('CLAUDE_MEM_CONTEXT_TOKENS', ANYONE, 2000, () => whole().min(200).max(10_000)),
  contextSections: setting('CLAUDE_MEM_CONTEXT_SECTIONS', TELLS, [...CONTEXT_SECTIONS], () => listOf(CONTEXT_SECTIONS)),
  contextTypes: setting('CLAUDE_MEM_CONTEXT_TYPES', TELLS, [...OBSERVATION_TYPES], () => listOf(OBSERVATION_TYPES)),
  contextIndex: setting('CLAUDE_MEM_CONTEXT_INDEX', TELLS, 15, () => whole().max(200)),
  contextFull: setting('CLAUDE_MEM_CONTEXT_FULL', TELLS, 12, () => whole().max(30)),
  contextSessions: setting('CLAUDE_MEM_CONTEXT_SESSIONS', TELLS, 3, () => whole().max(50)),
  promptRecall: setting('CLAUDE_MEM_PROMPT_RECALL', TELLS, 3, readNotes),
  fileContext: setting('CLAUDE_MEM_FILE_CONTEXT', TELLS, true, readSwitch),
  errorRecall: setting('CLAUDE_MEM_ERROR_RECALL', TELLS, true, readSwitch),
  gitCommits: setting('CLAUDE_MEM_GIT_COMMITS', KEEPS, 5000, () => whole().max(100_000)),
  retentionDays: setting('CLAUDE_MEM_RETENTION_DAYS', PAYLOADS, 7, () => zod().coerce.number().min(0)),
  keepDays: setting('CLAUDE_MEM_KEEP_DAYS', DELETES, 0, () => whole().max(36_500)),
  keepRecords: setting('CLAUDE_MEM_KEEP_RECORDS', DELETES, 0, () => whole().max(36_500)),
  keepMegabytes: setting('CLAUDE_MEM_KEEP_MB', DELETES, 0, () => whole().max(1_000_000)),
  skipTools: setting(
    'CLAUDE_MEM_SKIP_TOOLS',
    KEEPS,
    ['ListMcpResourcesTool', 'SlashCommand', 'Skill', 'ToolSearch'],
    readList,
    'names of tools, separated by commas',
  ),
  excludePaths: setting('CLAUDE_MEM_EXCLUDE_PATHS', EXCLUDES, [], readPaths, 'patterns of paths, separated by commas; none begins with !'),
  subprojects: setting('CLAUDE_MEM_SUBPROJECTS', FOLDERS, [], readFolders, 'folders like packages/*, separated by commas'),
  off: setting('CLAUDE_MEM_OFF', KEEPS, false, readSwitch),
  provider: setting('CLAUDE_MEM_PROVIDER', SENDS, 'auto', () => zod().oneOf(PROVIDERS)),
  model: setting('CLAUDE_MEM_MODEL', COSTS, DEFAULT_MODEL, () => zod().string().min(1).max(200)),
  claudeLogin: setting('CLAUDE_MEM_CLAUDE_LOGIN', SENDS, 'ask', () => zod().oneOf(['ask', 'allow', 'deny'])),
  claudePath: setting(
    'CLAUDE_CODE_PATH',
    RUNS,
    '',
    () =>
      zod()
        .string()
        .regex(/^(\/|[A-Za-z]:)/, 'must be an absolute path'),
    'an absolute path',
  ),
  baseUrl: setting('CLAUDE_MEM_BASE_URL', SENDS, '', () => zod().url({ protocol: /^https?$/ }), ADDRESS),
  apiKey: setting('CLAUDE_MEM_API_KEY', KEY, null, readApiKey, 'a key with its host: say `claude-mem config set apiKey`'),
  'budget.dailyTokens': setting('CLAUDE_MEM_BUDGET_DAILY_TOKENS', COSTS, 200_000, whole),
  'budget.dailyCalls': setting('CLAUDE_MEM_BUDGET_DAILY_CALLS', COSTS, 300, whole),
  'budget.sessionTokens': setting('CLAUDE_MEM_BUDGET_SESSION_TOKENS', COSTS, 100_000, whole),
  'budget.sessionCalls': setting('CLAUDE_MEM_BUDGET_SESSION_CALLS', COSTS, 100, whole),
  quietSeconds: setting('CLAUDE_MEM_QUIET_SECONDS', ANYONE, 300, () => zod().coerce.number().min(0).max(3600)),
  retrySeconds: setting('CLAUDE_MEM_RETRY_SECONDS', ANYONE, 30, () => zod().coerce.number().min(0.01).max(3600)),
  answerSeconds: setting('CLAUDE_MEM_ANSWER_SECONDS', ANYONE, 120, () => zod().coerce.number().min(0.1).max(600)),
  verbosity: setting('CLAUDE_MEM_VERBOSITY', ANYONE, 'normal', () => zod().oneOf(['minimal', 'normal', 'verbose'])),
  mode: setting(
    'CLAUDE_MEM_MODE',
    ASKS,
    'code',
    () =>
      zod()
        .string()
        .regex(/^[a-z0-9-]+$/, 'must be a name like code'),
    'a name like code, in small letters',
  ),
  language: setting('CLAUDE_MEM_LANGUAGE', ASKS, '', () => zod().string().max(60)),
  embedder: setting('CLAUDE_MEM_EMBEDDER', SENDS, 'minilm', () => zod().oneOf(EMBEDDERS)),
  embedderUrl: setting('CLAUDE_MEM_EMBEDDER_URL', SENDS, 'http://127.0.0.1:11434/v1', () => zod().url({ protocol: /^https?$/ }), ADDRESS),
  embedderModel: setting('CLAUDE_MEM_EMBEDDER_MODEL', COSTS, 'nomic-embed-text', () => zod().string().min(1).max(200)),
  sync: setting('CLAUDE_MEM_SYNC', TRAVELS, true, readSwitch),
  syncTurns: setting('CLAUDE_MEM_SYNC_TURNS', TRAVELS, false, readSwitch),
  agentAllProjects: setting('CLAUDE_MEM_AGENT_ALL_PROJECTS', OTHERS, false, readSwitch),
};

export type SettingName = keyof typeof SETTINGS;
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

/** What may differ from project to project: what it is told, and what is kept of it. */
const PROJECT_SETTINGS = [
  'contextTokens',
  'contextSections',
  'contextTypes',
  'contextIndex',
  'contextFull',
  'contextSessions',
  'promptRecall',
  'fileContext',
  'errorRecall',
  'skipTools',
  'excludePaths',
  'subprojects',
  'off',
  'sync',
  'syncTurns',
] as const satisfies SettingName[];
export type ProjectSettingName = (typeof PROJECT_SETTINGS)[number];

export const isProjectSetting = (name: string): name is ProjectSettingName => PROJECT_SETTINGS.some((known) => known === name);

/** Why only a person changes it; null when anyone may. */
export const whyPerson = (name: SettingName): string | null => SETTINGS[name].why;

/** Less of it deletes memories: whoever offers it asks first. */
export const isDeleting = (name: SettingName): boolean => SETTINGS[name].why === DELETES.why;

/** What it may be, in words that follow "must be". */
export function describeAllowed(name: SettingName): string {
  if (SETTINGS[name].words) return SETTINGS[name].words;
  if (typeof SETTINGS[name].fallback === 'boolean') return 'true or false';
  const allowed = zod().toJSONSchema(SETTINGS[name].schema(), { unrepresentable: 'any' });
  if (allowed.enum) return `one of ${allowed.enum.join(', ')}`;
  if (allowed.type === 'array') return `one or several of ${namesIn(allowed)}, separated by commas`;
  if (allowed.type === 'string') return `a text of at most ${allowed.maxLength} characters`;
  return `${allowed.type === 'integer' ? 'a whole number' : 'a number'} ${describeRange(allowed)}`;
}

const namesIn = ({ items }: z.core.JSONSchema.JSONSchema) =>
  typeof items === 'object' && 'enum' in items ? (items.enum ?? []).join(', ') : 'names';

function describeRange({ minimum, exclusiveMinimum, maximum = Infinity }: z.core.JSONSchema.JSONSchema): string {
  const from = exclusiveMinimum === undefined ? `from ${minimum}` : `above ${exclusiveMinimum}`;
  return maximum < Number.MAX_SAFE_INTEGER ? `${from} to ${maximum}` : from;
}

/** What a person says on the command line → the value of a setting; throws what is allowed, in plain words. */
export function checkSetting(name: SettingName, said: string): unknown {
  const text = said.trim();
  if (text === '') throw refuse(`${name} needs a value. For its default again: claude-mem config unset ${name}`);
  if (/\p{Cc}/u.test(text)) throw refuse(`${name} cannot have a line break or another control character in it.`);
  if (name === 'baseUrl' || name === 'embedderUrl') checkBaseUrl(text, name);
  const parsed = SETTINGS[name].schema().safeParse(typeof SETTINGS[name].fallback === 'number' ? readNumber(text) : text);
  if (!parsed.success) throw refuse(`${name} cannot be "${text}": it must be ${describeAllowed(name)}.`);
  if (name === 'claudePath' && !isExecutable(text)) throw refuse(`claudePath: ${text} is not a file that can be run.`);
  return parsed.data;
}

const refuse = (message: string) => new AskError('invalid', message, '');

/** The same for a value of JSON, which must be of the right type: what only coercion would make of it is refused. */
export function checkSettingValue(name: SettingName, value: unknown): unknown {
  const texts = [value].flat().filter((part) => typeof part === 'string');
  if (texts.some((text) => /\p{Cc}/u.test(text))) throw new Error(`${name} cannot have a line break or another control character in it.`);
  const isRight = typeof value === typeof SETTINGS[name].fallback && !isLarge(value);
  const parsed = isRight ? SETTINGS[name].schema().safeParse(value) : null;
  if (!parsed?.success) throw new Error(`${name} must be ${describeAllowed(name)}.`);
  return parsed.data;
}

/** More than anybody sets by hand. */
const MOST_CHARACTERS = 20_000;
const isLarge = (value: unknown) => JSON.stringify(value).length > MOST_CHARACTERS;

export function checkBaseUrl(text: string, name: 'baseUrl' | 'embedderUrl' = 'baseUrl'): URL {
  const read = readBaseUrl(text);
  if (read.kind === 'good') return read.url;
  throw refuse(`This ${name} cannot be used: it ${read.reason}.`);
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Not there, or not for us: the answer.
    return false;
  }
}

/** 50000, 50,000 and 50_000; NaN for what only a program would take for a number. */
function readNumber(text: string): number {
  const plain = /^\d{1,3}([,_]\d{3})+$/.test(text) ? text.replace(/[,_]/g, '') : text;
  return /^-?\d+(\.\d+)?$/.test(plain) ? Number(plain) : Number.NaN;
}
