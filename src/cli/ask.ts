// Asking the person at the terminal, and telling whether there is one. On stderr: what is printed may go elsewhere.
import { readSync } from 'node:fs';
import { quoteWord } from '../core/text.ts';
import { findAgent } from '../environment.ts';

/** What was typed, without space around it; null when the input has ended: nobody answers. Nothing is read ahead of the line. */
export function askLine(question: string): string | null {
  process.stderr.write(question);
  const typed: number[] = [];
  const next = Buffer.alloc(1);
  while (readSync(0, next) === 1) {
    if (next[0] === NEWLINE) return Buffer.from(typed).toString().trim();
    typed.push(next[0] ?? 0);
  }
  return null;
}

const NEWLINE = 10;

export const isYes = (answer: string | null) => /^y(es)?$/i.test(answer ?? '');
export const isNo = (answer: string | null) => /^no?$/i.test(answer ?? '');

export const askPerson = (question: string): boolean => isYes(askLine(question));

/** There is a person: they see the question, and what is typed is theirs. */
export const canAsk = () => process.stdin.isTTY === true && isPerson();

/** A line from stdin; at a terminal asked for and not shown. '' after Ctrl-C or Ctrl-D. */
export async function readSecret(question: string): Promise<string> {
  if (!process.stdin.isTTY) return (await Bun.stdin.text()).trim();
  // Loaded here: every other command would wait for them, too.
  const [{ createInterface }, { Writable }] = await Promise.all([import('node:readline'), import('node:stream')]);
  // Before the question: whoever is fast must not see what they type.
  const output = new Writable({ write: (_text, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output, terminal: true });
  process.stderr.write(question);
  const { promise, resolve } = Promise.withResolvers<string>();
  reader.on('line', (line) => resolve(line.trim()));
  for (const end of ['SIGINT', 'close']) reader.on(end, () => resolve(''));
  const line = await promise;
  reader.close();
  process.stderr.write('\n');
  return line;
}

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
