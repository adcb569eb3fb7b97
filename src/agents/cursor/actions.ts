// What a tool of Cursor did, read into an Action. Its input and output are JSON, some of it inside of a string.
import type { Action } from '../../core/event.ts';
import { commandAction, createActionReader, exitCodeIn, placeFile, readTodos, replaceHunk, type ToolCall } from '../action.ts';
import { asRecord, asRecords, type Fields, numberOrNull, readJson, text, wholeText } from '../json.ts';

export const readAction = createActionReader({
  readers: {
    Shell: readCommand,
    Edit: (input, { cwd }) => ({
      type: 'edit',
      file: fileOf(input, cwd),
      created: false,
      hunks: asRecords(input.edits).flatMap(({ old_string, new_string }) => replaceHunk(text(old_string), text(new_string))),
    }),
    Read: (input, call) => ({ type: 'read', file: fileOf(input, call.cwd), content: wordsOf(call) }),
    Grep: (input) => ({ type: 'search', query: text(input.pattern), path: text(input.path) || null, files: [], matches: null }),
    WebFetch: (input, call) => ({ type: 'web', target: text(input.url), text: wordsOf(call) }),
    WebSearch: (input, call) => ({ type: 'web', target: text(input.search_term) || text(input.query), text: wordsOf(call) }),
    TodoWrite: (input) => readTodos(input.todos, 'content'),
    Task: (input, call) => ({
      type: 'agent',
      agentId: null,
      description: text(input.description),
      prompt: text(input.prompt),
      result: wordsOf(call) || null,
    }),
  },
  bringNothing: 'Delete LS Glob ReadLints SwitchMode AskQuestion SemanticSearch',
  ownTool: /^(?:MCP:)?(?:claude-mem[_:/-]|mcp_claude-mem_)/,
});

const fileOf = ({ file_path, path, target_file }: Fields, cwd: string) =>
  placeFile(text(file_path) || text(path) || text(target_file), cwd);

export const readObject = (value: unknown): Fields => asRecord(typeof value === 'string' ? readJson(value) : value);

function wordsOf({ response }: ToolCall): string {
  const said = readObject(response);
  return text(said.output) || text(said.stdout) || text(said.content) || text(said.result) || wholeText(response);
}

function readCommand(input: Fields, call: ToolCall): Action {
  const { exitCode, exit_code: code, stderr } = readObject(call.response);
  return commandAction(input, {
    stdout: call.error === null ? wordsOf(call) : '',
    stderr: text(stderr),
    exitCode: call.error === null ? numberOrNull(exitCode ?? code) : exitCodeIn(call.error),
    background: false,
  });
}
