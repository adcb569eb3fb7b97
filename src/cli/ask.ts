// Asking the person at the terminal, and telling whether there is one. On stderr: what is printed may go elsewhere.
import { createInterface } from 'node:readline';
import { quoteWord } from '../core/text.ts';
import { findAgent } from '../environment.ts';

/** True for `yes` or `y`, in any case. */
export async function askPerson(question: string): Promise<boolean> {
  process.stderr.write(question);
  for await (const chunk of process.stdin) return /^\s*y(es)?\s*$/i.test(String(chunk));
  return false;
}

/** Resolves with what was typed, without space around it; with null when the input has ended: nobody answers. */
export type Ask = (question: string) => Promise<string | null>;

/** Runs `talk` with one reader for all of its questions: a second one would miss what the first has read ahead. */
export async function withQuestions(talk: (ask: Ask) => Promise<void>): Promise<void> {
  const reader = createInterface({ input: process.stdin, terminal: false });
  const lines = reader[Symbol.asyncIterator]();
  try {
    await talk(async (question) => {
      process.stderr.write(question);
      const { value, done } = await lines.next();
      return done ? null : String(value).trim();
    });
  } finally {
    reader.close();
  }
}

export const isYes = (answer: string | null) => /^y(es)?$/i.test(answer ?? '');
export const isNo = (answer: string | null) => /^no?$/i.test(answer ?? '');

/** There is a person: they see the question, and what is typed is theirs. */
export const canAsk = () => process.stdin.isTTY === true && isPerson();

/** A line from stdin; at a terminal asked for and not shown. */
export async function readSecret(question: string): Promise<string> {
  const stdin = process.stdin;
  if (!stdin.isTTY) return (await Bun.stdin.text()).trim();
  // Before the question: whoever is fast must not see what they type.
  stdin.setRawMode(true);
  process.stderr.write(question);
  let typed = '';
  try {
    for await (const chunk of stdin) {
      typed += chunk.toString('utf8');
      const line = readTyped(typed);
      if (line !== null) return line;
    }
    return readTyped(`${typed}\r`) ?? '';
  } finally {
    stdin.setRawMode(false);
    process.stderr.write('\n');
  }
}

/** The line that the keys pressed so far make, or null while it is not ended. Ctrl-C makes an empty one. */
function readTyped(typed: string): string | null {
  let line = '';
  for (const key of typed.replace(ESCAPES, '')) {
    if (key === CTRL_C) return '';
    if (key === '\r' || key === '\n' || key === CTRL_D) return line.trim();
    if (key === '\x7f' || key === '\b') line = line.slice(0, -1);
    else line = key === CTRL_U ? '' : line + key;
  }
  return null;
}

const [CTRL_C, CTRL_D, CTRL_U] = ['\x03', '\x04', '\x15'];

/** Arrows, function keys, the marks around a paste, and whatever else begins with an escape. */
const ESCAPES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|O[ -~]|[ -Z\\-~])?/g;

/**
 * A model can be talked into anything by what it reads, so its shell is none, and neither is a caller without a terminal. Two of the
 * three are one: whoever runs a program for a model reads its output, so at most its input is a terminal.
 */
export function isPerson(): boolean {
  const atTerminal = [process.stdin, process.stdout, process.stderr].filter(({ isTTY }) => isTTY === true);
  return findAgent() === null && atTerminal.length >= 2;
}

/** `why` is a sentence; `command` what the person is to run, if it is not what was run. */
export function requirePerson(why: string, command = thisCommand()): void {
  if (isPerson()) return;
  const agent = findAgent();
  const seen = agent === null ? 'there is no terminal' : `an agent runs this (${agent} is set)`;
  throw new Error(`Only a person may do this, and ${seen}. ${why} Nothing was changed. In a terminal of your own, run:\n  ${command}`);
}

const thisCommand = () => ['claude-mem', ...process.argv.slice(2).map(quoteWord)].join(' ');
