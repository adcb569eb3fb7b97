// What a tool did, read leniently into an Action: what the tools of all agents have in common.
import { isAbsolute, join, win32 } from 'node:path';
import type { Action, Hunk, TodoStatus } from '../core/event.ts';
import { wordTable } from '../core/text.ts';
import { asList, asRecord, asRecords, type Fields, numberOrNull, text } from './json.ts';

/** `cwd`: where it was made; some agents name files from there. */
export type ToolCall = { tool: string; input: unknown; response: unknown; error: string | null; cwd: string };

type Tools = {
  readers: Record<string, (input: Fields, call: ToolCall) => Action | null>;
  /** Tools that show or set what is here. All others may bring words from anywhere. */
  bringNothing: string;
  /** How this agent names the tools of this memory, where it is not as Claude Code does. */
  ownTool?: RegExp;
};

export function createReader({ readers, bringNothing, ownTool }: Tools): (call: ToolCall) => Action {
  const table = wordTable(readers);
  const isOfHost = new Set(bringNothing.split(' '));
  return (call) => {
    const { tool, input, response } = call;
    if (OWN_TOOL.test(tool) || ownTool?.test(tool)) return { type: 'memory' };
    const other: Action = { type: 'other', input, output: response, ...(isOfHost.has(tool) && { isOfHost: true }) };
    return table[tool]?.(asRecord(input), call) ?? other;
  };
}

type CommandAnswer = Pick<Extract<Action, { type: 'command' }>, 'stdout' | 'stderr' | 'exitCode' | 'background'>;

export function command(input: Fields, answer: CommandAnswer): Action {
  const line = text(input.command);
  if (isOwnCommand(line)) return { type: 'memory' };
  return { type: 'command', command: line, description: text(input.description) || null, ...answer };
}

export const web = (target: unknown, said: string): Action => ({ type: 'web', target: text(target), text: said });

/** Another agent was started. `result`: '' where it has none yet. */
export const agent = (description: string, prompt: unknown, result: string, agentId: unknown = ''): Action => ({
  ...{ type: 'agent', agentId: text(agentId) || null, description, prompt: text(prompt), result: result || null },
});

export function placeFile(file: string, cwd: string): string {
  if (file === '' || cwd === '' || isAbsolute(file) || win32.isAbsolute(file)) return file;
  return join(cwd, file);
}

/** As the error of a command begins; null where it does not tell. */
export function exitCodeIn(error: string): number | null {
  const [, code] = /^Exit code (-?\d{1,10})\b/.exec(error) ?? [];
  return code === undefined ? null : Number(code);
}

/** Without a diff: what was there, and what stands in its place. */
export function replaceHunk(before: string, after: string): Hunk[] {
  const lines = [...linesOf(before).map((line) => `-${line}`), ...linesOf(after).map((line) => `+${line}`)];
  return lines.length > 0 ? [{ oldStart: 0, newStart: 1, lines }] : [];
}

export const readHunks = (hunks: unknown): Hunk[] =>
  asRecords(hunks).map(({ oldStart, newStart, lines }) => ({
    oldStart: numberOrNull(oldStart) ?? 0,
    newStart: numberOrNull(newStart) ?? 0,
    lines: asList(lines).filter((line) => typeof line === 'string'),
  }));

const HEAD = /^@@ -(\d{1,9})(?:,\d+)? \+(\d{1,9})(?:,\d+)? @@/;

export function readDiff(diff: string): Hunk[] {
  const hunks: Hunk[] = [];
  for (const line of diff.split('\n')) {
    const [head, from, to] = HEAD.exec(line) ?? [];
    if (head) hunks.push({ oldStart: Number(from), newStart: Number(to), lines: [] });
    else if (/^[ +-]/.test(line)) hunks.at(-1)?.lines.push(line);
  }
  return hunks.filter(({ lines }) => lines.length > 0);
}

/** What ends a line begins no other: a file of one line has one. */
const linesOf = (content: string): string[] => (content === '' ? [] : content.replace(/\n$/, '').split('\n'));

export const todos = (list: unknown, field: string): Action => ({
  type: 'todos',
  items: asRecords(list)
    .map((item) => ({ text: text(item[field]), status: readStatus(item.status) ?? 'pending' }))
    .filter((item) => item.text !== ''),
});

const STATUSES: TodoStatus[] = ['pending', 'in_progress', 'completed', 'deleted'];
const ALSO = wordTable<TodoStatus>({ open: 'pending', closed: 'completed', cancelled: 'deleted' });
export const readStatus = (value: unknown): TodoStatus | null => STATUSES.find((status) => status === value) ?? ALSO[text(value)] ?? null;

export const questions = (questions: unknown, answerOf: (asked: Fields, at: number) => string): Action => ({
  type: 'question',
  answers: asRecords(questions).map((asked, at) => ({
    question: text(asked.question),
    answer: answerOf(asked, at),
    options: asRecords(asked.options).map(({ label }) => text(label)),
  })),
});

// Whether a tool call only asked, or changed, this memory itself: what it says is known, and must not be remembered once more.

/** The server as the plugin brings it, under whatever name, or as a person added it. */
const OWN_TOOL = /^mcp__(?:plugin_(?:claude-)?mem_[\w-]{1,60}|claude-mem)__/;

/** A shell line that calls claude-mem and besides only moves, prints or filters what it says. When in doubt it is not. */
function isOwnCommand(line: string): boolean {
  if (!line.includes('claude-mem') || line.length > LONGEST) return false;
  const bare = withoutQuoted(line);
  if (RUNS_MORE.test(bare)) return false;
  const commands = bare.split(/&&|\|\||[;|&\n]/).flatMap((part) => part.trim() || []);
  return commands.some((one) => OWN.test(one)) && commands.every((one) => OWN.test(one) || BESIDES.test(one));
}

const LONGEST = 20_000;
const OWN = /^(?:\w+=\S* +)*(?:(?:npx|bunx)(?: +-\S+)* +)?(?:[\w.~/-]*\/)?claude-mem(?=\s|$)/;
const BESIDES = /^(?:cd|echo|printf|head|tail|grep|egrep|rg|jq|sort|uniq|wc|cut|tr|less|more|true|cat$)(?=\s|$)/;
/** A command inside of a word, a file that is written, or text of any kind behind it. */
const RUNS_MORE = /\$\(|`|[<>]\(|>|<</;

/** What goes nowhere, or to where it would go anyway, is no file. */
const NO_FILE = /\d?&?>{1,2} *(?:\/dev\/null|&\d)/g;

/** Single quotes hide everything; in double ones a command may still run. */
function withoutQuoted(line: string): string {
  const said = (text: string) => (/\$\(|`/.test(text) ? text : 'WORD');
  return line.replace(/'[^']*'|"(?:[^"\\]|\\.)*"|\\./gs, (text) => (text.startsWith('"') ? said(text) : 'WORD')).replace(NO_FILE, '');
}
