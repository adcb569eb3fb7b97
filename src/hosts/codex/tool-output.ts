// What a tool of Codex answered: versions write how a command ended before its output, as JSON around it, or not at all.
import { asRecord, text } from '../fields.ts';
import { readJson, wholeText } from '../json.ts';

export type ToolOutput = {
  text: string;
  /** Null where it is not told. */
  exitCode: number | null;
  failed: boolean;
  /** It goes on: this is only the beginning of what it says. */
  isRunning: boolean;
  /** It was not allowed to begin. */
  isRejected: boolean;
  durationMs: number | null;
};

/** `runs`: the call was a command or a patch, whose answer tells how it ended; anything else is a refusal. */
export function readToolOutput(output: unknown, runs: boolean): ToolOutput {
  const said = textOf(output);
  const read = readJsonOutput(said) ?? readHeader(said);
  if (read) return { ...NOTHING, ...read, failed: read.exitCode !== 0 && !read.isRunning };
  const isRefusal = runs ? !SUCCESS.test(said) : REFUSAL.test(said);
  const failed = asRecord(output).success === false || isRefusal;
  return { ...NOTHING, text: said, failed, isRejected: failed && REJECTED.test(said) };
}

const NOTHING: ToolOutput = {
  text: '',
  exitCode: null,
  failed: false,
  isRunning: false,
  isRejected: false,
  durationMs: null,
};

const SUCCESS = /^(?:Success\.|Done!|\s*$)/;
const REFUSAL =
  /^(?:unsupported (?:custom tool )?call|failed to parse function arguments|unable to |err: |error: |tool call error|aborted)/i;
const REJECTED = /\b(?:rejected|denied|declined) by (?:the )?user\b|^patch rejected|^aborted by user before/i;

function textOf(output: unknown): string {
  if (typeof output === 'string') return output;
  if (Array.isArray(output)) return joinParts(output);
  const { content, output: inner } = asRecord(output);
  const said = content ?? inner;
  return Array.isArray(said) ? joinParts(said) : text(said) || wholeText(output);
}

/** Pictures among them say nothing. */
const joinParts = (parts: unknown[]) =>
  parts
    .map((part) => text(asRecord(part).text))
    .filter(Boolean)
    .join('\n');

type Ended = Partial<ToolOutput> & { exitCode: number | null };

/** `{"output":"…","metadata":{"exit_code":0,"duration_seconds":0.1}}`. */
function readJsonOutput(said: string): Ended | null {
  if (!said.startsWith('{"output":')) return null;
  const { output, metadata } = asRecord(readJson(said));
  const { exit_code: exitCode, duration_seconds: seconds } = asRecord(metadata);
  if (typeof exitCode !== 'number') return null;
  return { text: text(output), exitCode, durationMs: typeof seconds === 'number' ? Math.round(seconds * 1000) : null };
}

const LONGEST_HEADER = 600;
const EXIT = /^(?:Exit code:|Process exited with code) (-?\d{1,10})$/m;
const RUNNING = /^Process running with session ID \S+$/m;
const WALL = /^Wall time: (\d{1,9}(?:\.\d{1,9})?) seconds$/m;

/** Lines on how it went, then `Output:`, then what it said. */
function readHeader(said: string): Ended | null {
  const end = said.slice(0, LONGEST_HEADER).search(/^Output:(?:\n|$)/m);
  if (end < 0) return null;
  const header = said.slice(0, end);
  const [, code] = EXIT.exec(header) ?? [];
  const isRunning = RUNNING.test(header);
  if (code === undefined && !isRunning) return null;
  const [, seconds] = WALL.exec(header) ?? [];
  return {
    text: said.slice(end + 'Output:\n'.length),
    exitCode: code === undefined ? null : Number(code),
    isRunning,
    durationMs: seconds === undefined ? null : Math.round(Number(seconds) * 1000),
  };
}
