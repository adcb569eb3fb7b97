// `claude-mem config`: the settings, read and changed. A running worker takes a change up by itself.
import { callApi } from '../../client/api.ts';
import { findClaude, loadConfig, PROVIDER_URLS, SETTING_NAMES, SETTINGS, type SettingName } from '../../config.ts';
import { findPaths, type Paths } from '../../paths.ts';
import { readSecret } from '../read-secret.ts';
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

export async function setSetting(name: string, value: string | undefined): Promise<void> {
  const paths = findPaths();
  const known = nameOf(name);
  if (known === 'apiKey') return setApiKey(paths, value);
  if (value === undefined) throw new Error(`Say the value: claude-mem config set ${known} VALUE`);
  const parsed = SETTINGS[known].schema().safeParse(value);
  if (!parsed.success) throw new Error(`${known} cannot be "${value}": ${parsed.error.issues[0]?.message}.`);
  const changes = { [known]: parsed.data, ...withClaude(paths, known, value) };
  writeSettings(paths, changes);
  for (const [changed, now] of Object.entries(changes)) console.log(`${changed} is now ${format(now)}.`);
  tellConflicts(paths, known);
  // Asked anything, a worker looks at its settings.
  await callApi(paths, '/api/status');
}

export function unsetSetting(name: string): void {
  const known = nameOf(name);
  writeSettings(findPaths(), { [known]: undefined });
  console.log(`${known} is the default again: ${format(SETTINGS[known].fallback) || '(none)'}.`);
}

function nameOf(name: string): SettingName {
  const known = SETTING_NAMES.find((one) => one.toLowerCase() === name.toLowerCase());
  if (known) return known;
  throw new Error(`There is no setting "${name}". \`claude-mem config\` lists them.`);
}

/** Who agrees to the use of their `claude` has it on their PATH now; a worker that a hook starts could not look there. */
function withClaude(paths: Paths, name: SettingName, value: string): { claudePath?: string } {
  const isWanted = (name === 'provider' && value === 'claude') || (name === 'claudeLogin' && value === 'allow');
  if (!isWanted || loadConfig(paths.config, {}).config.claudePath) return {};
  const claudePath = findClaude();
  if (claudePath) return { claudePath };
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
  const { host } = new URL(baseUrl || PROVIDER_URLS[provider]);
  const key = await readSecret(`API key for ${host}: `);
  if (!key) throw new Error('No key was given; nothing has changed.');
  writeSettings(paths, { apiKey: { value: key, host } });
  console.log(`The key is kept for ${host} and sent nowhere else.`);
}

function tellConflicts(paths: Paths, changed: SettingName): void {
  const { apiKey, provider, baseUrl } = loadConfig(paths.config).config;
  if (changed !== 'provider' && changed !== 'baseUrl') return;
  if (provider !== 'anthropic' && provider !== 'openai') return;
  const { host } = new URL(baseUrl || PROVIDER_URLS[provider]);
  if (!apiKey) console.log(`There is no key for ${host} yet: claude-mem config set apiKey`);
  else if (typeof apiKey !== 'string' && apiKey.host !== host) {
    console.log(`The key was set for ${apiKey.host} and is not sent to ${host}: claude-mem config set apiKey`);
  }
}

function maskKey(name: SettingName, value: unknown): unknown {
  if (name !== 'apiKey' || !value) return value;
  const host = typeof value === 'object' && 'host' in value ? ` for ${value.host}` : '';
  return `(kept${host})`;
}

const format = (value: unknown) => (Array.isArray(value) ? value.join(',') : String(value));
