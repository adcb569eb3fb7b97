// Completion in the shell: a small script per shell asks `claude-mem complete`, which answers from the table of commands.
import { callApi } from '../client/api.ts';
import type { ProjectsAnswer } from '../core/shapes/project.ts';
import { findAgent } from '../environment.ts';
import { findPaths } from '../paths.ts';
import { type Command, type Group, type ListedOption, listOptions } from './command.ts';
import bash from './completion/bash.txt' with { type: 'text' };
import fish from './completion/fish.txt' with { type: 'text' };
import zsh from './completion/zsh.txt' with { type: 'text' };

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

type Candidate = { value: string; about: string };

/** `words`: all after `claude-mem`, the last of them unfinished. Nothing: the shell may offer files. */
export async function complete(groups: Group[], words: string[]): Promise<Candidate[]> {
  // Bash takes `--type=x` for three words.
  const said = words.filter((word, at) => word !== '=' || at === words.length - 1);
  const last = said.at(-1) === '=' ? '' : (said.pop() ?? '');
  const { commands, command, argument, option } = follow(groups, said);
  const found = (): Candidate[] | Promise<Candidate[]> => {
    if (option) return listValues(option.long, option.values, option.isList ? last : '');
    if (last.startsWith('-')) return [...listFlags(command), HELP];
    return [
      ...commands.map(({ name, about }) => ({ value: firstWord(name), about })),
      ...(command ? listArguments(command, argument) : []),
    ];
  };
  return (await found()).filter(({ value }) => value.startsWith(last) && value !== '');
}

const HELP: Candidate = { value: '--help', about: 'Show help' };
const ROOT_FLAGS: Candidate[] = [
  { value: '--version', about: 'Print the version' },
  { value: '--color', about: 'auto, always or never' },
];

const firstWord = (name: string) => name.split(' ')[0] ?? '';
const listFlags = (command: Command | null): Candidate[] =>
  command ? listOptions(command).map(({ long, text }) => ({ value: long, about: text })) : ROOT_FLAGS;

type Reached = {
  commands: Command[];
  command: Command | null;
  argument: number;
  option: Pick<ListedOption, 'long' | 'values' | 'isList'> | null;
};

/** Which command the words name, how many of its arguments are there, and the option that waits for its value. */
function follow(groups: Group[], said: string[]): Reached {
  const reached: Reached = { commands: groups.flatMap(({ commands }) => commands), command: null, argument: 0, option: null };
  for (const word of said) {
    if (reached.option) reached.option = null;
    else if (word.startsWith('-')) reached.option = findValued(reached.command, word);
    else {
      const next: Command | undefined = reached.commands.find(({ name }) => firstWord(name) === word);
      if (next) Object.assign(reached, { command: next, commands: next.commands ?? [] });
      else Object.assign(reached, { argument: reached.argument + 1, commands: [] });
    }
  }
  return reached;
}

function findValued(command: Command | null, word: string): Reached['option'] {
  if (word === '--color') return { long: word, values: ['auto', 'always', 'never'], isList: false };
  const known = command ? listOptions(command).find(({ flags }) => flags.split(/[ ,]+/).includes(word)) : undefined;
  return known && /[<[]/.test(known.flags) ? known : null;
}

function listValues(long: string, values: readonly string[], begun: string): Candidate[] | Promise<Candidate[]> {
  if (long === '--project') return listProjects();
  const before = begun.slice(0, begun.lastIndexOf(',') + 1);
  return values.map((value) => ({ value: `${before}${value}`, about: '' }));
}

function listArguments({ name, completes = {} }: Command, at: number): Candidate[] {
  const [, ...names] = name.split(' ').map((word) => word.replace(/[^a-z]/g, ''));
  return (completes[names[at] ?? ''] ?? []).map((value) => ({ value, about: '' }));
}

/** Of a running worker, also of a busy one: a tab that does nothing looks broken. To no agent, which may not know of other projects. */
async function listProjects(): Promise<Candidate[]> {
  if (findAgent() !== null) return [];
  const answer = await callApi<ProjectsAnswer>(findPaths(), '/api/projects?limit=200');
  // The name of a folder: one that would steer the terminal is not offered.
  return (answer?.items ?? [])
    .filter(({ project }) => !/\p{C}/u.test(project))
    .map(({ project, root }) => ({ value: project, about: root.replace(/\p{C}/gu, '') }));
}

/** What comes from us is data to the shell: quoted, and never a list of words to expand. */
export const writeCompletion = (shell: Shell): string => ({ bash, zsh, fish })[shell].trimEnd();
