// What only a person may do. A model can be talked into anything by what it reads, so its shell is refused, and so is every caller without a terminal.

import { quoteWord } from '../core/quote-word.ts';
import { findAgent } from '../environment.ts';

/** Two of the three are a terminal: whoever runs a program for a model reads its output, so at most its input is one. */
export function isPerson(): boolean {
  const atTerminal = [process.stdin, process.stdout, process.stderr].filter(({ isTTY }) => isTTY === true);
  return findAgent() === null && atTerminal.length >= 2;
}

/** `why` is a sentence; `command` what the person is to run, if it is not what was run. */
export function requirePerson(why: string, command = thisCommand()): void {
  if (isPerson()) return;
  const agent = findAgent();
  const seen = agent === null ? 'there is no terminal' : `an agent runs this (${agent} is set)`;
  throw new Error(
    `Only a person may do this, and ${seen}. ${why} Nothing was changed. In a terminal of your own, run:\n  ${command}`,
  );
}

const thisCommand = () => ['claude-mem', ...process.argv.slice(2).map(quoteWord)].join(' ');
