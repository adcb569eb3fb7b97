// `claude-mem config`: the settings, read and changed. A running worker takes a change up by itself.

import { z } from 'zod';
import { callApi } from '../../client/api.ts';
import { listProjectLabels, loadConfig, PROVIDER_URLS, spellLabel, writeProjectSetting, writeSettings } from '../../config.ts';
import { type ProjectNames, rankLabel, settingsFor } from '../../core/project.ts';
import type { ProjectRow } from '../../core/shapes/project.ts';
import { findClaude } from '../../environment.ts';
import { findPaths, type Paths } from '../../paths.ts';
import { identifyFolder } from '../../projects/place.ts';
import {
  checkBaseUrl,
  checkSetting,
  isExecutable,
  isProjectSetting,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
  whyPerson,
} from '../../settings.ts';

import { readSecret, requirePerson } from '../ask.ts';
import { command, type OptionsOf } from '../command.ts';
import { type ProjectOption, readPlace } from '../options.ts';
import { confirmChange, findConflicts, refuseModel, tellPrice } from '../setting-advice.ts';

const IN_PROJECT = { '--project [name]': 'only in this project, or in another one' };

export const configCommand = command({
  name: 'config',
  about: 'the settings; a running worker takes a change up by itself',
  options: { '--json': 'as JSON' },
  // Each setting says who may change it: src/settings.ts.
  who: 'anyone',
  commands: [
    command({ name: 'get <name>', about: 'print one setting', options: IN_PROJECT, who: 'anyone', run: getSetting }),
    command({
      name: 'set <name> [value]',
      about: 'change one setting',
      options: IN_PROJECT,
      help: '`claude-mem config` lists the settings; docs/settings.md says what each does.',
      examples: [
        'claude-mem config set budget.dailyTokens 50000',
        'claude-mem config set provider anthropic',
        'claude-mem config set apiKey                     asks for the key',
        'claude-mem config set contextTokens 500 --project        in the project you are in',
        'claude-mem config set off true --project shop            nothing is kept or told there',
      ],
      who: 'anyone',
      run: setSetting,
    }),
    command({
      name: 'unset <name>',
      about: 'go back to the default of one setting',
      options: IN_PROJECT,
      who: 'anyone',
      run: unsetSetting,
    }),
  ],
  async run(options) {
    const paths = findPaths();
    const { config, problems: found, broken } = loadConfig(paths.config);
    const problems = broken ? await askProblems(paths, broken, found) : found;
    const shown = Object.fromEntries(SETTING_NAMES.map((name) => [name, maskKey(name, config[name])]));
    const lines = SETTING_NAMES.map((name) => {
      const value = format(shown[name]);
      const isDefault = value === format(SETTINGS[name].fallback);
      const price = name === 'model' ? tellPrice(config) : null;
      return `${name.padEnd(22)}${value || '(none)'}${isDefault ? '' : '   (set)'}${price ? `   ${price}` : ''}`;
    });
    const inProjects = Object.entries(config.projects).flatMap(([label, own]) =>
      Object.entries(own).map(([name, value]) => `${name.padEnd(22)}${format(value)}   (in ${label})`),
    );
    const table = [...lines, ...inProjects, ...problems.map((problem) => `problem: ${problem}`)].join('\n');
    console.log(options.json ? JSON.stringify({ ...shown, projects: config.projects }, null, 2) : table);
  },
});

/** What a file that cannot be read does to a running worker, that one knows: it may go on with the settings from before. */
async function askProblems(paths: Paths, broken: string, found: string[]): Promise<string[]> {
  const { problems } = Held.parse((await callApi(paths, '/api/status')) ?? {});
  return problems.some((problem) => problem.startsWith(broken)) ? problems : found;
}

function getSetting(name: string, { project }: OptionsOf<typeof IN_PROJECT>): void {
  const { config, broken } = loadConfig(findPaths().config);
  const known = nameOf(name);
  if (broken) throw new Error(`${broken}.`);
  const settings = project === undefined ? config : settingsFor(config, namesOf(project));
  console.log(format(maskKey(known, settings[known])));
}

