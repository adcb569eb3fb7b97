// Who may run which command: one table for all of them.
import type { Command } from 'commander';
import { loadConfig } from '../config.ts';
import { quoteWord } from '../core/quote-word.ts';
import { findAgent } from '../environment.ts';
import { findCurrentSession, findPaths, homeDir } from '../paths.ts';
import { findClaudeFolder } from './install/claude-folder.ts';
import { requirePerson } from './only-person.ts';

/** person: at a terminal. owner: whoever is no agent, because it reads beyond the project; an agent when the user switched that on. */
type Who = { who: 'anyone' } | { who: 'owner' } | { who: 'person'; why: string; command?: string };
type Asked = { args: string[]; options: Record<string, unknown> };

const ANYONE: Who = { who: 'anyone' };
const OWNER: Who = { who: 'owner' };
const person = (why: string, command?: string): Who => ({ who: 'person', why, ...(command ? { command } : {}) });
const CORRECTS = person('It changes what your sessions are given.');
const SILENCES = 'It decides what is kept of your sessions.';
const OPENS = person('Whoever has it can read and change all memories.');

export const WHO_MAY: Record<string, Who | ((asked: Asked) => Who)> = {
  start: ANYONE,
  stop: ANYONE,
  restart: ANYONE,
  worker: ANYONE,
  status: ANYONE,
  doctor: ANYONE,
  logs: ANYONE,
  stats: ANYONE,
  statusline: ANYONE,
  // An agent asks for its own project; the worker sees to it.
  search: ANYONE,
  timeline: ANYONE,
  show: ANYONE,
  recap: ANYONE,
  sessions: OWNER,
  context: ({ options }) => (options.project === undefined && options.replay === undefined ? ANYONE : OWNER),
  // What is not said by a person counts as said by an agent.
  remember: ANYONE,
  forget: ({ options }) => (options.hidden ? OWNER : person('It hides, shows or deletes memories.')),
  pin: CORRECTS,
  wrong: CORRECTS,
  edit: CORRECTS,
  replace: CORRECTS,
  rules: ANYONE,
  'rules accept': CORRECTS,
  'rules remove': CORRECTS,
  'rules promote': CORRECTS,
  distrust: ({ args, options }) => (args.length === 0 || options.list ? ANYONE : CORRECTS),
  mcp: ANYONE,
  import: ({ args, options }) => (options.dryRun || isOwnTranscripts(args) ? ANYONE : IMPORTS),
  export: ({ options }) => (options.decisions !== undefined && options.project === undefined ? ANYONE : OWNER),
  rebuild: ({ options }) => (!options.fromTranscripts || options.dryRun || isOwnTranscripts([]) ? ANYONE : IMPORTS),
  vacuum: ANYONE,
  // A file anywhere would hold the memories of all projects.
  backup: ({ args }) => (args.length === 0 ? ANYONE : OWNER),
  restore: person('It puts an older memory into the place of the present one.'),
  // It keeps the damaged file, and takes nothing from anywhere but this folder.
  repair: ANYONE,
  jobs: ANYONE,
  'jobs cancel': ANYONE,
  reindex: ANYONE,
  projects: OWNER,
  'projects merge': CORRECTS,
  'projects rename': CORRECTS,
  'projects separate': CORRECTS,
  install: ANYONE,
  uninstall: person('It ends the memory of your sessions.'),
  pause: ({ options }) => person(SILENCES, inThisSession('pause', options)),
  resume: ({ options }) => person(SILENCES, inThisSession('resume', options)),
  viewer: OPENS,
  token: ANYONE,
  'token rotate': OPENS,
  config: ANYONE,
  'config get': ANYONE,
  // Each setting says who may change it: src/settings.ts.
  'config set': ANYONE,
  'config unset': ANYONE,
  new: ANYONE,
  save: ANYONE,
  summary: ANYONE,
  cleanup: ANYONE,
};

const IMPORTS = person('A file can say anything about your past, in anybody’s name.');

/** Where the agents keep them. A folder that a variable names may be anybody's. */
const isOwnTranscripts = (args: string[]) => args.length === 0 && findClaudeFolder() === `${homeDir()}/.claude`;

/** A terminal of the person's own does not know the session. */
function inThisSession(name: string, { session }: Asked['options']): string | undefined {
  const id = findCurrentSession();
  const time = typeof session === 'string' && /^\d+\w$/.test(session) ? `${session} ` : '';
  if (id === null || (session !== true && time === '')) return undefined;
  return `claude-mem ${name} ${time}--session ${quoteWord(id)}`;
}

/** Before any command runs. One that is not in the table is refused: somebody has forgotten to say who may run it. */
export function checkWho(command: Command): void {
  const rule = WHO_MAY[nameOf(command)];
  const asked = { args: command.args, options: command.optsWithGlobals() };
  const may = typeof rule === 'function' ? rule(asked) : (rule ?? person('Nobody has said who may.'));
  if (may.who === 'person') requirePerson(may.why, may.command);
  if (may.who === 'owner') requireOwner();
}

export function nameOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${nameOf(parent)} ${command.name()}` : command.name();
}

/** The file alone decides: a variable in an agent's shell is the agent's. */
export const isLimitedAgent = () => findAgent() !== null && !loadConfig(findPaths().config, {}).config.agentAllProjects;

function requireOwner(): void {
  if (!isLimitedAgent()) return;
  throw new Error(
    `An agent runs this (${findAgent()} is set) and may read the memories of its own project only. Run it in a terminal of your own, or allow agents to read all: claude-mem config set agentAllProjects true`,
  );
}
