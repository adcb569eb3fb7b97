// What a change of a setting means: what only a person may agree to, what no longer goes together, what it costs.
import { type Config, loadConfig, PROVIDER_URLS } from '../config.ts';
import { DAY_TURNS, isClaudeModel, isLoopback, priceOfDay } from '../core/models.ts';
import { plainLine } from '../core/plain-line.ts';
import { findPaths } from '../paths.ts';
import { SETTINGS, type SettingName, whyPerson } from '../settings.ts';
import { askPerson, requirePerson } from './ask.ts';

type SettingChange = {
  name: SettingName;
  /** As it would be shown. */
  to: string;
  /** The project, if it is of one. */
  where?: string;
};

/** True at once for what anyone may change. Throws when nobody is there to ask. */
export async function confirmChange({ name, to, where }: SettingChange): Promise<boolean> {
  const why = whyPerson(name);
  if (why === null) return true;
  requirePerson(why);
  const place = where === undefined ? '' : ` in ${plainLine(where, 200)}`;
  const follows = FOLLOWS[name]?.(to) ?? why;
  const isAgreed = await askPerson(
    `${name}${place} would be ${plainLine(to, 300) || '(none)'}. ${plainLine(follows, 500)} Change it? [y/N] `,
  );
  if (!isAgreed) console.log('Nothing was changed.');
  return isAgreed;
}

/** Where it can be said more plainly than by the reason alone. */
const FOLLOWS: Partial<Record<SettingName, (to: string) => string>> = {
  embedder: (to) =>
    to === 'openai'
      ? sendTo(loadConfig(findPaths().config).config.embedderUrl)
      : 'Nothing is sent anywhere for it; all vectors are made again.',
  embedderUrl: (to) => `With the embedder openai: ${sendTo(to)}`,
  baseUrl: (to) => `With the provider anthropic or openai: ${sendTo(to || PROVIDER_URLS.anthropic)}`,
  provider: (to) =>
    to === 'local' ? 'No model is asked any more.' : `What happens in sessions of all projects is sent to ${SAID[to] ?? to}.`,
  claudeLogin: (to) =>
    to === 'allow' ? `What happens in sessions of all projects is sent to ${SAID.claude}.` : 'It is not used for memories.',
  claudePath: () => 'This program is run with your login, and sessions of all projects are sent to it.',
  off: (to) => (to === 'true' ? 'Nothing is kept and nothing added to sessions.' : 'Sessions are kept again.'),
  agentAllProjects: (to) =>
    to === 'true'
      ? 'Every agent, in every project, can read and hide the memories of all projects.'
      : 'An agent reads and hides memories of its own project only.',
};

const SAID: Record<string, string> = {
  auto: 'the model that your Claude login reaches, once you allow it',
  claude: 'Claude, by your own login',
  anthropic: 'Anthropic, or the address in baseUrl',
  openai: 'OpenAI, or the address in baseUrl',
};

const sendTo = (address: string) => `Memories of all projects will be sent to ${address}.`;

/** One line for what is for another provider, one for the key; each with the command that sets it right. */
export function findConflicts(config: Config, before: Config): string[] {
  return [findStrangers(config, before), findKeyProblem(config)].filter((line) => line !== null);
}

type Stranger = { name: 'model' | 'baseUrl'; remedy: string };

function findStrangers(config: Config, before: Config): string | null {
  const strangers = [findStrangeModel(config), findStrangeUrl(config, before)].filter((one) => one !== null);
  if (strangers.length === 0) return null;
  const named = strangers.map(({ name }) => `${name} (${config[name]})`).join(' and ');
  const remedies = strangers.map(({ remedy }) => `claude-mem config ${remedy}`).join(' && ');
  return `${named} ${strangers.length > 1 ? 'are' : 'is'} for another provider: ${remedies}`;
}

/** A name that the provider cannot know: refused when it is set. What it is behind an address of its own, nobody knows here. */
export function refuseModel(config: Config, model: string): void {
  if (!isAnthropics(config) || isClaudeModel(model)) return;
  throw new Error(
    `There is no model "${model}" of Claude: it is sonnet, haiku, opus, or a name that begins with claude-. Nothing has changed.`,
  );
}

/** What a day of the model costs, about; null where that is not known. */
export function tellPrice(config: Config): string | null {
  const price = isAnthropics(config) ? priceOfDay(config.model) : null;
  return (
    price &&
    `It costs about ${price} a day of ${DAY_TURNS} turns (haiku: ${priceOfDay('haiku')}, sonnet: ${priceOfDay('sonnet')}), ` +
      'an estimate at list prices.'
  );
}

/** `auto` asks for your login, and nobody else's. */
const isAnthropics = ({ provider, baseUrl, claudeLogin }: Config) =>
  provider === 'claude' || (provider === 'auto' && claudeLogin !== 'deny') || (provider === 'anthropic' && !baseUrl);

function findStrangeModel(config: Config): Stranger | null {
  const { provider, baseUrl, model } = config;
  // Behind an address of their own there may be any model, by any name.
  const isAnthropic = asksClaude(config) || (provider === 'anthropic' && !baseUrl);
  if (isAnthropic && !isClaudeModel(model)) return { name: 'model', remedy: 'unset model' };
  const isOpenAi = provider === 'openai' && !/\banthropic\.com$/.test(URL.parse(baseUrl)?.hostname ?? '');
  const isClaude = model === SETTINGS.model.fallback || (!baseUrl && isClaudeModel(model));
  return isOpenAi && isClaude ? { name: 'model', remedy: 'set model NAME' } : null;
}

function findStrangeUrl(config: Config, before: Config): Stranger | null {
  if (!config.baseUrl) return null;
  const hasSwitched = isKeyed(config) && isKeyed(before) && config.provider !== before.provider;
  return asksClaude(config) || hasSwitched ? { name: 'baseUrl', remedy: 'unset baseUrl' } : null;
}

function findKeyProblem(config: Config): string | null {
  const { provider, baseUrl, apiKey } = config;
  if (provider !== 'anthropic' && provider !== 'openai') return null;
  const url = new URL(baseUrl || PROVIDER_URLS[provider]);
  if (!apiKey) return isLoopback(url) ? null : `There is no key for ${url.host} yet: claude-mem config set apiKey`;
  if (apiKey.host === url.host) return null;
  const orNone = isLoopback(url) ? ', or claude-mem config unset apiKey if none is needed there' : '';
  return `The key was set for ${apiKey.host} and is not sent to ${url.host}: claude-mem config set apiKey${orNone}`;
}

const isKeyed = ({ provider }: Config) => provider === 'anthropic' || provider === 'openai';

const asksClaude = ({ provider, claudeLogin }: Config) => provider === 'claude' || (provider === 'auto' && claudeLogin === 'allow');