async function setSetting(name: string, text: string | undefined, { project }: OptionsOf<typeof IN_PROJECT>): Promise<void> {
  const known = nameOf(name);
  if (project !== undefined) return setInProject(findPaths(), known, { project, text });
  if (known === 'apiKey') return setApiKey(findPaths(), text);
  if (text === undefined) throw new Error(`Say the value: claude-mem config set ${known} VALUE`);
  const value = checkSetting(known, text);
  if (known === 'model') refuseModel(loadConfig(findPaths().config).config, String(value));
  if (await confirmChange({ name: known, to: format(value) })) await keepSetting(known, value);
}

/** Once it is agreed. */
export async function keepSetting(known: SettingName, value: unknown): Promise<void> {
  const paths = findPaths();
  const changes = { [known]: value, ...withClaude(paths, known, value) };
  const said = Object.entries(changes).map(([changed, now]) => `${changed} is now ${format(now)}.`);
  change(paths, changes, said.join('\n'));
  await tellWorker(paths, known);
}

async function unsetSetting(name: string, { project }: OptionsOf<typeof IN_PROJECT>): Promise<void> {
  const known = nameOf(name);
  if (project !== undefined) return setInProject(findPaths(), known, { project, text: null });
  if (!(await confirmChange({ name: known, to: format(SETTINGS[known].fallback) }))) return;
  const said = `${known} is the default again: ${format(SETTINGS[known].fallback) || '(none)'}.`;
  const paths = findPaths();
  change(paths, { [known]: undefined }, said);
  await tellWorker(paths, known);
}

type ProjectChange = {
  project: ProjectOption;
  /** Null: it differs no more. */
  text: string | null | undefined;
};

async function setInProject(paths: Paths, name: SettingName, { project, text }: ProjectChange): Promise<void> {
  if (!isProjectSetting(name)) throw new Error(`${name} holds in all projects: say it without --project.`);
  if (text === undefined) throw new Error(`Say the value: claude-mem config set ${name} VALUE --project`);
  const names = namesOf(project);
  const label = findLabel(paths, names);
  const value = text === null ? undefined : checkSetting(name, text);
  if (!(await confirmChange({ name, to: text === null ? 'as elsewhere' : format(value), where: label }))) return;
  writeProjectSetting(paths, { label, name, value });
  const holds = format(settingsFor(loadConfig(paths.config).config, names)[name]);
  console.log(`${name} is ${text === null ? 'as elsewhere' : 'now'} in ${label}: ${holds || '(none)'}.`);
  sayDoubt(paths);
  if (await isUnknownProject(paths, names)) console.log('Nothing is known of this project yet; it holds once there is one.');
}

function change(paths: Paths, changes: Partial<Record<SettingName, unknown>>, said: string): void {
  const before = loadConfig(paths.config).config;
  writeSettings(paths, changes);
  console.log(said);
  sayDoubt(paths);
  if (!Object.keys(changes).some((name) => MODEL_SETTINGS.includes(name))) return;
  const { config } = loadConfig(paths.config);
  for (const line of findConflicts(config, before)) console.log(line);
  const price = 'model' in changes || 'claudeLogin' in changes || 'provider' in changes ? tellPrice(config) : null;
  if (price) console.log(price);
}

/** Who has put one thing right should know of the next. */
function sayDoubt(paths: Paths): void {
  const { doubt } = loadConfig(paths.config).config;
  if (doubt) console.log(`Nothing is kept or told: ${doubt}.`);
}

/** Those that must go together for a model to be reached. */
const MODEL_SETTINGS = ['provider', 'model', 'baseUrl', 'claudeLogin', 'apiKey'];

/** Asked anything, a worker looks at its settings. */
async function tellWorker(paths: Paths, name: SettingName): Promise<void> {
  const { fromVariables, web } = Held.parse((await callApi(paths, '/api/status')) ?? {});
  const isOther = web !== null && web.port !== loadConfig(paths.config).config.workerPort;
  if (name === 'workerPort' && isOther) console.log('The running worker takes it after `claude-mem restart`.');
  if (!fromVariables.includes(name)) return;
  console.log(`The running worker has it from ${SETTINGS[name].variable}: run \`claude-mem restart\` without it.`);
}

