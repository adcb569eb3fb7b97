// What a change of a setting means: what only a person may agree to, what no longer goes together, what it costs.
import { type Config, loadConfig, PROVIDER_URLS } from '../config.ts';
import { asksClaude, DAY_TURNS, isClaudeModel, isLoopback, priceOfDay } from '../core/models.ts';
import { plainLine } from '../core/plain-line.ts';
import { findPaths } from '../paths.ts';
import { SETTINGS, type SettingName, whyPerson } from '../settings.ts';
import { askPerson, requirePerson } from './ask.ts';

/** True at once for what anyone may change. Throws when nobody is there to ask. `to`: as it would be shown; `where`: the project. */
export function confirmChange(name: SettingName, to: string, where?: string): boolean {
  const why = whyPerson(name);
  if (why === null) return true;
  requirePerson(why);
  const place = where === undefined ? '' : ` in ${plainLine(where, 200)}`;
  const result = plainLine(RESULTS[name]?.(to) ?? why, 500);
  return askPerson(`${name}${place} would be ${plainLine(to, 300) || '(none)'}. ${result} Change it? [y/N] `);
}

/** Where it can be said more plainly than by the reason alone. */
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
export function findConflicts(config: Config, isOtherProvider: boolean): string[] {
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

export function tellPrice(config: Config): string | null {
  const price = asksClaude(config) ? priceOfDay(config.model) : null;
  const others = `haiku: ${priceOfDay('haiku')}, sonnet: ${priceOfDay('sonnet')}`;
  return price && `It costs about ${price} a day of ${DAY_TURNS} turns (${others}), an estimate at list prices.`;
}
