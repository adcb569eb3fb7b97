// What a command is. Each is declared once, beside its code; program.ts makes commander's commands of the declarations.
import { loadConfig } from '../config.ts';
import { AskError } from '../core/ask-error.ts';
import { findAgent } from '../environment.ts';
import { findPaths, homeDir } from '../paths.ts';
import { requirePerson } from './ask.ts';
import { findClaudeFolder } from './install/claude-cli.ts';

export type Command = {
  /** With its arguments: `search [query...]`. */
  name: string;
  /** Its name in 0.1.0, which still works and is not listed. */
  formerly?: string;
  about: string;
  options?: Record<string, Option>;
  /** Of an argument, by its name: what the shell may complete it to. */
  completes?: Record<string, readonly string[]>;
  help?: string;
  examples?: string[];
  /** Unless it is false: with `--json` the answer itself is printed, not the text that describes it. */
  json?: false;
  who: Who | ((asked: Asked) => Who);
  run: (...given: never) => void | Outcome | Promise<void> | Promise<Outcome>;
  commands?: Command[];
};

/** What it does; where only some values are understood, these too: they are checked, completed and listed. */
type Option = string | { about: string; values: readonly string[]; isList: boolean };

export const oneOf = <const Value extends string>(about: string, values: readonly Value[]) => ({ about, values, isList: false as const });
export const someOf = (about: string, values: readonly string[]): Option => ({ about, values, isList: true });

export type Group = { heading: string; commands: Command[] };

export type ListedOption = { flags: string; long: string; name: string; text: string; values: readonly string[]; isList: boolean };

export function listOptions({ options = {}, json }: Pick<Command, 'options' | 'json'>): ListedOption[] {
  const all: Record<string, Option> = { ...options, ...(json !== false && { '--json': 'Print the result as JSON' }) };
  return Object.entries(all).map(([flags, option]) => {
    const { about, values, isList } = typeof option === 'string' ? { about: option, values: [], isList: false } : option;
    const long = /--[a-z-]+/.exec(flags)?.[0] ?? flags;
    const name = long.slice(2).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
    const text = values.length === 0 ? about : `${about}: ${values.join(', ')}${isList ? '; separated by commas' : ''}`;
    return { flags, long, name, text, values, isList };
  });
}

/** The command line cannot be understood: the exit code is 2, and the help of the command is named. */
export const misuse = (message: string) => new AskError('invalid', message, '');

/**
 * What is printed at the end; a sentence is `{"message": …}` with --json. `memories`: to an agent as quoted data, which the hook does not
 * capture again. `notes` are about the result and go to stderr, so that a pipe gets rows alone.
 */
export type Outcome =
  | string
  | undefined
  | ({ answer: unknown; notes?: string[]; onPrinted?: () => void } & ({ text: () => string } | { memories: () => string }));

/** person: at a terminal. owner: whoever is no agent, because it reads beyond the project; an agent when the user switched that on. */
type Who = 'anyone' | 'owner' | Person;
type Person = { why: string; command?: string };
type Asked = { args: string[]; options: Record<string, unknown> };

export const person = (why: string, command?: string): Person => ({ why, command });
export const CORRECTS = person('It changes what your sessions are given.');

export const IMPORTS = person('A file can say anything about your past, in anybody’s name.');

/** Where the agents keep them. A folder that a variable names may be anybody's. */
export const isOwnTranscripts = (args: string[]) => args.length === 0 && findClaudeFolder() === `${homeDir()}/.claude`;

type Declared<Name, Flags> = Omit<Command, 'name' | 'options' | 'run'> & {
  name: Name;
  options?: Flags;
  run: (...given: [...ArgumentsOf<Name>, OptionsOf<Flags> & { json?: boolean }]) => void | Outcome | Promise<void> | Promise<Outcome>;
};

/** Arguments and options of `run` have the types that the name and the flags say. */
export const command = <const Name extends string, const Flags extends Record<string, Option> = Record<never, Option>>(
  declared: Declared<Name, Flags>,
): Command => declared;

type ArgumentsOf<Name> = Name extends `${string} ${infer First} ${infer Rest}`
  ? [ArgumentOf<First>, ...ArgumentsOf<` ${Rest}`>]
  : Name extends `${string} ${infer Only}`
    ? [ArgumentOf<Only>]
    : [];
type ArgumentOf<Word> = Word extends `${string}...${string}` ? string[] : Word extends `<${string}` ? string : string | undefined;

export type OptionsOf<Flags> = {
  [Flag in keyof Flags as NameOf<Flag>]?: Flags[Flag] extends { values: readonly (infer Value)[]; isList: false } ? Value : ValueOf<Flag>;
};
type NameOf<Flag> = Flag extends `-${string}, ${infer Long}`
  ? NameOf<Long>
  : Flag extends `--${infer Name} ${string}`
    ? Camel<Name>
    : Flag extends `--${infer Name}`
      ? Camel<Name>
      : never;
type Camel<Name extends string> = Name extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : Name;
type ValueOf<Flag> = Flag extends `${string}<${string}` ? string : Flag extends `${string}[${string}` ? string | true : boolean;

export function checkWho({ who }: Command, asked: Asked): void {
  const may = typeof who === 'function' ? who(asked) : who;
  if (typeof may === 'object') requirePerson(may.why, may.command);
  if (may !== 'owner') return;
  // The file alone decides: a variable in an agent's shell is the agent's.
  if (findAgent() === null || loadConfig(findPaths().config, {}).config.agentAllProjects) return;
  throw new Error(
    `An agent runs this (${findAgent()} is set) and may read the memories of its own project only. ` +
      'Run it in a terminal of your own, or allow agents to read all: ' +
      'claude-mem config set agentAllProjects true',
  );
}
