// What a Codex tool did, read into an Action; and the patches of Codex: one text that adds, changes, moves and deletes several files.
import type { Action, Hunk } from '../../core/event.ts';
import { createActionReader, exitCodeIn, placeFile, readQuestions, readTodos, type ToolCall } from '../action.ts';
import { asList, asRecord, type Fields, numberOrNull, readJson, text, wholeText } from '../json.ts';
import { isOwnCommand } from '../own-call.ts';

export const readAction = createActionReader({
  readers: {
    Bash: readCommand,
    apply_patch: (input, { cwd }) => {
      const patched = readPatch(text(input.command) || text(input.input));
      return patched && { type: 'edit', ...patched, file: placeFile(patched.file, cwd) };
    },
    update_plan: (input) => readTodos(input.plan, 'step'),
    web_search: (input, { response }) => {
      const queries = asList(input.queries).map(text).filter(Boolean).join(', ');
      return { type: 'web', target: text(input.query) || text(input.url) || queries, text: wholeText(response) };
    },
    view_image: (input, { cwd }) => ({ type: 'read', file: placeFile(text(input.path), cwd), content: '' }),
    request_user_input: (input, { response }) => {
      const answers = asRecord(answerOf(response).answers);
      return readQuestions(input.questions, ({ id }) =>
        asList(asRecord(answers[text(id)]).answers)
          .map(text)
          .join(', '),
      );
    },
    spawn_agent: (input, { response }) => ({
      type: 'agent',
      agentId: text(answerOf(response).agent_id) || null,
      description: text(input.agent_type) || text(input.task_name),
      prompt: text(input.message),
      result: null,
    }),
  },
  bringNothing: 'write_stdin get_goal create_goal update_goal wait wait_agent close_agent send_input resume_agent tool_search list_dir',
  // Older versions leave the prefix out, and some names lose their hyphen.
  ownTool: /^(?:mcp__)?claude[-_]mem__/,
});

/** Some answer with JSON in a text. */
const answerOf = (response: unknown) => asRecord(typeof response === 'string' ? readJson(response) : response);

/** The hook does not tell how a command ended; the transcript does. */
function readCommand(input: Fields, { response, error }: ToolCall): Action {
  const command = text(input.command);
  if (isOwnCommand(command)) return { type: 'memory' };
  const { stdout, exit_code, is_running } = asRecord(response);
  return {
    type: 'command',
    command,
    description: text(input.description) || null,
    stdout: text(response) || text(stdout),
    stderr: '',
    exitCode: error === null ? numberOrNull(exit_code) : exitCodeIn(error),
    background: is_running === true,
  };
}

const BEGIN = '*** Begin Patch';
const END = '*** End Patch';
const FILE = /^\*\*\* (Add|Update|Delete) File: (.+)$/;
const MOVE = /^\*\*\* Move to: (.+)$/;

/** One patch for each file. What is moved is changed in its new place and gone from the old. */
export function splitPatch(patch: string): string[] {
  const parts: string[][] = [];
  for (const line of patch.split('\n')) {
    if (line.trim() === END) break;
    if (FILE.test(line)) parts.push([line]);
    else parts.at(-1)?.push(line);
  }
  const wrap = (lines: string[]) => [BEGIN, ...lines, END].join('\n');
  return parts.flatMap((lines) => {
    const [, , file] = FILE.exec(lines[0] ?? '') ?? [];
    const isMoved = MOVE.test(lines[1] ?? '');
    return [wrap(lines), ...(isMoved ? [wrap([`*** Delete File: ${file}`])] : [])];
  });
}

type PatchedFile = { file: string; created: boolean; hunks: Hunk[] };

/** The first file of a patch, as it is named there. */
export function readPatch(patch: string): PatchedFile | null {
  let read: PatchedFile | null = null;
  for (const line of patch.split('\n')) {
    const [, verb, file] = FILE.exec(line) ?? [];
    if ((read !== null && file) || line.trim() === END) break;
    if (file) read = { file: file.trim(), created: verb === 'Add', hunks: [] };
    else if (read !== null) addLine(read, line);
  }
  return read && { ...read, hunks: read.hunks.filter(({ lines }) => lines.length > 0) };
}

function addLine(read: PatchedFile, line: string): void {
  read.file = MOVE.exec(line)?.[1]?.trim() ?? read.file;
  // An empty line is one of the file, whose blank was lost.
  const isOfFile = line === '' ? read.hunks.length > 0 : /^[ +-]/.test(line);
  if (line.startsWith('@@') || (isOfFile && read.hunks.length === 0)) read.hunks.push({ oldStart: 0, newStart: 1, lines: [] });
  if (isOfFile) read.hunks.at(-1)?.lines.push(line || ' ');
}

/** A patch that was given to the shell instead of to its tool. */
export function findPatch(command: string): string | null {
  if (!/(?:^|[\n;&][ \t]{0,20})apply_?patch\b/.test(command)) return null;
  const start = command.indexOf(BEGIN);
  const end = command.indexOf(END, start);
  return start < 0 || end < 0 ? null : command.slice(start, end + END.length);
}
