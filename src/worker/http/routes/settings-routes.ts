// The routes of the settings: what holds and what is allowed, and changes of those that can do no harm.
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { checkSettingValue } from '../../../check-setting.ts';
import type { Config } from '../../../config.ts';
import { AskError } from '../../../core/ask-error.ts';
import type { Paths } from '../../../paths.ts';
import {
  describeAllowed,
  isProjectSetting,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
  whyPerson,
} from '../../../settings.ts';
import { writeSettings } from '../../../settings-file.ts';
import { type Api, addRoute } from '../route.ts';
import { SETTING_NOTES } from './setting-notes.ts';

export type SettingsDeps = {
  paths: Paths;
  /** As they are at each call: after a change of the file it has the new ones. */
  config: () => Config;
  /** Those that a variable of the worker decides. */
  fromVariables: readonly string[];
};

const SettingSchema = z.object({
  name: z.string(),
  about: z.string(),
  value: z.unknown(),
  default: z.unknown(),
  isDefault: z.boolean(),
  variable: z.string().describe('The environment variable that goes before the file'),
  isFromVariable: z.boolean().describe('That variable decides it in this worker'),
  isSafe: z.boolean().describe('PATCH changes it'),
  whyNot: z.string().nullable(),
  isPerProject: z.boolean().describe('It can differ in one project'),
  allowed: z.object({
    type: z.string(),
    values: z.array(z.string()).nullable().describe('Of these, where not everything is allowed'),
    min: z.number().nullable(),
    max: z.number().nullable(),
    words: z.string(),
  }),
});

const SettingsSchema = z.object({
  settings: z.array(SettingSchema),
  projects: z.record(z.string(), z.record(z.string(), z.unknown())).describe('What differs in one project'),
});

type SettingsAnswer = z.output<typeof SettingsSchema>;

const READ = {
  method: 'GET',
  path: '/api/settings',
  about: 'Every setting: what it is, what it may be, and who decides it.',
  answers: { 200: SettingsSchema },
} as const;

const CHANGE = {
  method: 'PATCH',
  path: '/api/settings',
  about: 'Changes settings by their names, all or none; null is the default again.',
  body: Object.fromEntries(SETTING_NAMES.map((name) => [name, z.unknown().optional().describe(SETTING_NOTES[name])])),
  answers: { 200: SettingsSchema },
} as const;

export function addSettingsRoutes(api: Api, deps: SettingsDeps): void {
  addRoute(api, READ, ({ c }) => c.json(describeSettings(deps)));
  addRoute(api, CHANGE, ({ body, c }) => {
    const asked = SETTING_NAMES.filter((name) => Object.hasOwn(body, name));
    for (const name of asked) refuseUnsafe(name, deps.fromVariables);
    save(deps.paths, Object.fromEntries(asked.map((name) => [name, readValue(name, body[name])])));
    return c.json(describeSettings(deps));
  });
}

const isSafe = (name: SettingName) => SETTINGS[name].by !== 'terminal';
const reasonOf = (name: SettingName) => (isSafe(name) ? null : whyPerson(name));

function refuseUnsafe(name: SettingName, fromVariables: readonly string[]): void {
  if (!isSafe(name)) {
    const message = `${name} is not changed over HTTP. ${reasonOf(name) ?? ''}`.trim();
    throw new AskError('conflict', message, `In a terminal: claude-mem config set ${name} VALUE`);
  }
  if (!fromVariables.includes(name)) return;
  const { variable } = SETTINGS[name];
  throw new AskError('conflict', `${variable} decides ${name} in this worker.`, 'Run `claude-mem restart` without it.');
}

/** Undefined: the default again. */
function readValue(name: SettingName, value: unknown): unknown {
  if (value === null) return undefined;
  // By hand it may be less, for a test; a page must not end the worker under everybody.
  if (name === 'idleMinutes' && typeof value === 'number' && value < 1)
    throw new AskError('invalid', 'idleMinutes must be at least 1.', '');
  try {
    return checkSettingValue(name, value);
  } catch (error) {
    throw new AskError('invalid', sayReason(error), `Allowed: ${describeAllowed(name)}; null for the default.`);
  }
}

function save(paths: Paths, changes: Partial<Record<SettingName, unknown>>): void {
  if (Object.keys(changes).length === 0) return;
  try {
    writeSettings(paths, changes);
  } catch (error) {
    // A file that cannot be read, or a disk that takes nothing: whoever asked can do something about it.
    throw new AskError('conflict', sayReason(error), 'Nothing was changed.');
  }
}

const sayReason = (error: unknown) => (error instanceof Error ? error.message : String(error));

function describeSettings({ config, fromVariables }: SettingsDeps): SettingsAnswer {
  const now = config();
  return {
    settings: SETTING_NAMES.map((name) => describeSetting(name, now[name], fromVariables.includes(name))),
    projects: now.projects,
  };
}

function describeSetting(name: SettingName, value: unknown, isFromVariable: boolean) {
  const { variable, fallback } = SETTINGS[name];
  return {
    name,
    about: SETTING_NOTES[name],
    value: name === 'apiKey' ? maskKey(value) : value,
    default: fallback,
    isDefault: isDeepStrictEqual(value, fallback),
    variable,
    isFromVariable,
    isSafe: isSafe(name),
    whyNot: reasonOf(name),
    isPerProject: isProjectSetting(name),
    allowed: readAllowed(name),
  };
}

/** For which host there is one; never the key. */
const maskKey = (value: unknown) =>
  typeof value === 'object' && value !== null && 'host' in value ? { host: value.host } : null;

function readAllowed(name: SettingName): SettingsAnswer['settings'][number]['allowed'] {
  const { fallback, schema } = SETTINGS[name];
  const rules = z.toJSONSchema(schema(), { unrepresentable: 'any' });
  const ofItems = typeof rules.items === 'object' && 'enum' in rules.items ? rules.items.enum : undefined;
  const { maximum = Number.MAX_SAFE_INTEGER } = rules;
  return {
    type: Array.isArray(fallback) ? 'array' : String(rules.type ?? typeof fallback),
    values: (rules.enum ?? ofItems)?.map(String) ?? null,
    min: rules.minimum ?? (typeof rules.exclusiveMinimum === 'number' ? rules.exclusiveMinimum : null),
    max: maximum < Number.MAX_SAFE_INTEGER ? maximum : null,
    words: describeAllowed(name),
  };
}
