// Every setting: its name, its variable, what it may be, its default. config.ts reads them.
import { z } from 'zod';
import { CONTEXT_SECTIONS } from './core/context.ts';
import { DEFAULT_MODEL } from './core/models.ts';
import { OBSERVATION_TYPES } from './core/observation.ts';
import { LOG_LEVELS } from './log.ts';

export const EMBEDDERS = ['minilm', 'static', 'openai', 'off'] as const;
export const PROVIDERS = ['auto', 'claude', 'anthropic', 'openai', 'local'] as const;
const whole = () => z.coerce.number().int().min(0);

/** So many prompts of a session; in 0.1.0 it was a word. */
const readNotes = () => z.preprocess((given) => NOTE_WORDS[String(given)] ?? given, whole().max(MOST_NOTES));
const MOST_NOTES = 1000;
const NOTE_WORDS: Record<string, number> = { off: 0, first: 1, every: MOST_NOTES };

/** Below 1024 are those of the system; of 80 a browser does not say the port, and the guard would know nobody. */
const readPort = () =>
  whole()
    .max(65_535)
    .refine((port) => port === 0 || port >= 1024, 'must be 0 or from 1024 to 65535');

/** `a,b` or `["a", "b"]`. */
const readList = () =>
  z.union([z.array(z.string()), z.string().transform((list) => list.split(',').flatMap((name) => name.trim() || []))]);
const listOf = <Name extends string>(names: readonly Name[]) => readList().pipe(z.array(z.enum(names)));
const readSwitch = () => z.union([z.boolean(), z.stringbool()], 'must be true or false');
/** See core/path-match.ts. What would take something back from the list is not known there. */
const readPaths = () =>
  readList().pipe(z.array(z.string().min(1).max(500).regex(/^[^!]/, 'no pattern begins with !')).max(200));

/** Below the root of a repository, wherever that lies. */
const readFolders = () =>
  readList().pipe(z.array(z.string().regex(/^[^!~]{1,200}$/, 'must be folders like packages/*')).max(100));

/** With the host it was set for: it is sent nowhere else. */
const readApiKey = () => z.object({ value: z.string(), host: z.string() });

/** Who may change a setting, and why not everybody may. */
type ChangedBy =
  | { by: 'anyone' }
  /** person: at a terminal or in the viewer. terminal: only there, because a page that has the token is not enough. */
  | { by: 'person' | 'terminal'; why: string };
type Setting = ChangedBy & { variable: string; schema: () => z.ZodType; fallback: unknown };

const ANYONE = { by: 'anyone' } as const;
const person = (why: string) => ({ by: 'person', why }) as const;
const terminal = (why: string) => ({ by: 'terminal', why }) as const;
const COSTS = person('It decides what a model may cost you.');
const KEEPS = person('It decides what is kept of your sessions.');
const PAYLOADS = person('It decides how long raw payloads are kept.');
const TELLS = person('It decides which memories are added to your sessions.');
const SENDS = terminal('It decides where your text is sent.');
const RUNS = terminal('It names a program that is run.');
const KEY = terminal('It is a key.');
const EXCLUDES = terminal('It decides what is kept of which folder.');
const FOLDERS = terminal('It decides which project a folder belongs to.');
const DELETES = terminal('It deletes memories for good.');
const READS = terminal('It names a file that is read.');
const OTHERS = terminal('It lets agents read and hide the memories of every project.');
const PORT = terminal('Whoever uses the port would lose it.');

