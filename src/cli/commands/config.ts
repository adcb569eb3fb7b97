// `claude-mem config`: the settings, read and changed. A running worker takes a change up by itself.
import { z } from 'zod';
import { callApi } from '../../client/api.ts';
import {
  findClaude,
  isInsideAgent,
  loadConfig,
  PROVIDER_URLS,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
} from '../../config.ts';
import { findPaths, type Paths } from '../../paths.ts';
import { checkBaseUrl, checkSetting, isExecutable } from '../check-setting.ts';
import { readSecret } from '../read-secret.ts';
import { findConflicts } from '../setting-conflicts.ts';
import { writeSettings } from '../settings-file.ts';

export function listSettings(options: { json?: boolean }): void {
  const paths = findPaths();
  const { config, problems } = loadConfig(paths.config);
  const shown = Object.fromEntries(SETTING_NAMES.map((name) => [name, maskKey(name, config[name])]));
  const lines = SETTING_NAMES.map((name) => {
    const value = format(shown[name]);
    const isDefault = value === format(SETTINGS[name].fallback);
    return `${name.padEnd(22)}${value || '(none)'}${isDefault ? '' : '   (set)'}`;
  });
  const table = [...lines, ...problems.map((problem) => `problem: ${problem}`)].join('\n');
  console.log(options.json ? JSON.stringify(shown, null, 2) : table);
}

export function getSetting(name: string): void {
  const { config } = loadConfig(findPaths().config);
  const known = nameOf(name);
  console.log(format(maskKey(known, config[known])));
}

export async function setSetting(name: string, text: string | undefined): Promise<void> {
  const paths = findPaths();
  const known = nameOf(name);
  if (known === 'apiKey') return setApiKey(paths, text);
  if (text === undefined) throw new Error(`Say the value: claude-mem config set ${known} VALUE`);
  const value = checkSetting(known, text);
  const changes = { [known]: value, ...withClaude(paths, known, value) };
  const said = Object.entries(changes).map(([changed, now]) => `${changed} is now ${format(now)}.`);
  change(paths, changes, said.join('\n'));
  await tellWorker(paths, known);
}

export async function unsetSetting(name: string): Promise<void> {
  const known = nameOf(name);
  const said = `${known} is the default again: ${format(SETTINGS[known].fallback) || '(none)'}.`;
  const paths = findPaths();
  change(paths, { [known]: undefined }, said);
  await tellWorker(paths, known);
}

function change(paths: Paths, changes: Partial<Record<SettingName, unknown>>, said: string): void {
  const before = loadConfig(paths.config).config;
  writeSettings(paths, changes);
  console.log(said);
  if (!Object.keys(changes).some((name) => MODEL_SETTINGS.includes(name))) return;
  for (const line of findConflicts(loadConfig(paths.config).config, before)) console.log(line);
}

/** Those that must go together for a model to be reached. */
const MODEL_SETTINGS = ['provider', 'model', 'baseUrl', 'claudeLogin', 'apiKey'];

/** Asked anything, a worker looks at its settings. */
async function tellWorker(paths: Paths, name: SettingName): Promise<void> {
  const { fromVariables } = Held.parse((await callApi(paths, '/api/status')) ?? {});
  if (!fromVariables.includes(name)) return;
  console.log(`The running worker has it from ${SETTINGS[name].variable}: run \`claude-mem restart\` without it.`);
}

const Held = z.object({ fromVariables: z.array(z.string()).catch([]) });

function nameOf(name: string): SettingName {
  const known = SETTING_NAMES.find((one) => one.toLowerCase() === name.toLowerCase());
  if (known) return known;
  throw new Error(`There is no setting "${name}". \`claude-mem config\` lists them.`);
}

/** Who agrees to the use of their `claude` has it on their PATH now; a worker that a hook starts could not look there. */
function withClaude(paths: Paths, name: SettingName, value: unknown): { claudePath?: unknown } {
  const isWanted = (name === 'provider' && value === 'claude') || (name === 'claudeLogin' && value === 'allow');
  if ((isWanted || name === 'claudePath') && isInsideAgent()) {
    throw new Error('Say this in your own shell: inside a session the repository decides what `claude` is.');
  }
  if (!isWanted || isExecutable(loadConfig(paths.config, {}).config.claudePath)) return {};
  const claudePath = findClaude();
  if (claudePath) return { claudePath: checkSetting('claudePath', claudePath) };
  throw new Error(
    '`claude` is not on your PATH. Say where it is: claude-mem config set claudePath /path/to/claude, then say this again.',
  );
}

/** Not as an argument: it would stay in the history of the shell. */
async function setApiKey(paths: Paths, value: string | undefined): Promise<void> {
  if (value !== undefined) {
    throw new Error(
      'Say `claude-mem config set apiKey` alone and enter the key when asked, or pipe it in: not as an argument, which the shell remembers.',
    );
  }
  const { provider, baseUrl } = loadConfig(paths.config).config;
  if (provider !== 'anthropic' && provider !== 'openai') {
    throw new Error('Say whose key it is first: claude-mem config set provider anthropic (or openai).');
  }
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
