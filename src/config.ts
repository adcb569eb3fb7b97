// Settings: <data dir>/config.json over the defaults, CLAUDE_MEM_* over both; and how the file is changed: all that is asked or nothing.
// With paths.ts and environment.ts the only reader of the environment.
import { chmodSync, lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { isObject } from './core/plain-json.ts';
import { readOwnFile, requireOwn, writeOwnFile } from './own-files.ts';
import { homeDir, type Paths } from './paths.ts';
import type { ProjectSettingName, SettingName } from './settings.ts';
import { describeAllowed, isProjectSetting, SETTING_NAMES, SETTINGS } from './settings.ts';

type Values = { [Name in SettingName]: z.output<ReturnType<(typeof SETTINGS)[Name]['schema']>> };
export type Config = Omit<Values, 'apiKey'> & {
  apiKey: Values['apiKey'] | null;
  /** What differs in one project, by its name, its key or its root: see core/project.ts. */
  projects: Record<string, ProjectSettings>;
  /** Why it cannot be known what is to be silent: until that is put right, nothing is stored or added to sessions. Null mostly. */
  doubt: string | null;
};
type ProjectSettings = Partial<Pick<Values, ProjectSettingName>>;

export type LoadedConfig = {
  config: Config;
  /** What was wrong, one sentence each; the default holds for that key only, but see `doubt`. */
  problems: string[];
  /** The settings that a variable decides, whatever the file says. */
  fromVariables: SettingName[];
  /** Why the file, which is there, cannot be read: nothing in it counts. Null when it can, or when there is none. */
  broken: string | null;
};

type Environment = Record<string, string | undefined>;

export function loadConfig(path: string, environment: Environment = process.env): LoadedConfig {
  const unread: string[] = [];
  const file = readSettingsFile(path, unread);
  const broken = unread[0] ? `${unread[0]}; fix it or delete it` : null;
  const found: Findings = { problems: [], doubts: [] };
  if (broken) addDoubt(found, broken);
  const variables = { ...environment, CLAUDE_MEM_API_KEY: undefined };
  for (const key of Object.keys(file)) {
    if (!(key in SETTINGS) && key !== 'projects') found.problems.push(`${path}: unknown setting "${key}" was passed over.`);
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
      addWrong(found, name, `${source}: must be ${describeAllowed(name)}`);
    }
    return fallback;
  };
  // Each value is what its schema yields, or its fallback of the same type.
  const values = Object.fromEntries(SETTING_NAMES.map((name) => [name, choose(name)])) as Chosen;
  const projects = readProjects(`${path}: projects`, file.projects, found);
  const { problems, doubts } = found;
  const config = { ...values, projects, doubt: doubts[0] ?? null };
  const fromVariables = SETTING_NAMES.filter((name) => environment[SETTINGS[name].variable]);
  return { config: { ...config, ...keyFrom(environment, config.provider) }, problems, fromVariables, broken };
}

type Chosen = Omit<Config, 'projects' | 'doubt'>;
type Findings = { problems: string[]; doubts: string[] };

/** A slip in these must not make public what was to be silent. */
const SILENCE_SETTINGS: string[] = ['off', 'excludePaths', 'projects'];

function addWrong(found: Findings, name: string, wrong: string): void {
  if (SILENCE_SETTINGS.includes(name)) addDoubt(found, `${wrong}; fix it or take it out`);
  else found.problems.push(`${wrong}; it does not count.`);
}

function addDoubt({ problems, doubts }: Findings, doubt: string): void {
  doubts.push(doubt);
  problems.push(`${doubt}. Until then nothing is stored or added to sessions.`);
}

/** `{"shop": {"contextTokens": 500, "off": true}}`. */
function readProjects(source: string, said: unknown, found: Findings): Config['projects'] {
  if (said === undefined) return {};
  if (!areProjects(said)) {
    addWrong(found, 'projects', `${source}: must be an object with an object for each project`);
    return {};
  }
  const projects = new Map<string, ProjectSettings>();
  for (const [name, own] of Object.entries(said)) {
    const label = spellLabel(name);
    // Two spellings of one folder: neither takes away what the other says.
    projects.set(label, { ...projects.get(label), ...readOwn(`${source}: ${name}`, own, found) });
  }
  return Object.fromEntries(projects);
}

function readOwn(source: string, own: Record<string, unknown>, found: Findings): ProjectSettings {
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(own)) {
    if (!isProjectSetting(name)) {
      const what = name in SETTINGS ? 'holds in all projects or in none' : 'is not known';
      found.problems.push(`${source}: "${name}" ${what}; it was passed over.`);
      continue;
    }
    const result = SETTINGS[name].schema().safeParse(value);
    if (result.success) read[name] = result.data;
    else addWrong(found, name, `${source}: ${name}: must be ${describeAllowed(name)}`);
  }
  // Each value is what the schema of its name yields.
  return read as ProjectSettings;
}

/** A root as a project has it: without `~`, links and a closing slash. A name or a remote stays as it is. */
export function spellLabel(label: string): string {
  const path = label.startsWith('~/') ? `${homeDir()}${label.slice(1)}` : label;
  if (!path.startsWith('/')) return path;
  try {
    return realpathSync(path);
  } catch {
    // The folder is gone, or not there yet: its name is all there is.
    return path.length > 1 ? path.replace(/\/+$/, '') : path;
  }
}

