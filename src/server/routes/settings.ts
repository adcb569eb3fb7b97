// The routes of the settings: what applies and what is allowed, and changes of those that can do no harm.
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { listProjectLabels, writeProjectSetting, writeSettings } from '../../config.ts';
import { AskError } from '../../core/ask-error.ts';
import { refuseModel } from '../../core/models.ts';
import { ProjectName } from '../../core/shapes/asked.ts';
import type { Paths } from '../../paths.ts';
import { findNamed } from '../../projects/place.ts';
import type { Project } from '../../projects/projects.ts';
import {
  checkSettingValue,
  describeAllowed,
  isDeleting,
  isProjectSetting,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
  whyPerson,
} from '../../settings.ts';
import { type Route, route } from '../http/route.ts';
import notes from '../setting-notes.json';
import type { RouteDeps } from './index.ts';

const NOTES: Record<SettingName, string> = notes;

const SettingsSchema = z.object({
  settings: z.array(
    z.object({
      name: z.string(),
      about: z.string(),
      value: z.unknown(),
      default: z.unknown(),
      isDefault: z.boolean(),
      variable: z.string().describe('The environment variable that goes before the file'),
      isFromVariable: z.boolean().describe('That variable decides it in this worker'),
      isSafe: z.boolean().describe('PATCH changes it'),
      whyNot: z.string().nullable(),
      isDeleting: z.boolean().describe('Less of it deletes memories for good: ask first'),
      isPerProject: z.boolean().describe('It can differ in one project'),
      allowed: z.object({
        type: z.string(),
        values: z.array(z.string()).nullable().describe('Of these, where not everything is allowed'),
        min: z.number().nullable(),
        max: z.number().nullable(),
        words: z.string(),
      }),
    }),
  ),
  projects: z.record(z.string(), z.record(z.string(), z.unknown())).describe('What differs in one project'),
});

export function settingsRoutes({
  db,
  paths,
  config,
  fromVariables,
}: Pick<RouteDeps, 'db' | 'paths' | 'config' | 'fromVariables'>): Route[] {
  const read = () => {
    const now = config();
    const settings = SETTING_NAMES.map((name) => describeSetting(name, now[name], fromVariables.includes(name)));
    return { settings, projects: now.projects };
  };
  return [
    route('GET /api/settings', 'Every setting: what it is, what it may be, and who decides it.', { answer: SettingsSchema }, read),
    route(
      'PATCH /api/settings',
      'Changes settings by their names, all or none; null is the default again. With `project`, what differs there.',
      {
        query: { project: ProjectName },
        body: Object.fromEntries(SETTING_NAMES.map((name) => [name, z.unknown().optional().describe(NOTES[name])])),
        answer: SettingsSchema,
      },
      ({ query: { project }, body }) => {
        const asked = SETTING_NAMES.filter((name) => Object.hasOwn(body, name));
        for (const name of asked) refuseUnsafe(name, fromVariables);
        if (typeof body.model === 'string') orRefuse('invalid', '', () => refuseModel(config(), String(body.model)));
        const changes = asked.map((name): [SettingName, unknown] => [name, readValue(name, body[name])]);
        if (project !== undefined) changeOfProject(paths, findNamed(db, project), changes);
        else if (changes.length > 0) orRefuse('conflict', 'Nothing was changed.', () => writeSettings(paths, Object.fromEntries(changes)));
        return read();
      },
    ),
  ];
}

/** Under the label that the file has for it, else under its key, which no other project has. */
function changeOfProject(paths: Paths, project: Project, changes: [SettingName, unknown][]): void {
  const label = listProjectLabels(paths).find((one) => one === project.key || one === project.name) ?? project.key;
  for (const [name] of changes)
    if (!isProjectSetting(name)) throw new AskError('conflict', `${name} applies everywhere.`, 'Change it without `project`.');
  orRefuse('conflict', 'Nothing was changed.', () => {
    for (const [name, value] of changes) if (isProjectSetting(name)) writeProjectSetting(paths, { label, name, value });
  });
}

const isSafe = (name: SettingName) => SETTINGS[name].by !== 'terminal';

function refuseUnsafe(name: SettingName, fromVariables: readonly string[]): void {
  if (!isSafe(name)) {
    const hint = `In a terminal: claude-mem config set ${name} VALUE`;
    throw new AskError('conflict', `${name} is not changed over HTTP. ${whyPerson(name) ?? ''}`.trim(), hint);
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
  return orRefuse('invalid', `Allowed: ${describeAllowed(name)}; null for the default.`, () => checkSettingValue(name, value));
}

/** A value that is not allowed, a file that cannot be read, a disk that takes nothing: whoever asked can do something about it. */
function orRefuse<T>(kind: 'invalid' | 'conflict', hint: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new AskError(kind, error instanceof Error ? error.message : String(error), hint);
  }
}

function describeSetting(name: SettingName, value: unknown, isFromVariable: boolean) {
  const { variable, fallback } = SETTINGS[name];
  return {
    name,
    about: NOTES[name],
    value: name === 'apiKey' ? maskKey(value) : value,
    default: fallback,
    isDefault: isDeepStrictEqual(value, fallback),
    variable,
    isFromVariable,
    isSafe: isSafe(name),
    whyNot: isSafe(name) ? null : whyPerson(name),
    isDeleting: isDeleting(name),
    isPerProject: isProjectSetting(name),
    allowed: readAllowed(name),
  };
}

/** For which host there is one; never the key. */
const maskKey = (value: unknown) => (typeof value === 'object' && value !== null && 'host' in value ? { host: value.host } : null);

function readAllowed(name: SettingName) {
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
