// What a command is. Each is declared once, beside its code; program.ts makes commander's commands of the declarations.
import { loadConfig } from '../config.ts';
import { findAgent } from '../environment.ts';
import { findPaths, homeDir } from '../paths.ts';
import { requirePerson } from './ask.ts';
import { findClaudeFolder } from './install/claude-folder.ts';

export type Command = {
  /** With its arguments: `search [query...]`. */
  name: string;
  /** Its name in 0.1.0, which still works and is not listed. */
  formerly?: string;
  about: string;
  options?: Record<string, string>;
  /** What follows the options in `--help`. */
  help?: string;
  examples?: string[];
  /** Unless it is false: with `--json` the answer itself is printed, not the text that describes it. */
  json?: false;
  who: Who | ((asked: Asked) => Who);
  run: (...given: never) => void | Outcome | Promise<void> | Promise<Outcome>;
  commands?: Command[];
};

/** What is printed at the end; `memories` to an agent as quoted data, which the hook does not capture again. */
export type Outcome =
  | string
  | undefined
  | { answer: unknown; text: () => string; onPrinted?: () => void }
  | { answer: unknown; memories: () => string };

/** person: at a terminal. owner: whoever is no agent, because it reads beyond the project; an agent when the user switched that on. */
type Who = 'anyone' | 'owner' | Person;
type Person = { why: string; command?: string };
type Asked = { args: string[]; options: Record<string, unknown> };

/** `why` is a sentence; `command` what the person is to run, if it is not what was run. */
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
export const command = <const Name extends string, const Flags extends Record<string, string> = Record<never, string>>(
  declared: Declared<Name, Flags>,
): Command => declared;

type ArgumentsOf<Name> = Name extends `${string} ${infer First} ${infer Rest}`
  ? [ArgumentOf<First>, ...ArgumentsOf<` ${Rest}`>]
  : Name extends `${string} ${infer Only}`
    ? [ArgumentOf<Only>]
    : [];
type ArgumentOf<Word> = Word extends `${string}...${string}` ? string[] : Word extends `<${string}` ? string : string | undefined;

export type OptionsOf<Flags> = { [Flag in keyof Flags as NameOf<Flag>]?: ValueOf<Flag> };
type NameOf<Flag> = Flag extends `-${string}, ${infer Long}`
  ? NameOf<Long>
  : Flag extends `--${infer Name} ${string}`
    ? Camel<Name>
    : Flag extends `--${infer Name}`
      ? Camel<Name>
      : never;
type Camel<Name extends string> = Name extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : Name;
type ValueOf<Flag> = Flag extends `${string}<${string}` ? string : Flag extends `${string}[${string}` ? string | true : boolean;

/** Before any command runs. */
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
