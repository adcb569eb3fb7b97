// `claude-mem config`: the settings, read and changed. A running worker applies a change without a restart.
import { callApi } from '../../client/api.ts';
import { type Config, listProjectLabels, loadConfig, PROVIDER_URLS, spellLabel, writeProjectSetting, writeSettings } from '../../config.ts';
import { asksClaude, DAY_TURNS, isClaudeModel, isLoopback, priceOfDay, refuseModel } from '../../core/models.ts';
import { plainLine } from '../../core/plain-line.ts';
import { type ProjectNames, rankLabel, settingsFor } from '../../core/project.ts';
import type { ProjectRow } from '../../core/shapes/project.ts';
import type { Status } from '../../core/shapes/worker.ts';
import { findClaude } from '../../environment.ts';
import { findPaths } from '../../paths.ts';
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
import { askPerson, readSecret, requirePerson } from '../ask.ts';
import { command, misuse, type Outcome } from '../command.ts';
import { suggest } from '../describe-error.ts';
import { type ProjectOption, readPlace } from '../options.ts';
import { type Column, renderTable } from '../print.ts';

const IN_PROJECT = { '--project [name]': 'Only in this project, or in another one' };
const UNCHANGED = 'Nothing was changed.';

export const configCommand = command({
  name: 'config',
  about: 'Show or change settings (applied without a restart)',
  // Each setting says who may change it: src/settings.ts.
  who: 'anyone',
  commands: [
    command({
      name: 'get <name>',
      about: 'Print one setting',
      options: IN_PROJECT,
      completes: { name: SETTING_NAMES },
      who: 'anyone',
      run: getSetting,
    }),
    command({
      name: 'set <name> [value]',
      about: 'Change one setting',
      completes: { name: SETTING_NAMES },
      options: IN_PROJECT,
      help:
        '`claude-mem config` lists the settings; docs/settings.md says what each does. With --project alone: in the project you are ' +
        'in. `config set apiKey` asks for the key.',
      examples: ['claude-mem config set budget.dailyTokens 50000', 'claude-mem config set off true --project shop'],
      who: 'anyone',
      run: setSetting,
    }),
    command({
      name: 'unset <name>',
      about: 'Reset one setting to its default',
      options: IN_PROJECT,
      completes: { name: SETTING_NAMES },
      who: 'anyone',
      run: unsetSetting,
    }),
  ],
  async run() {
    const { config, problems: found, broken } = loadConfig(findPaths().config);
    const problems = broken ? await askProblems(broken, found) : found;
    const shown = Object.fromEntries(SETTING_NAMES.map((name) => [name, maskKey(name, config[name])]));
    const rows = [
      ...SETTING_NAMES.map((name): Listed => ({ name, value: shown[name], where: '' })),
      ...Object.entries(config.projects).flatMap(([where, own]) => Object.entries(own).map(([name, value]) => ({ name, value, where }))),
    ];
    const price = tellPrice(config);
    const notes = [...(price ? [price] : []), ...problems.map((problem) => `problem: ${problem}`)];
    return { answer: { ...shown, projects: config.projects }, text: () => renderTable(COLUMNS, rows), notes };
  },
});

type Listed = { name: string; value: unknown; where: string };

const COLUMNS: Column<Listed>[] = [
  { heading: 'setting', style: 'bold', cell: ({ name }) => name },
  { heading: 'value', isFlexible: true, cell: ({ value }) => format(value) || '(none)' },
  { heading: 'set', style: 'cyan', cell: ({ name, value, where }) => (where ? `in ${where}` : isDefault(name, value) ? '' : 'yes') },
];

const isDefault = (name: string, value: unknown) => format(value) === format(SETTINGS[name as SettingName].fallback);

/** What a file that cannot be read does to a running worker, that one knows: it may go on with the settings from before. */
async function askProblems(broken: string, found: string[]): Promise<string[]> {
  const { problems } = await askHeld();
  return problems.some((problem) => problem.startsWith(broken)) ? problems : found;
}

