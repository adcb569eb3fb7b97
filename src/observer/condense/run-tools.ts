// Commands, and tools that we know nothing about: what was asked and what was printed.
import { condenseOutput } from './output.ts';
import { joined, type Of, type Told, type Where } from './told.ts';
import { withoutRoot } from './without-root.ts';
import { condenseWords, oneLine } from './words.ts';

export function tellCommand(
  { description, stdout, stderr, exitCode, background, ...told }: Of<'command'>,
  { root }: Where,
): Told {
  const command = withoutRoot(told.command, root);
  const ended = background ? ' (in the background)' : exitCode ? ` (exit code ${exitCode})` : '';
  const first = isShort(command)
    ? command
    : `${oneLine(command, 80)}${description ? ` (${oneLine(description, 120)})` : ''}`;
  const output = [stdout, stderr && stdout ? `stderr:\n${stderr}` : stderr].filter(Boolean).join('\n');
  return {
    headline: `$ ${first}${ended}`,
    body: (maxChars) => tellRun(command, withoutRoot(output, root), maxChars),
  };
}

const isShort = (command: string) => command.length <= 400 && !command.includes('\n');

/** A long command is a script or a commit message: it tells as much as its output. */
export function tellRun(command: string, output: string, maxChars: number): string {
  if (isShort(command)) return condenseOutput(output, maxChars);
  const script = condenseWords(command, Math.floor(maxChars * (output ? 0.5 : 1)));
  const room = maxChars - script.length - 9;
  return joined([script, output && room > 0 ? `output:\n${condenseOutput(output, room)}` : '']);
}

/** An MCP or unknown tool: its input and what it gave, as compact as JSON gets. */
export function tellOther({ input, output }: Of<'other'>, { root }: Where): Told {
  const asked = withoutRoot(toText(input), root);
  return {
    headline: oneLine(asked, LONGEST_LINE),
    body: (maxChars) => tellRun(asked.length > LONGEST_LINE ? asked : '', withoutRoot(toText(output), root), maxChars),
  };
}

const LONGEST_LINE = 400;

/** MCP answers are lists of text blocks, bare or under `content`: their text, not their wrapping. */
function toText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  const list = typeof value === 'object' && 'content' in value ? value.content : value;
  if (Array.isArray(list) && list.length > 0 && list.every(isTextBlock)) return list.map(({ text }) => text).join('\n');
  return JSON.stringify(value) ?? '';
}

const isTextBlock = (block: unknown): block is { text: string } =>
  typeof block === 'object' && block !== null && 'text' in block && typeof block.text === 'string';
