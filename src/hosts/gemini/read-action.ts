// What a Gemini CLI tool did, read leniently into an Action.

import type { Action, TodoStatus } from '../../core/event.ts';
import { wordTable } from '../../core/word-table.ts';
import { isOwnCommand, isOwnTool } from '../claude-code/own-call.ts';
import type { PlacedCall } from '../dialect.ts';
import { readDiff, replaceHunk } from '../diff.ts';
import { asList, asRecord, type Fields, text } from '../fields.ts';
import { readJson } from '../json.ts';
import { placeFile } from '../paths.ts';
import { readCommandAnswer, wordsOf } from './tool-answer.ts';

export function readAction(call: PlacedCall): Action {
  if (isOwnTool(call.tool) || OWN_TOOL.test(call.tool)) return { type: 'memory' };
  return READERS[call.tool]?.(asRecord(call.input), call) ?? readOther(call);
}

const OWN_TOOL = /^(?:mcp_)?claude-mem_/;

type Reader = (input: Fields, call: PlacedCall) => Action | null;

const READERS = wordTable<Reader>({
  run_shell_command: readCommand,
  read_file: (input, call) => ({ type: 'read', file: fileOf(input, call.cwd), content: wordsOf(call.response) }),
  read_many_files: readMany,
  write_file: readEdit,
  replace: readEdit,
  glob: readSearch,
  grep_search: readSearch,
  grep_search_ripgrep: readSearch,
  search_file_content: readSearch,
  web_fetch: (input, { response }) => ({
    type: 'web',
    target: text(input.url) || (/https?:\/\/\S+/.exec(text(input.prompt))?.[0] ?? text(input.prompt)),
    text: wordsOf(response),
  }),
  google_web_search: (input, { response }) => ({ type: 'web', target: text(input.query), text: wordsOf(response) }),
  write_todos: (input) => ({ type: 'todos', items: readTodos(input.todos) }),
  tracker_create_task: (input, { response }) => ({
    type: 'task',
    id: /\btask ([\w-]{1,60}):/.exec(wordsOf(response))?.[1] ?? null,
    text: text(input.title) || null,
    status: 'pending',
  }),
  tracker_update_task: (input) => ({
    type: 'task',
    id: text(input.id) || null,
    text: text(input.title) || null,
    status: readStatus(input.status),
  }),
  ask_user: readQuestion,
  invoke_agent: (input, call) => readAgent(text(input.agent_name), input, call),
  codebase_investigator: (input, call) => readAgent('codebase_investigator', input, call),
});

const fileOf = ({ file_path, absolute_path, path }: Fields, cwd: string) =>
  placeFile(text(file_path) || text(absolute_path) || text(path), cwd);

function readCommand(input: Fields, { response, error }: PlacedCall): Action {
  const command = text(input.command);
  if (isOwnCommand(command)) return { type: 'memory' };
  const { exitCode, isBackground, ...said } = readCommandAnswer(response);
  const failed = /^Exit code (-?\d{1,10})\b/.exec(error ?? '')?.[1];
  return {
    type: 'command',
    command,
    description: text(input.description) || null,
    ...(error === null ? said : { stdout: '', stderr: '' }),
    exitCode: error === null ? exitCode : failed === undefined ? null : Number(failed),
    background: isBackground || input.is_background === true,
  };
}

function readEdit(input: Fields, { response, cwd }: PlacedCall): Action {
  const shown = asRecord(asRecord(response).returnDisplay);
  const hunks = readDiff(text(shown.fileDiff));
  return {
    type: 'edit',
    file: text(shown.filePath) || fileOf(input, cwd),
    created: shown.isNewFile === true,
    hunks:
      hunks.length > 0 ? hunks : replaceHunk(text(input.old_string), text(input.new_string) || text(input.content)),
  };
}

/** `--- /home/dev/shop/a.ts ---` stands before each file. */
function readMany(input: Fields, { response, cwd }: PlacedCall): Action {
  const asked = [input.include, input.paths].flatMap(asList).map(text).filter(Boolean);
  const files = [...wordsOf(response).matchAll(/^--- (\S.{0,4000}?) ---$/gm)].map(([, file = '']) => file);
  return {
    type: 'search',
    query: asked.join(' '),
    path: null,
    files: files.filter((file) => !/^(?:End|Content) /.test(file)).map((file) => placeFile(file, cwd)),
    matches: null,
  };
}

function readSearch(input: Fields, { response, cwd }: PlacedCall): Action {
  const found = asList(asRecord(asRecord(response).returnDisplay).matches).map(asRecord);
  const words = wordsOf(response);
  const named = found.map((match) => text(match.absolutePath) || placeFile(text(match.filePath), cwd));
  const listed = [...words.matchAll(/^(?:File: (.{1,4000})|(\/.{1,4000}))$/gm)].map((line) =>
    placeFile(line[1] ?? line[2] ?? '', cwd),
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

function readTodos(todos: unknown): { text: string; status: TodoStatus }[] {
  return asList(todos)
    .map(asRecord)
    .map(({ description, status }) => ({ text: text(description), status: readStatus(status) ?? 'pending' }))
    .filter((item) => item.text !== '');
}

const STATUSES = wordTable<TodoStatus>({
  pending: 'pending',
  open: 'pending',
  in_progress: 'in_progress',
  completed: 'completed',
  closed: 'completed',
  cancelled: 'deleted',
});
const readStatus = (value: unknown): TodoStatus | null => STATUSES[text(value)] ?? null;

function readQuestion(input: Fields, { response }: PlacedCall): Action {
  const answers = asRecord(asRecord(readJson(wordsOf(response))).answers);
  return {
    type: 'question',
    answers: asList(input.questions)
      .map(asRecord)
      .map(({ question, options }, n) => ({
        question: text(question),
        answer: text(answers[String(n)]),
        options: asList(options).map((option) => text(asRecord(option).label)),
      })),
  };
}

function readAgent(name: string, input: Fields, { response }: PlacedCall): Action {
  const prompt = text(input.prompt) || text(input.objective) || text(input.query);
  return { type: 'agent', agentId: null, description: name, prompt, result: wordsOf(response) || null };
}

/** Tools of Gemini CLI that show or set what is here. All others may bring words from anywhere. */
const OF_GEMINI = new Set(
  (
    'list_directory save_memory activate_skill get_internal_docs enter_plan_mode exit_plan_mode update_topic complete_task ' +
    'tracker_get_task tracker_list_tasks tracker_add_dependency tracker_visualize list_background_processes take_snapshot'
  ).split(' '),
);

function readOther({ tool, input, response: output }: PlacedCall): Action {
  return { type: 'other', input, output, ...(OF_GEMINI.has(tool) && { isOfHost: true }) };
}
