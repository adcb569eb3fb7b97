// OpenCode: it has no hooks that run a command. Our plugin in it (plugin.txt) says what happens in Claude Code's words; its chats are in a
// database of its own, which is not read.
import type { Action } from '../../core/event.ts';
import * as action from '../action.ts';
import { createAgent, NO_TRANSCRIPTS } from '../hook.ts';
import { asRecord, type Fields, numberOrNull, text } from '../json.ts';

const readAction = action.createReader({
  readers: {
    bash: readCommand,
    edit: readEdit,
    multiedit: readEdit,
    write: readEdit,
    read: (input, call) => ({ type: 'read', file: fileOf(input, call), content: wordsOf(call) }),
    grep: readSearch,
    glob: readSearch,
    webfetch: (input, call) => action.web(input.url, wordsOf(call)),
    websearch: (input, call) => action.web(input.query, wordsOf(call)),
    codesearch: (input, call) => action.web(input.query, wordsOf(call)),
    todowrite: (input) => action.todos(input.todos, 'content'),
    task: (input, call) => action.agent(text(input.description), input.prompt, wordsOf(call), metadataOf(call).sessionId),
  },
  bringNothing: 'list todoread skill invalid plan_enter plan_exit',
  ownTool: /^claude-mem_/,
});

const metadataOf = ({ response }: action.ToolCall): Fields => asRecord(asRecord(response).metadata);
const wordsOf = ({ response }: action.ToolCall): string => text(asRecord(response).output) || text(response);
const fileOf = ({ filePath }: Fields, { cwd }: action.ToolCall) => action.placeFile(text(filePath), cwd);

function readCommand(input: Fields, call: action.ToolCall): Action {
  const { error } = call;
  return action.command(input, {
    stdout: error === null ? text(metadataOf(call).output) || wordsOf(call) : '',
    stderr: '',
    exitCode: error === null ? numberOrNull(metadataOf(call).exit) : action.exitCodeIn(error),
    background: false,
  });
}

function readEdit(input: Fields, call: action.ToolCall): Action {
  const { diff, exists } = metadataOf(call);
  const hunks = action.readDiff(text(diff));
  const meant = action.replaceHunk(text(input.oldString), text(input.newString) || text(input.content));
  return { type: 'edit', file: fileOf(input, call), created: exists === false, hunks: hunks.length > 0 ? hunks : meant };
}

function readSearch(input: Fields, call: action.ToolCall): Action {
  const { matches, count } = metadataOf(call);
  const files = [...wordsOf(call).matchAll(/^(\/[^\n:]{1,4000}):?$/gm)].map(([, file = '']) => file);
  return {
    type: 'search',
    query: text(input.pattern),
    path: text(input.path) || null,
    files: [...new Set(files)],
    matches: numberOrNull(matches ?? count),
  };
}

/** A command that ended badly is no failure there: its code stands beside its output. */
function readFailure({ tool_name: tool, tool_response: response }: Fields): string | null {
  const { exit, output } = asRecord(asRecord(response).metadata);
  if (tool !== 'bash' || typeof exit !== 'number' || exit === 0) return null;
  return `Exit code ${exit}\n${text(output)}`;
}

export const openCode = createAgent({
  name: 'opencode',
  translate,
  readAction,
  noteEvents: { 'first-prompt': 'UserPromptSubmit', edit: 'PreToolUse', error: 'PostToolUseFailure' },
  ...NO_TRANSCRIPTS,
});

function translate(payload: Fields): Fields {
  const failure = payload.hook_event_name === 'PostToolUse' ? readFailure(payload) : null;
  return failure === null ? payload : { ...payload, hook_event_name: 'PostToolUseFailure', error: failure };
}