const Held = z.object({
  fromVariables: z.array(z.string()).catch([]),
  problems: z.array(z.string()).catch([]),
  web: z.object({ port: z.number() }).nullable().catch(null),
});

function nameOf(name: string): SettingName {
  const known = SETTING_NAMES.find((one) => one.toLowerCase() === name.toLowerCase());
  if (known) return known;
  throw new Error(`There is no setting "${name}". \`claude-mem config\` lists them.`);
}

/** Who agrees to the use of their `claude` has it on their PATH now; a worker that a hook starts could not look there. */
function withClaude(paths: Paths, name: SettingName, value: unknown): { claudePath?: unknown } {
  const isWanted = (name === 'provider' && value === 'claude') || (name === 'claudeLogin' && value === 'allow');
  if (!isWanted || isExecutable(loadConfig(paths.config, {}).config.claudePath)) return {};
  const claudePath = findClaude();
  if (claudePath) return { claudePath: checkSetting('claudePath', claudePath) };
  throw new Error('`claude` is not on your PATH. Say where it is: claude-mem config set claudePath /path/to/claude, then say this again.');
}

/** Not as an argument: it would stay in the history of the shell. */
async function setApiKey(paths: Paths, value: string | undefined): Promise<void> {
  if (value !== undefined) {
    throw new Error(
      'Say `claude-mem config set apiKey` alone and enter the key when asked: not as an argument, which the shell remembers.',
    );
  }
  const { provider, baseUrl } = loadConfig(paths.config).config;
  if (provider !== 'anthropic' && provider !== 'openai') {
    throw new Error('Say whose key it is first: claude-mem config set provider anthropic (or openai).');
  }
  requirePerson(whyPerson('apiKey') ?? '');
  const { host } = checkBaseUrl(baseUrl || PROVIDER_URLS[provider]);
  const key = await readSecret(`API key for ${host}: `);
  if (!key) throw new Error('No key was given; nothing has changed.');
  if (!/^[!-~]+$/.test(key)) {
    throw new Error('This is no key: it has a space, a line break or an unusual character in it. Nothing has changed.');
  }
  change(paths, { apiKey: { value: key, host } }, `The key is kept for ${host} and sent nowhere else.`);
  await tellWorker(paths, 'apiKey');
}

function maskKey(name: SettingName, value: unknown): unknown {
  if (name !== 'apiKey' || !value) return value;
  const host = typeof value === 'object' && 'host' in value ? ` for ${value.host}` : '';
  return `(kept${host})`;
}

const format = (value: unknown) => (Array.isArray(value) ? value.join(',') : String(value ?? ''));

/** A name that nobody has looked up stands for all three. */
function namesOf(option: ProjectOption): ProjectNames {
  const { cwd, project = '' } = readPlace(option);
  return cwd ? identifyFolder(cwd) : { key: project, name: project, root: project };
}

/** One that the file has already, the most specific, so that what is set counts; else the key. */
function findLabel(paths: Paths, names: ProjectNames): string {
  const [known] = listProjectLabels(paths)
    .map((label) => ({ label, rank: rankLabel(spellLabel(label), names) }))
    .filter(({ rank }) => rank > 0)
    .sort((one, other) => other.rank - one.rank);
  return known?.label ?? names.key;
}

/** A slip in a name would change nothing, and nobody would notice. Without a worker it cannot be told. */
async function isUnknownProject(paths: Paths, names: ProjectNames): Promise<boolean> {
  const answer = await callApi(paths, '/api/projects?limit=200');
  // The worker is ours, so its answers are trusted to keep to their contract.
  const { items } = (answer ?? { items: null }) as { items: ProjectRow[] | null };
  return (
    items !== null && !items.some(({ key, project: name, root, aliases: others }) => rankLabel(names.key, { key, name, root, others }) > 0)
  );
}