/** What the running worker has; asked anything, it looks at its settings. One of before an update may not say all of it. */
async function askHeld(): Promise<Pick<Status, 'fromVariables' | 'problems'> & { web: Status['web'] | null }> {
  const { fromVariables = [], problems = [], web = null } = (await callApi<Partial<Status>>(findPaths(), '/api/status')) ?? {};
  return { fromVariables, problems, web };
}

type InProject = { project?: ProjectOption };

function getSetting(name: string, { project }: InProject): Outcome {
  const { config, broken } = loadConfig(findPaths().config);
  const known = nameOf(name);
  if (broken) throw new Error(`${broken}.`);
  const settings = project === undefined ? config : settingsFor(config, namesOf(project));
  const value = maskKey(known, settings[known]);
  return { answer: { name: known, value }, text: () => format(value) };
}

async function setSetting(name: string, text: string | undefined, { project }: InProject): Promise<Outcome> {
  const known = nameOf(name);
  if (known === 'apiKey' && project === undefined) return setApiKey(text);
  if (text === undefined) throw misuse(`Say the value: claude-mem config set ${known} VALUE`);
  if (project !== undefined) return setInProject(known, project, text);
  const value = checkSetting(known, text);
  if (known === 'model') refuseModel(loadConfig(findPaths().config).config, String(value));
  return confirmChange(known, format(value)) ? report(known, await changeWith(known, value)) : UNCHANGED;
}

const report = (name: SettingName, notes: string[], value: unknown = loadConfig(findPaths().config).config[name]): Outcome => ({
  answer: { name, value: maskKey(name, value), notes },
  text: () => notes.join('\n'),
});

export async function keepSetting(known: SettingName, value: unknown): Promise<void> {
  for (const line of await changeWith(known, value)) console.log(line);
}

function changeWith(known: SettingName, value: unknown): Promise<string[]> {
  const changes = { [known]: value, ...withClaude(known, value) };
  return change(
    changes,
    Object.entries(changes).map(([changed, now]) => `${changed} is now ${format(now)}.`),
  );
}

async function unsetSetting(name: string, { project }: InProject): Promise<Outcome> {
  const known = nameOf(name);
  if (project !== undefined) return setInProject(known, project, null);
  const fallback = format(SETTINGS[known].fallback);
  if (!confirmChange(known, fallback)) return UNCHANGED;
  return report(known, await change({ [known]: undefined }, [`${known} is the default again: ${fallback || '(none)'}.`]));
}

/** `text` null: it is as in all projects again. */
async function setInProject(name: SettingName, project: ProjectOption, text: string | null): Promise<Outcome> {
  if (!isProjectSetting(name)) throw misuse(`${name} applies to all projects: say it without --project.`);
  const paths = findPaths();
  const names = namesOf(project);
  const label = findLabel(names);
  const value = text === null ? undefined : checkSetting(name, text);
  if (!confirmChange(name, text === null ? 'as elsewhere' : format(value), label)) return UNCHANGED;
  writeProjectSetting(paths, { label, name, value });
  const now = settingsFor(loadConfig(paths.config).config, names)[name];
  const unknown = 'Nothing is known of this project yet; the setting applies once there is one.';
  const said = [
    `${name} is ${text === null ? 'as elsewhere' : 'now'} in ${label}: ${format(now) || '(none)'}.`,
    ...listDoubts(),
    ...((await isUnknownProject(names)) ? [unknown] : []),
  ];
  return report(name, said, now);
}

/** Those that must go together for a model to be reached. */
const MODEL_SETTINGS = ['provider', 'model', 'baseUrl', 'claudeLogin', 'apiKey'];