/** Every setting: its name in config.json, its variable, its default. docs/settings.md must describe each. A schema is made when it is needed: twenty of them would cost a starting worker milliseconds. */
export const SETTINGS = {
  logLevel: { variable: 'CLAUDE_MEM_LOG_LEVEL', schema: () => z.enum(LOG_LEVELS), fallback: 'info', ...ANYONE },
  workerPort: { variable: 'CLAUDE_MEM_WORKER_PORT', schema: readPort, fallback: 37_777, ...PORT },
  deleteTimeoutMs: {
    variable: 'CLAUDE_MEM_DELETE_TIMEOUT',
    schema: () => whole().max(600_000),
    fallback: 5000,
    ...ANYONE,
  },
  idleMinutes: {
    variable: 'CLAUDE_MEM_IDLE_MINUTES',
    schema: () => z.coerce.number().positive(),
    fallback: 30,
    ...ANYONE,
  },
  contextTokens: {
    variable: 'CLAUDE_MEM_CONTEXT_TOKENS',
    schema: () => whole().min(200).max(10_000),
    fallback: 2000,
    ...ANYONE,
  },
  contextSections: {
    variable: 'CLAUDE_MEM_CONTEXT_SECTIONS',
    schema: () => listOf(CONTEXT_SECTIONS),
    fallback: [...CONTEXT_SECTIONS],
    ...TELLS,
  },
  contextTypes: {
    variable: 'CLAUDE_MEM_CONTEXT_TYPES',
    schema: () => listOf(OBSERVATION_TYPES),
    fallback: [...OBSERVATION_TYPES],
    ...TELLS,
  },
  contextIndex: { variable: 'CLAUDE_MEM_CONTEXT_INDEX', schema: () => whole().max(200), fallback: 15, ...TELLS },
  contextFull: { variable: 'CLAUDE_MEM_CONTEXT_FULL', schema: () => whole().max(30), fallback: 8, ...TELLS },
  contextSessions: { variable: 'CLAUDE_MEM_CONTEXT_SESSIONS', schema: () => whole().max(50), fallback: 3, ...TELLS },
  promptRecall: {
    variable: 'CLAUDE_MEM_PROMPT_RECALL',
    schema: readNotes,
    fallback: 3,
    ...TELLS,
  },
  fileContext: { variable: 'CLAUDE_MEM_FILE_CONTEXT', schema: readSwitch, fallback: true, ...TELLS },
  errorRecall: { variable: 'CLAUDE_MEM_ERROR_RECALL', schema: readSwitch, fallback: true, ...TELLS },
  gitCommits: { variable: 'CLAUDE_MEM_GIT_COMMITS', schema: () => whole().max(100_000), fallback: 5000, ...KEEPS },
  retentionDays: {
    variable: 'CLAUDE_MEM_RETENTION_DAYS',
    schema: () => z.coerce.number().min(0),
    fallback: 7,
    ...PAYLOADS,
  },
  keepDays: { variable: 'CLAUDE_MEM_KEEP_DAYS', schema: () => whole().max(36_500), fallback: 0, ...DELETES },
  keepRecords: { variable: 'CLAUDE_MEM_KEEP_RECORDS', schema: () => whole().max(36_500), fallback: 0, ...DELETES },
  keepMegabytes: { variable: 'CLAUDE_MEM_KEEP_MB', schema: () => whole().max(1_000_000), fallback: 0, ...DELETES },
  skipTools: {
    variable: 'CLAUDE_MEM_SKIP_TOOLS',
    schema: readList,
    fallback: ['ListMcpResourcesTool', 'ReadMcpResourceTool', 'SlashCommand', 'Skill', 'ToolSearch'],
    ...KEEPS,
  },
  excludePaths: { variable: 'CLAUDE_MEM_EXCLUDE_PATHS', schema: readPaths, fallback: [], ...EXCLUDES },
  subprojects: { variable: 'CLAUDE_MEM_SUBPROJECTS', schema: readFolders, fallback: [], ...FOLDERS },
  off: { variable: 'CLAUDE_MEM_OFF', schema: readSwitch, fallback: false, ...KEEPS },
  provider: { variable: 'CLAUDE_MEM_PROVIDER', schema: () => z.enum(PROVIDERS), fallback: 'auto', ...SENDS },
  model: {
    variable: 'CLAUDE_MEM_MODEL',
    schema: () => z.string().min(1).max(200),
    fallback: DEFAULT_MODEL,
    ...SENDS,
  },
  claudeLogin: {
    variable: 'CLAUDE_MEM_CLAUDE_LOGIN',
    schema: () => z.enum(['ask', 'allow', 'deny']),
    fallback: 'ask',
    ...SENDS,
  },
  claudePath: {
    variable: 'CLAUDE_CODE_PATH',
    schema: () => z.string().regex(/^(\/|[A-Za-z]:)/, 'must be an absolute path'),
    fallback: '',
    ...RUNS,
  },
  baseUrl: { variable: 'CLAUDE_MEM_BASE_URL', schema: () => z.url({ protocol: /^https?$/ }), fallback: '', ...SENDS },
  apiKey: { variable: 'CLAUDE_MEM_API_KEY', schema: readApiKey, fallback: null, ...KEY },
  'budget.dailyTokens': { variable: 'CLAUDE_MEM_BUDGET_DAILY_TOKENS', schema: whole, fallback: 200_000, ...COSTS },
  'budget.dailyCalls': { variable: 'CLAUDE_MEM_BUDGET_DAILY_CALLS', schema: whole, fallback: 300, ...COSTS },
  'budget.sessionTokens': { variable: 'CLAUDE_MEM_BUDGET_SESSION_TOKENS', schema: whole, fallback: 100_000, ...COSTS },
  'budget.sessionCalls': { variable: 'CLAUDE_MEM_BUDGET_SESSION_CALLS', schema: whole, fallback: 100, ...COSTS },
  quietSeconds: {
    variable: 'CLAUDE_MEM_QUIET_SECONDS',
    schema: () => z.coerce.number().min(0).max(3600),
    fallback: 300,
    ...ANYONE,
  },
  retrySeconds: {
    variable: 'CLAUDE_MEM_RETRY_SECONDS',
    schema: () => z.coerce.number().min(0.01).max(3600),
    fallback: 30,
    ...ANYONE,
  },
  answerSeconds: {
    variable: 'CLAUDE_MEM_ANSWER_SECONDS',
    schema: () => z.coerce.number().min(0.1).max(600),
    fallback: 120,
    ...ANYONE,
  },
  verbosity: {
    variable: 'CLAUDE_MEM_VERBOSITY',
    schema: () => z.enum(['minimal', 'normal', 'verbose']),
    fallback: 'normal',
    ...ANYONE,
  },
  mode: {
    variable: 'CLAUDE_MEM_MODE',
    schema: () => z.string().regex(/^[a-z0-9-]+$/, 'must be a name like code'),
    fallback: 'code',
    ...READS,
  },
  language: { variable: 'CLAUDE_MEM_LANGUAGE', schema: () => z.string().max(60), fallback: '', ...ANYONE },
  embedder: { variable: 'CLAUDE_MEM_EMBEDDER', schema: () => z.enum(EMBEDDERS), fallback: 'minilm', ...SENDS },
  embedderUrl: {
    variable: 'CLAUDE_MEM_EMBEDDER_URL',
    schema: () => z.url({ protocol: /^https?$/ }),
    fallback: 'http://127.0.0.1:11434/v1',
    ...SENDS,
  },
  embedderModel: {
    variable: 'CLAUDE_MEM_EMBEDDER_MODEL',
    schema: () => z.string().min(1).max(200),
    fallback: 'nomic-embed-text',
    ...SENDS,
  },
  agentAllProjects: { variable: 'CLAUDE_MEM_AGENT_ALL_PROJECTS', schema: readSwitch, fallback: false, ...OTHERS },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];