/** A key in a variable is for the address in the variable beside it, or for the provider's own; not for one that a file names later. */
function keyFrom(environment: Environment, provider: string): Pick<Config, 'apiKey'> | null {
  const value = environment.CLAUDE_MEM_API_KEY;
  if (!value) return null;
  const url = environment.CLAUDE_MEM_BASE_URL || (provider === 'openai' ? PROVIDER_URLS.openai : PROVIDER_URLS.anthropic);
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
    loaded = next.broken && loaded.config.doubt === null ? keepBefore(next, loaded.config) : next;
    onChange(loaded);
    return loaded.config;
  };
}

const keepBefore = (next: LoadedConfig, config: Config): LoadedConfig => ({
  ...next,
  config,
  problems: [`${next.broken}. Until then the settings from before apply; a new worker would store and add nothing.`],
});

function stampOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat ? `${stat.ino}:${stat.mtimeMs}:${stat.size}` : '';
}

/** What the file says, or into `problems` why it cannot be read: `{"budget": {"dailyTokens": 1}}` and `{"budget.dailyTokens": 1}` alike. */
function readSettingsFile(path: string, problems: string[]): Record<string, unknown> {
  let text: string;
  try {
    text = readOwnFile(path);
  } catch (error) {
    // No file: nothing differs from the defaults. One that is there may say anything.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) problems.push(sayUnread(path, error));
    return {};
  }
  try {
    const settings: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    if (!isObject(settings)) throw new Error('not a JSON object');
    return flatten(settings);
  } catch (error) {
    problems.push(sayUnread(path, error));
    return {};
  }
}

function sayUnread(path: string, error: unknown): string {
  const [reason] = String(error).split('\n');
  return `${path} cannot be read (${reason?.replace(/^\w*Error: /, '')})`;
}

function flatten(settings: Record<string, unknown>): Record<string, unknown> {
  const { budget, ...rest } = settings;
  if (typeof budget !== 'object' || budget === null) return settings;
  return { ...rest, ...Object.fromEntries(Object.entries(budget).map(([key, value]) => [`budget.${key}`, value])) };
}

/** Where the keyed providers are, unless baseUrl says otherwise. */
export const PROVIDER_URLS = { anthropic: 'https://api.anthropic.com', openai: 'https://api.openai.com/v1' } as const;

/** A default is not written down: the file holds what differs. */
export function writeSettings(paths: Paths, changes: Partial<Record<SettingName, unknown>>): void {
  const settings = readForChange(paths);
  for (const [name, value] of Object.entries(changes)) {
    const { fallback } = SETTINGS[name as SettingName];
    if (value === undefined || isDeepStrictEqual(value, fallback)) delete settings[name];
    else settings[name] = value;
  }
  replaceFile(paths, settings);
}

/** For one project, a default is written down, too: it may differ from what holds elsewhere. */
export function writeProjectSetting(
  paths: Paths,
  { label, name, value }: { label: string; name: ProjectSettingName; value: unknown },
): void {
  const settings = readForChange(paths);
  const projects = projectsIn(settings.projects);
  const isThere = ([, one]: [string, unknown]) => one !== undefined;
  const own = Object.fromEntries(Object.entries({ ...projects[label], [name]: value }).filter(isThere));
  const next = { ...projects, [label]: Object.keys(own).length > 0 ? own : undefined };
  replaceFile(paths, { ...settings, projects: Object.values(next).some(Boolean) ? next : undefined });
}

/** The projects that the file names, spelled as they are there. */
export const listProjectLabels = (paths: Paths): string[] => Object.keys(projectsIn(readSettingsFile(paths.config, []).projects));

/** A file with a key that others could read is closed. What that was, for the person to hear; null when there is nothing to say. */
export function closeSettings(path: string): string | null {
  const problem = describeOpenKey(path);
  if (problem === null) return null;
  chmodSync(path, 0o600);
  return `${problem} It is closed now. If others use this machine, take another key: claude-mem config set apiKey`;
}

/** The same without closing it. */
export function describeOpenKey(path: string): string | null {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isFile() || (stat.mode & 0o077) === 0 || !readSettingsFile(path, []).apiKey) return null;
  const mode = (stat.mode & 0o777).toString(8);
  return `${path} holds a key and other users could read it (mode ${mode}).`;
}

function projectsIn(projects: unknown): Record<string, Record<string, unknown>> {
  if (projects === undefined) return {};
  if (areProjects(projects)) return projects;
  throw new Error('"projects" in the settings is not an object with an object for each project. Correct it by hand.');
}

const areProjects = (said: unknown): said is Record<string, Record<string, unknown>> =>
  isObject(said) && Object.values(said).every(isObject);

function readForChange(paths: Paths): Record<string, unknown> {
  const problems: string[] = [];
  const settings = readSettingsFile(paths.config, problems);
  if (problems[0]) throw new Error(`${problems[0]}. It was left as it is: correct it by hand, or delete it to start again.`);
  return settings;
}

function replaceFile(paths: Paths, settings: Record<string, unknown>): void {
  requireOwn(paths);
  mkdirSync(paths.dataDir, { recursive: true, mode: 0o700 });
  writeOwnFile(paths.config, `${JSON.stringify(settings, null, 2)}\n`);
}
