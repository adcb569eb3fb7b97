// A change of a setting that only a person may make: what would change, what follows from it, yes or no.
import { loadConfig, PROVIDER_URLS } from '../config.ts';
import { plainLine } from '../core/plain-line.ts';
import { findPaths } from '../paths.ts';
import { type SettingName, whyPerson } from '../settings.ts';
import { askPerson } from './ask-person.ts';
import { requirePerson } from './only-person.ts';

export type SettingChange = {
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
    to === 'local'
      ? 'No model is asked any more.'
      : `What happens in sessions of all projects is sent to ${SAID[to] ?? to}.`,
  claudeLogin: (to) =>
    to === 'allow'
      ? `What happens in sessions of all projects is sent to ${SAID.claude}.`
      : 'It is not used for memories.',
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