export const SETTING_VARIABLES = Object.values(SETTINGS).map(({ variable }) => variable);

/** What may differ from project to project: what it is told, and what is kept of it. */
export const PROJECT_SETTINGS = [
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
] as const satisfies SettingName[];
export type ProjectSettingName = (typeof PROJECT_SETTINGS)[number];

export const isProjectSetting = (name: string): name is ProjectSettingName =>
  PROJECT_SETTINGS.some((known) => known === name);

/** Why only a person changes it; null when anyone may. */
export function whyPerson(name: SettingName): string | null {
  const setting: Setting = SETTINGS[name];
  return setting.by === 'anyone' ? null : setting.why;
}

/** What it may be, in words that follow "must be". */
export function describeAllowed(name: SettingName): string {
  if (name === 'claudePath') return 'an absolute path';
  if (name === 'baseUrl' || name === 'embedderUrl')
    return 'an address that begins with https://, or http:// on this machine';
  if (name === 'apiKey') return 'a key with its host: say `claude-mem config set apiKey`';
  if (name === 'skipTools') return 'names of tools, separated by commas';
  if (name === 'subprojects') return 'folders like packages/*, separated by commas';
  if (name === 'workerPort') return 'a whole number from 1024 to 65535, or 0 for none';
  if (name === 'mode') return 'a name like code, in small letters';
  if (name === 'excludePaths') return 'patterns of paths, separated by commas; none begins with !';
  if (typeof SETTINGS[name].fallback === 'boolean') return 'true or false';
  const allowed = z.toJSONSchema(SETTINGS[name].schema(), { unrepresentable: 'any' });
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