async function change(changes: Partial<Record<SettingName, unknown>>, said: string[]): Promise<string[]> {
  const paths = findPaths();
  writeSettings(paths, changes);
  const { config } = loadConfig(paths.config);
  const changed = Object.keys(changes);
  const isModel = changed.some((name) => MODEL_SETTINGS.includes(name));
  const isPriced = ['model', 'claudeLogin', 'provider'].some((name) => changed.includes(name));
  const price = isPriced ? tellPrice(config) : null;
  const { fromVariables, web } = await askHeld();
  const isOtherPort = 'workerPort' in changes && web !== null && web.port !== config.workerPort;
  const held = SETTING_NAMES.find((name) => name in changes && fromVariables.includes(name));
  return [
    ...said,
    ...listDoubts(),
    ...(isModel ? findConflicts(config, changed.includes('provider')) : []),
    ...(price ? [price] : []),
    ...(isOtherPort ? ['The running worker takes it after `claude-mem restart`.'] : []),
    ...(held ? [`The running worker has it from ${SETTINGS[held].variable}: run \`claude-mem restart\` without it.`] : []),
  ];
}

/** Who has put one thing right should know of the next. */
function listDoubts(): string[] {
  const { doubt } = loadConfig(findPaths().config).config;
  return doubt ? [`Nothing is stored or added to sessions: ${doubt}.`] : [];
}

function nameOf(name: string): SettingName {
  const known = SETTING_NAMES.find((one) => one.toLowerCase() === name.toLowerCase());
  if (known) return known;
  throw misuse(`There is no setting "${name.slice(0, 60)}".${suggest(name, SETTING_NAMES)} \`claude-mem config\` lists them.`);
}

/** Who agrees to the use of their `claude` has it on their PATH now; a worker that a hook starts could not look there. */
function withClaude(name: SettingName, value: unknown): { claudePath?: unknown } {
  const isWanted = (name === 'provider' && value === 'claude') || (name === 'claudeLogin' && value === 'allow');
  if (!isWanted || isExecutable(loadConfig(findPaths().config, {}).config.claudePath)) return {};
  const claudePath = findClaude();
  if (claudePath) return { claudePath: checkSetting('claudePath', claudePath) };
  throw new Error('`claude` is not on your PATH. Say where it is: claude-mem config set claudePath /path/to/claude, then say this again.');
}

