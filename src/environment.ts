// Who runs a command, as the environment tells it, and what of the environment is handed on to the processes we start.
import { existsSync } from 'node:fs';
import { AGENT_VARIABLES } from './agents/variables.ts';
import type { Config } from './config.ts';
import { SETTING_NAMES, SETTINGS } from './settings.ts';

type Environment = Record<string, string | undefined>;

/** An agent runs the command, and whatever it was told by a page or a repository: the variable that says so, or null. */
export function findAgent(environment: Environment = process.env): string | null {
  return AGENT_VARIABLES.find((name) => environment[name]) ?? null;
}

/** The person's own `claude`: looked for when a person asks, never on the PATH of a hook, which a repository can set. */
export function findClaude(environment: Environment = process.env): string | null {
  return environment.CLAUDE_CODE_PATH || Bun.which('claude', { PATH: environment.PATH ?? '' });
}

/**
 * How a person's `claude` is told who they are. Handed on only from a worker that they started by hand: a repository's settings
 * can set the environment of hooks.
 */
const LOGIN_VARIABLES = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_BASE_URL',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CLAUDE_CONFIG_DIR',
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
  'AWS_PROFILE',
  'AWS_REGION',
  'HTTPS_PROXY',
  'NODE_EXTRA_CA_CERTS',
];

/** What was asked for by `--color`, by https://no-color.org and https://force-color.org, in this order; else what the terminal can do. */
export function wantsColour(isTerminal: boolean, environment: Environment = process.env): boolean {
  if (environment.NO_COLOR) return false;
  if (environment.FORCE_COLOR && environment.FORCE_COLOR !== '0') return true;
  return isTerminal && environment.TERM !== 'dumb';
}

/** Whether what was written can be written over. */
export const canMove = ({ isTTY }: { isTTY?: boolean }, environment: Environment = process.env): boolean =>
  isTTY === true && environment.TERM !== 'dumb';

/** Of this process and those it starts, such as a pager. */
export function chooseColour(when: 'always' | 'never' | 'auto'): void {
  if (when === 'auto') return;
  delete process.env.NO_COLOR;
  delete process.env.FORCE_COLOR;
  process.env[when === 'always' ? 'FORCE_COLOR' : 'NO_COLOR'] = '1';
}

/** The person's pager, as git chooses it; null for none. A terminal that cannot move its cursor has none. */
export function findPager(environment: Environment = process.env): string | null {
  const { PAGER, TERM } = environment;
  if (TERM === 'dumb' || PAGER === '' || PAGER === 'cat') return null;
  return PAGER ?? (Bun.which('less', { PATH: environment.PATH ?? '' }) ? 'less' : null);
}

/** As git does: colours pass, a short text needs no key, and it stays on the screen. */
export const pagerEnvironment = (environment: Environment = process.env) => ({ LESS: 'FRX', ...environment });

type HandedOn = {
  /** What a worker that was asked for by hand gets besides what every worker gets. */
  variables: Record<string, string>;
  /** What decides what is run, sent, kept or read: only a person hands that on. */
  heldBack: string[];
};

export function handOn(config: Config, isPerson: boolean, environment: Environment = process.env): HandedOn {
  const heldBack = isPerson ? [] : listForPersons(environment);
  const ours = Object.keys(environment).filter((name) => name.startsWith('CLAUDE_MEM_') && !heldBack.includes(name));
  if (!isPerson) return { variables: pick(environment, ours), heldBack };
  // A path that the person has set goes before one that happens to be found.
  const path = environment.CLAUDE_CODE_PATH || (config.claudePath ? null : findClaude(environment));
  const variables = pick(environment, [...ours, ...LOGIN_VARIABLES, 'TZ']);
  return { variables: { ...variables, ...(path ? { CLAUDE_CODE_PATH: path } : {}) }, heldBack };
}

/** For a worker that runs in this very process: as if it had been started without what only a person hands on. */
export function dropForPersons(): void {
  for (const name of [...listForPersons(process.env), ...LOGIN_VARIABLES]) delete process.env[name];
}

const listForPersons = (environment: Environment): string[] =>
  SETTING_NAMES.filter((name) => SETTINGS[name].by !== 'anyone' && environment[SETTINGS[name].variable]).map(
    (name) => SETTINGS[name].variable,
  );

/** The whole environment of the observer's `claude`, but for what its provider adds. */
export function claudeEnvironment(path: string, environment: Environment = process.env): Record<string, string> {
  const own = path.slice(0, path.lastIndexOf('/'));
  return {
    ...pick(environment, ['HOME', 'USER', 'LOGNAME', 'USERPROFILE', 'LANG', ...LOGIN_VARIABLES]),
    PATH: `${own}:/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin`,
  };
}

/** Where `claude` keeps its login, but on a Mac. */
export function findLoginFile(claudePath: string, environment: Environment = process.env): string {
  const { CLAUDE_CONFIG_DIR, HOME } = claudeEnvironment(claudePath, environment);
  return `${CLAUDE_CONFIG_DIR ?? `${HOME}/.claude`}/.credentials.json`;
}

const LOGS_IN = /^(?:ANTHROPIC_(?:API_KEY|AUTH_TOKEN)|CLAUDE_CODE_(?:OAUTH_TOKEN|USE_\w+))$/;

/** What the provider asks for before it answers anybody, and does not have; null when it is there, or nobody can tell before asking. */
export function findMissingLogin(config: Config, environment: Environment = process.env): { what: string; remedy: string } | null {
  const { provider, apiKey, baseUrl, claudePath, claudeLogin } = config;
  if (provider === 'anthropic' || provider === 'openai') {
    // A server of one's own may let everybody in.
    if (apiKey !== null || baseUrl) return null;
    return { what: `There is no key for ${provider}.`, remedy: 'claude-mem config set apiKey' };
  }
  const isClaude = provider === 'claude' || (provider === 'auto' && claudeLogin === 'allow');
  // There the login is in a keychain.
  if (!isClaude || !claudePath || process.platform === 'darwin' || existsSync(findLoginFile(claudePath, environment))) return null;
  if (Object.keys(claudeEnvironment(claudePath, environment)).some((name) => LOGS_IN.test(name))) return null;
  return { what: '`claude` is not logged in.', remedy: 'Start `claude` and log in with /login.' };
}

function pick(environment: Environment, names: string[]): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = environment[name];
    if (value !== undefined && name !== 'CLAUDE_MEM_OBSERVER') picked[name] = value;
  }
  return picked;
}

/** Where Ollama serves, as its own variable says. */
export const ollamaHost = (environment: Environment = process.env): string => environment.OLLAMA_HOST ?? '';

/** A browser that is opened here is seen by the person who asked: not over ssh, and not without a screen. */
export function hasScreen(): boolean {
  const { SSH_CONNECTION, SSH_TTY, DISPLAY, WAYLAND_DISPLAY } = process.env;
  if (SSH_CONNECTION || SSH_TTY) return false;
  return process.platform !== 'linux' || Boolean(DISPLAY || WAYLAND_DISPLAY);
}
