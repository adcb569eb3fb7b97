// Cursor: hooks with names of its own. An edit is told by the event that has its words; of a turn's end only that it is over.
import type { Action } from '../../core/event.ts';
import { wordTable } from '../../core/text.ts';
import * as action from '../action.ts';
import { createAgent, NO_TRANSCRIPTS } from '../hook.ts';
import { asList, asRecord, asRecords, type Fields, numberOrNull, readJson, text, wholeText } from '../json.ts';
import { onlySpoken, SAID } from '../record.ts';

const readAction = action.createReader({
  readers: {
    Shell: readCommand,
    Edit: (input, { cwd }) => ({
      type: 'edit',
      file: fileOf(input, cwd),
      created: false,
      hunks: asRecords(input.edits).flatMap(({ old_string, new_string }) => action.replaceHunk(text(old_string), text(new_string))),
    }),
    Read: (input, call) => ({ type: 'read', file: fileOf(input, call.cwd), content: wordsOf(call) }),
    Grep: (input) => ({ type: 'search', query: text(input.pattern), path: text(input.path) || null, files: [], matches: null }),
    WebFetch: (input, call) => action.web(input.url, wordsOf(call)),
    WebSearch: (input, call) => action.web(input.search_term || input.query, wordsOf(call)),
    TodoWrite: (input) => action.todos(input.todos, 'content'),
    Task: (input, call) => action.agent(text(input.description), input.prompt, wordsOf(call)),
  },
  bringNothing: 'Delete LS Glob ReadLints SwitchMode AskQuestion SemanticSearch',
  ownTool: /^(?:MCP:)?(?:claude-mem[_:/-]|mcp_claude-mem_)/,
});

const fileOf = ({ file_path, path, target_file }: Fields, cwd: string) =>
  action.placeFile(text(file_path) || text(path) || text(target_file), cwd);

const readObject = (value: unknown): Fields => asRecord(typeof value === 'string' ? readJson(value) : value);

function wordsOf({ response }: action.ToolCall): string {
  const said = readObject(response);
  return text(said.output) || text(said.stdout) || text(said.content) || text(said.result) || wholeText(response);
}

function readCommand(input: Fields, call: action.ToolCall): Action {
  const { exitCode, exit_code: code, stderr } = readObject(call.response);
  return action.command(input, {
    stdout: call.error === null ? wordsOf(call) : '',
    stderr: text(stderr),
    exitCode: call.error === null ? numberOrNull(exitCode ?? code) : action.exitCodeIn(call.error),
    background: false,
  });
}

export const cursor = createAgent({
  name: 'cursor',
  translate,
  readAction,
  noteEvents: { 'first-prompt': 'beforeSubmitPrompt', edit: 'preToolUse', error: 'postToolUseFailure' },
  // The one answer of a hook that reaches the model; beside the prompt and after an error nothing does.
  renderStart: ({ context }) => (context ? JSON.stringify({ additional_context: context }) : ''),
  renderNote: () => '',
  ...NO_TRANSCRIPTS,
});

const NAMES = wordTable<string>({
  sessionStart: 'SessionStart',
  beforeSubmitPrompt: 'UserPromptSubmit',
  postToolUse: 'PostToolUse',
  postToolUseFailure: 'PostToolUseFailure',
  afterFileEdit: 'PostToolUse',
  afterAgentResponse: SAID,
  stop: 'Stop',
  sessionEnd: 'SessionEnd',
});
/** Told by afterFileEdit, with the words that were changed. */
const EDITS = new Set(['Write', 'Edit', 'StrReplace', 'MultiEdit', 'ApplyPatch']);

function translate(payload: Fields): Fields | null {
  const said = text(payload.hook_event_name);
  if (said === 'postToolUse' && EDITS.has(text(payload.tool_name))) return null;
  const cwd = text(payload.cwd) || text(asList(payload.workspace_roots)[0]);
  return {
    ...payload,
    // A program that speaks for it over HTTP has Claude Code's words.
    hook_event_name: NAMES[said] ?? (said || undefined),
    session_id: payload.session_id ?? payload.conversation_id,
    prompt_id: payload.prompt_id ?? payload.generation_id,
    cwd,
    duration_ms: numberOrNull(payload.duration),
    ...(typeof payload.prompt === 'string' && { prompt: onlySpoken(payload.prompt) }),
    ...(said === 'afterAgentResponse' && { last_assistant_message: text(payload.text) }),
    ...(said === 'postToolUseFailure' && { error: text(payload.error_message) || 'failed without a message' }),
    ...toolOf(said, payload),
  };
}

function toolOf(said: string, payload: Fields): Fields {
  if (said === 'afterFileEdit') return { tool_name: 'Edit', tool_input: { file_path: payload.file_path, edits: payload.edits } };
  return { tool_input: readObject(payload.tool_input), tool_response: payload.tool_response ?? payload.tool_output };
}