async function setApiKey(value: string | undefined): Promise<Outcome> {
  if (value !== undefined)
    throw misuse('Say `claude-mem config set apiKey` alone and enter the key when asked: the shell remembers an argument.');
  const { provider, baseUrl } = loadConfig(findPaths().config).config;
  if (provider !== 'anthropic' && provider !== 'openai')
    throw new Error('Say whose key it is first: claude-mem config set provider anthropic (or openai).');
  requirePerson(whyPerson('apiKey') ?? '');
  const { host } = checkBaseUrl(baseUrl || PROVIDER_URLS[provider]);
  const key = await readSecret(`API key for ${host}: `);
  if (!key) throw new Error('No key was given; nothing has changed.');
  if (!/^[!-~]+$/.test(key))
    throw new Error('This is no key: it has a space, a line break or an unusual character in it. Nothing has changed.');
  return report('apiKey', await change({ apiKey: { value: key, host } }, [`The key is kept for ${host} and sent nowhere else.`]));
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
function findLabel(names: ProjectNames): string {
  const ranked = listProjectLabels(findPaths()).map((label) => ({ label, rank: rankLabel(spellLabel(label), names) }));
  const [known] = ranked.filter(({ rank }) => rank > 0).sort((one, other) => other.rank - one.rank);
  return known?.label ?? names.key;
}

/** A slip in a name would change nothing, and nobody would notice. Without a worker it cannot be known. */
async function isUnknownProject({ key: wanted }: ProjectNames): Promise<boolean> {
  const answer = await callApi<{ items: ProjectRow[] }>(findPaths(), '/api/projects?limit=200');
  const isKnown = ({ key, project: name, root, aliases: others }: ProjectRow) => rankLabel(wanted, { key, name, root, others }) > 0;
  return answer !== null && !answer.items.some(isKnown);
}

// What a change of a setting means: what only a person may agree to, what no longer goes together, what it costs.

/** True at once for what anyone may change. Throws when nobody is there to ask. `to`: as it would be shown; `where`: the project. */
function confirmChange(name: SettingName, to: string, where?: string): boolean {
  const why = whyPerson(name);
  if (why === null) return true;
  requirePerson(why);
  const place = where === undefined ? '' : ` in ${plainLine(where, 200)}`;
  const result = plainLine(RESULTS[name]?.(to) ?? why, 500);
  return askPerson(`${name}${place} would be ${plainLine(to, 300) || '(none)'}. ${result} Change it? [y/N] `);
}

const RESULTS: Partial<Record<SettingName, (to: string) => string>> = {
  embedder: (to) =>
    to === 'openai'
      ? sendTo(loadConfig(findPaths().config).config.embedderUrl)
      : 'Nothing is sent anywhere for it; all vectors are made again.',
  embedderUrl: (to) => `With the embedder openai: ${sendTo(to)}`,
  baseUrl: (to) => `With the provider anthropic or openai: ${sendSessions(to || PROVIDER_URLS.anthropic)}`,
  provider: (to) => (to === 'local' ? 'No model is asked any more.' : sendSessions(RECEIVERS[to] ?? to)),
  claudeLogin: (to) => (to === 'allow' ? sendSessions(RECEIVERS.claude ?? '') : 'It is not used for memories.'),
  claudePath: () => 'This program is run with your login, and sessions of all projects are sent to it.',
};

const RECEIVERS: Record<string, string> = {
  auto: 'the model that your Claude login reaches, once you allow it',
  claude: 'Claude, by your own login',
  anthropic: 'Anthropic, or the address in baseUrl',
  openai: 'OpenAI, or the address in baseUrl',
};

const sendTo = (receiver: string) => `Memories of all projects will be sent to ${receiver}.`;
const sendSessions = (receiver: string) => `What happens in sessions of all projects is sent to ${receiver}.`;

/** What does not go together, each with the command that sets it right. */
function findConflicts(config: Config, isOtherProvider: boolean): string[] {
  const { provider, baseUrl, model } = config;
  const isClaude = model === SETTINGS.model.fallback || (!baseUrl && isClaudeModel(model));
  const isStrange = asksClaude(config) ? !isClaudeModel(model) : provider === 'openai' && isClaude;
  const remedy = provider === 'openai' ? 'set model NAME' : 'unset model';
  const isElsewhere = baseUrl && isOtherProvider && provider !== 'local';
  return [
    ...(isStrange ? [`model (${model}) is for another provider: claude-mem config ${remedy}`] : []),
    ...(isElsewhere ? [`baseUrl is still ${baseUrl}. To use the address of ${provider}: claude-mem config unset baseUrl`] : []),
    ...findKeyProblem(config),
  ];
}

function findKeyProblem({ provider, baseUrl, apiKey }: Config): string[] {
  if (provider !== 'anthropic' && provider !== 'openai') return [];
  const url = new URL(baseUrl || PROVIDER_URLS[provider]);
  if (!apiKey) return isLoopback(url) ? [] : [`There is no key for ${url.host} yet: claude-mem config set apiKey`];
  if (apiKey.host === url.host) return [];
  const orNone = isLoopback(url) ? ', or claude-mem config unset apiKey if none is needed there' : '';
  return [`The key was set for ${apiKey.host} and is not sent to ${url.host}: claude-mem config set apiKey${orNone}`];
}

function tellPrice(config: Config): string | null {
  const price = asksClaude(config) ? priceOfDay(config.model) : null;
  const others = `haiku: ${priceOfDay('haiku')}, sonnet: ${priceOfDay('sonnet')}`;
  return price && `It costs about ${price} a day of ${DAY_TURNS} turns (${others}), an estimate at list prices.`;
}
