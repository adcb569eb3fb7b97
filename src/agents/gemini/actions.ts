// What a Gemini CLI tool did, read into an Action; what it answered, with how a command ended, stands in words for the model.
import type { Action } from '../../core/event.ts';
import { hashParts } from '../../core/ids.ts';
import * as action from '../action.ts';
import { asRecord, asRecords, type Fields, readJson, text, textsOf, wholeText } from '../json.ts';

export const readAction = action.createReader({
  readers: {
    run_shell_command: readCommand,
    read_file: (input, { cwd, response }) => ({ type: 'read', file: fileOf(input, cwd), content: wordsOf(response) }),
    write_file: readEdit,
    replace: readEdit,
    glob: readSearch,
    grep_search: readSearch,
    grep_search_ripgrep: readSearch,
    search_file_content: readSearch,
    web_fetch: (input, { response }) =>
      action.web(text(input.url) || (/https?:\/\/\S+/.exec(text(input.prompt))?.[0] ?? input.prompt), wordsOf(response)),
    google_web_search: (input, { response }) => action.web(input.query, wordsOf(response)),
    write_todos: (input) => action.todos(input.todos, 'description'),
    ask_user: (input, { response }) => {
      const answers = asRecord(asRecord(readJson(wordsOf(response))).answers);
      return action.questions(input.questions, (_, at) => text(answers[String(at)]));
    },
    invoke_agent: (input, { response }) => action.agent(text(input.agent_name), input.prompt, wordsOf(response)),
  },
  bringNothing:
    'list_directory read_many_files save_memory activate_skill get_internal_docs enter_plan_mode exit_plan_mode update_topic ' +
    'complete_task tracker_create_task tracker_update_task tracker_get_task tracker_list_tasks tracker_add_dependency ' +
    'tracker_visualize list_background_processes take_snapshot',
  ownTool: /^(?:mcp_)?claude-mem_/,
});

const fileOf = ({ file_path, absolute_path, path }: Fields, cwd: string) =>
  action.placeFile(text(file_path) || text(absolute_path) || text(path), cwd);

function readCommand(input: Fields, { response, error }: action.ToolCall): Action {
  const { exitCode, isBackground, ...said } = readCommandAnswer(response);
  return action.command(input, {
    ...(error === null ? said : { stdout: '', stderr: '' }),
    exitCode: error === null ? exitCode : action.exitCodeIn(error),
    background: isBackground || input.is_background === true,
  });
}

function readEdit(input: Fields, { response, cwd }: action.ToolCall): Action {
  const { fileDiff, filePath, isNewFile } = asRecord(asRecord(response).returnDisplay);
  const hunks = action.readDiff(text(fileDiff));
  return {
    type: 'edit',
    file: text(filePath) || fileOf(input, cwd),
    created: isNewFile === true,
    hunks: hunks.length > 0 ? hunks : action.replaceHunk(text(input.old_string), text(input.new_string) || text(input.content)),
  };
}

function readSearch(input: Fields, { response, cwd }: action.ToolCall): Action {
  const found = asRecords(asRecord(asRecord(response).returnDisplay).matches);
  const words = wordsOf(response);
  const named = found.map((match) => text(match.absolutePath) || action.placeFile(text(match.filePath), cwd));
  const listed = [...words.matchAll(/^(?:File: (.{1,4000})|(\/.{1,4000}))$/gm)].map((line) =>
    action.placeFile(line[1] ?? line[2] ?? '', cwd),
  );
  const [, count] = /^Found (\d{1,9}) /.exec(words) ?? [];
  return {
    type: 'search',
    query: text(input.pattern),
    path: text(input.dir_path) || text(input.path) || null,
    files: [...new Set((named.length > 0 ? named : listed).filter(Boolean))],
    matches: count === undefined ? null : Number(count),
  };
}

function wordsOf(response: unknown): string {
  const said = asRecord(response).llmContent ?? response;
  const words = Array.isArray(said) ? textsOf(said).join('\n') : text(asRecord(said).text) || wholeText(said);
  return words.replace(/^<untrusted_context>\n?/, '').replace(/\n?<\/untrusted_context>\s*$/, '');
}

/** `Output: …`, in older versions `Stdout: …` and `Stderr: …`, and lines about the process. */
function readCommandAnswer(response: unknown) {
  const words = wordsOf(response);
  const code = field(words, 'Exit Code');
  return {
    stdout: field(words, 'Output') ?? field(words, 'Stdout') ?? (FIELD.test(words) ? '' : words),
    stderr: field(words, 'Stderr') ?? '',
    exitCode: code === null ? 0 : /^-?\d{1,10}$/.test(code) ? Number(code) : null,
    isBackground: field(words, 'Background PIDs') !== null || /^Command moved to background/.test(words),
  };
}

const FIELD = /^(?:Command|Directory|Output|Stdout|Stderr|Error|Exit Code|Signal|Background PIDs|Process Group PGID): /m;

function field(words: string, name: string): string | null {
  const start = new RegExp(`^${name}: `, 'm').exec(words);
  if (!start) return null;
  const rest = words.slice(start.index + start[0].length);
  const end = rest.search(FIELD);
  const value = (end < 0 ? rest : rest.slice(0, end)).replace(/\n$/, '');
  return value === '(none)' || value === '(empty)' ? null : value;
}

export function readFailure(tool: string, response: Fields): string | null {
  const said = text(asRecord(response.error).message) || text(response.error);
  if (said) return said;
  if (tool !== 'run_shell_command') return null;
  const { exitCode, stdout, stderr } = readCommandAnswer(response);
  return exitCode === 0 || exitCode === null ? null : `Exit code ${exitCode}\n${[stdout, stderr].filter(Boolean).join('\n')}`;
}

/** What is longer may have been made shorter for one of them. */
const SHORT = 4000;

/**
 * What was asked and answered is what a hook and a chat have in common; the same call with the same answer is told apart by its
 * count, which only a chat knows. Null for what is no call of a tool.
 */
export function contentId(payload: Fields): string | null {
  const { agent_id: agent, session_id: session, tool_use_count: count } = payload;
  const tool = text(payload.tool_name);
  if (tool === '') return null;
  const response = asRecord(payload.tool_response);
  const said = text(asRecord(response.error).message) || wordsOf(response);
  const hash = hashParts([tool, wholeText(payload.tool_input), said.length > SHORT ? '' : said]);
  const id = `${String(agent || session || '')}:${hash}`;
  return typeof count === 'number' && count > 1 ? `${id}#${count}` : id;
}
