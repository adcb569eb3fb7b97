// What the reader sees with: a terminal of some width and colour, a pipe, or an agent that ran the command.
import { findAgent, wantsColour } from '../environment.ts';
import { sayMemories } from '../mcp/say.ts';

export type Terminal = {
  /** False when the output goes to a file or a program: plain lines then. */
  isTerminal: boolean;
  width: number;
  paint: (style: Style, text: string) => string;
  /** Prints memories; to an agent as quoted data, which the hook does not capture again. */
  print: (text: string) => void;
};

export type Style = keyof typeof CODES;

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

export function findTerminal(): Terminal {
  const isTerminal = process.stdout.isTTY === true;
  const hasColour = isTerminal && wantsColour();
  return {
    isTerminal,
    width: process.stdout.columns || 80,
    paint: (style, text) => (hasColour && text !== '' ? `\x1b[${CODES[style]}m${text}\x1b[0m` : text),
    print: (text) => console.log(!isTerminal && findAgent() !== null ? sayMemories(text.split('\n')) : text),
  };
}
