// What a tool of Gemini CLI answered: the words for the model, and how a command ended, which stands among them.
import { asList, asRecord, type Fields, text } from '../fields.ts';
import { wholeText } from '../json.ts';

/** The words for the model, without the frame around what comes from outside. */
export function wordsOf(response: unknown): string {
  const said = asRecord(response).llmContent ?? response;
  return textOf(said)
    .replace(/^<untrusted_context>\n?/, '')
    .replace(/\n?<\/untrusted_context>\s*$/, '');
}

function textOf(said: unknown): string {
  if (typeof said === 'string') return said;
  if (!Array.isArray(said)) return text(asRecord(said).text) || wholeText(said);
  return said
    .map((part) => text(part) || text(asRecord(part).text))
    .filter(Boolean)
    .join('\n');
}

export type CommandAnswer = { stdout: string; stderr: string; exitCode: number | null; isBackground: boolean };

/** `Output: …`, in older versions `Stdout: …` and `Stderr: …`, and lines about the process. */
export function readCommandAnswer(response: unknown): CommandAnswer {
  const words = wordsOf(response);
  const code = field(words, 'Exit Code');
  const background = field(words, 'Background PIDs');
  return {
    stdout: field(words, 'Output') ?? field(words, 'Stdout') ?? (FIELD.test(words) ? '' : words),
    stderr: field(words, 'Stderr') ?? '',
    exitCode: code === null ? 0 : /^-?\d{1,10}$/.test(code) ? Number(code) : null,
    isBackground: background !== null || /^Command moved to background/.test(words),
  };
}

const NAMES = 'Command|Directory|Output|Stdout|Stderr|Error|Exit Code|Signal|Background PIDs|Process Group PGID';
const FIELD = new RegExp(`^(?:${NAMES}): `, 'm');

function field(words: string, name: string): string | null {
  const start = new RegExp(`^${name}: `, 'm').exec(words);
  if (!start) return null;
  const rest = words.slice(start.index + start[0].length);
  const end = rest.search(FIELD);
  const value = (end < 0 ? rest : rest.slice(0, end)).replace(/\n$/, '');
  return value === '(none)' || value === '(empty)' ? null : value;
}

/** Null for a tool that did what it was asked. */
export function readFailure(tool: string, response: Fields): string | null {
  const error = asRecord(response.error);
  const said = text(error.message) || text(response.error);
  if (said) return said;
  if (tool !== 'run_shell_command') return null;
  const { exitCode, stdout, stderr } = readCommandAnswer(response);
  return exitCode === 0 || exitCode === null
    ? null
    : `Exit code ${exitCode}\n${[stdout, stderr].filter(Boolean).join('\n')}`;
}

/** In a transcript the answer is wrapped as the model was given it. */
export function readResult(result: unknown): { words: string; error: string | null } {
  const wrapped = asList(result).map((part) => asRecord(asRecord(asRecord(part).functionResponse).response));
  const error = wrapped.map((response) => text(response.error)).find(Boolean) ?? null;
  const words = wrapped
    .map((response) => text(response.output))
    .filter(Boolean)
    .join('\n');
  return { words: words || (wrapped.length === 0 ? text(result) : ''), error };
}
