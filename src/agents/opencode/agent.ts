// OpenCode: it has no hooks that run a command. Our plugin in it (plugin.txt) says what happens in Claude Code's words; its chats are in a
// database of its own, which is not read.
import type { Action } from '../../core/event.ts';
import { commandAction, createActionReader, exitCodeIn, placeFile, readDiff, readTodos, replaceHunk, type ToolCall } from '../action.ts';
import { createAgent, NO_TRANSCRIPTS } from '../hook.ts';
import { asRecord, type Fields, numberOrNull, text } from '../json.ts';

const readAction = createActionReader({
  readers: {
    bash: readCommand,
    edit: readEdit,
    multiedit: readEdit,
    write: readEdit,
    read: (input, call) => ({ type: 'read', file: fileOf(input, call), content: wordsOf(call) }),
    grep: readSearch,
    glob: readSearch,
    webfetch: (input, call) => ({ type: 'web', target: text(input.url), text: wordsOf(call) }),
    websearch: (input, call) => ({ type: 'web', target: text(input.query), text: wordsOf(call) }),
    codesearch: (input, call) => ({ type: 'web', target: text(input.query), text: wordsOf(call) }),
    todowrite: (input) => readTodos(input.todos, 'content'),
    task: (input, call) => ({
      type: 'agent',
      agentId: text(metadataOf(call).sessionId) || null,
      description: text(input.description),
      prompt: text(input.prompt),
      result: wordsOf(call) || null,
    }),
  },
  bringNothing: 'list todoread skill invalid plan_enter plan_exit',
  ownTool: /^claude-mem_/,
});

const metadataOf = ({ response }: ToolCall): Fields => asRecord(asRecord(response).metadata);
const wordsOf = ({ response }: ToolCall): string => text(asRecord(response).output) || text(response);
const fileOf = ({ filePath }: Fields, { cwd }: ToolCall) => placeFile(text(filePath), cwd);

function readCommand(input: Fields, call: ToolCall): Action {
  const { error } = call;
  return commandAction(input, {
    stdout: error === null ? text(metadataOf(call).output) || wordsOf(call) : '',
    stderr: '',
    exitCode: error === null ? numberOrNull(metadataOf(call).exit) : exitCodeIn(error),
    background: false,
  });
}

function readEdit(input: Fields, call: ToolCall): Action {
  const { diff, exists } = metadataOf(call);
  const hunks = readDiff(text(diff));
  const meant = replaceHunk(text(input.oldString), text(input.newString) || text(input.content));
  return { type: 'edit', file: fileOf(input, call), created: exists === false, hunks: hunks.length > 0 ? hunks : meant };
}

function readSearch(input: Fields, call: ToolCall): Action {
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
