// What a Codex tool did, read into an Action; and the patches of Codex: one text that adds, changes, moves and deletes several files.
import type { Action, Hunk } from '../../core/event.ts';
import * as action from '../action.ts';
import { asList, asRecord, type Fields, numberOrNull, readJson, text, wholeText } from '../json.ts';

export const readAction = action.createReader({
  readers: {
    Bash: readCommand,
    // From the transcript it comes as the files that it changed.
    apply_patch: ({ file, created, hunks, command, input }, { cwd }) => {
      const [first] = readPatch(text(command) || text(input));
      const patched = text(file) ? { file: text(file), created: created === true, hunks: action.readHunks(hunks) } : first;
      return patched ? { type: 'edit', ...patched, file: action.placeFile(patched.file, cwd) } : null;
    },
    update_plan: (input) => action.todos(input.plan, 'step'),
    web_search: (input, { response }) => {
      const queries = asList(input.queries).map(text).filter(Boolean).join(', ');
      return action.web(text(input.query) || text(input.url) || queries, wholeText(response));
    },
    view_image: (input, { cwd }) => ({ type: 'read', file: action.placeFile(text(input.path), cwd), content: '' }),
    request_user_input: (input, { response }) => {
      const answers = asRecord(answerOf(response).answers);
      return action.questions(input.questions, ({ id }) =>
        asList(asRecord(answers[text(id)]).answers)
          .map(text)
          .join(', '),
      );
    },
    spawn_agent: (input, { response }) =>
      action.agent(text(input.agent_type) || text(input.task_name), input.message, '', answerOf(response).agent_id),
  },
  bringNothing: 'write_stdin get_goal create_goal update_goal wait wait_agent close_agent send_input resume_agent tool_search list_dir',
  // Older versions leave the prefix out, and some names lose their hyphen.
  ownTool: /^(?:mcp__)?claude[-_]mem__/,
});

const answerOf = (response: unknown) => asRecord(typeof response === 'string' ? readJson(response) : response);

/** The hook does not tell how a command ended; the transcript does. */
function readCommand(input: Fields, { response, error }: action.ToolCall): Action {
  const { stdout, exit_code, is_running } = asRecord(response);
  return action.command(input, {
    stdout: text(response) || text(stdout),
    stderr: '',
    exitCode: error === null ? numberOrNull(exit_code) : action.exitCodeIn(error),
    background: is_running === true,
  });
}

const BEGIN = '*** Begin Patch';
const END = '*** End Patch';
const FILE = /^\*\*\* (Add|Update|Delete) File: (.+)$/;
const MOVE = /^\*\*\* Move to: (.+)$/;

type PatchedFile = { file: string; created: boolean; hunks: Hunk[] };

/** Its files, as they are named there. What is moved is changed in its new place and gone from the old. */
export function readPatch(patch: string): PatchedFile[] {
  const files: (PatchedFile & { from?: string })[] = [];
  for (const line of patch.split('\n')) {
    if (line.trim() === END) break;
    const [, verb, name = ''] = FILE.exec(line) ?? [];
    const [, moved] = MOVE.exec(line) ?? [];
    const file = files.at(-1);
    if (verb) files.push({ file: name.trim(), created: verb === 'Add', hunks: [] });
    else if (file && moved) Object.assign(file, { file: moved.trim(), from: file.file });
    else if (file) addLine(file.hunks, line);
  }
  return files.flatMap(({ from, file, created, hunks }) => [
    { file, created, hunks: hunks.filter(({ lines }) => lines.length > 0) },
    ...(from === undefined ? [] : [{ file: from, created: false, hunks: [] }]),
  ]);
}

function addLine(hunks: Hunk[], line: string): void {
  // An empty line is one of the file, whose blank was lost.
  const isOfFile = line === '' ? hunks.length > 0 : /^[ +-]/.test(line);
  if (line.startsWith('@@') || (isOfFile && hunks.length === 0)) hunks.push({ oldStart: 0, newStart: 1, lines: [] });
  if (isOfFile) hunks.at(-1)?.lines.push(line || ' ');
}

export function findPatch(command: string): string | null {
  if (!/(?:^|[\n;&][ \t]{0,20})apply_?patch\b/.test(command)) return null;
  const start = command.indexOf(BEGIN);
  const end = command.indexOf(END, start);
  return start < 0 || end < 0 ? null : command.slice(start, end + END.length);
}
