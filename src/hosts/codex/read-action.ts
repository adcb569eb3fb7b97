// What a Codex tool did, read leniently into an Action.

import type { Action, TodoStatus } from '../../core/event.ts';
import { wordTable } from '../../core/word-table.ts';
import { isOwnCommand, isOwnTool } from '../claude-code/own-call.ts';
import type { PlacedCall } from '../dialect.ts';
import { asList, asRecord, type Fields, text } from '../fields.ts';
import { readJson, wholeText } from '../json.ts';
import { placeFile } from '../paths.ts';
import { readPatch } from './patch.ts';

export function readAction(call: PlacedCall): Action {
  if (isOwnTool(call.tool) || OWN_TOOL.test(call.tool)) return { type: 'memory' };
  return READERS[call.tool]?.(asRecord(call.input), call) ?? readOther(call);
}

/** Older versions leave the prefix out, and some names lose their hyphen. */
const OWN_TOOL = /^(?:mcp__)?claude[-_]mem__/;

type Reader = (input: Fields, call: PlacedCall) => Action | null;

const READERS = wordTable<Reader>({
  Bash: readCommand,
  apply_patch: readEdit,
  update_plan: (input) => ({ type: 'todos', items: readSteps(input.plan) }),
  web_search: readWeb,
  view_image: (input, { cwd }) => ({ type: 'read', file: placeFile(text(input.path), cwd), content: '' }),
  request_user_input: readQuestion,
  spawn_agent: (input, { response }) => ({
    type: 'agent',
    agentId: text(answerOf(response).agent_id) || null,
    description: text(input.agent_type) || text(input.task_name),
    prompt: text(input.message),
    result: null,
  }),
});

/** Some answer with JSON in a text. */
const answerOf = (response: unknown) => asRecord(typeof response === 'string' ? readJson(response) : response);

/** The hook does not tell how a command ended; the transcript does. */
function readCommand(input: Fields, { response, error }: PlacedCall): Action {
  const command = text(input.command);
  if (isOwnCommand(command)) return { type: 'memory' };
  const said = asRecord(response);
  const failed = /^Exit code (-?\d{1,10})\b/.exec(error ?? '')?.[1];
  return {
    type: 'command',
    command,
    description: text(input.description) || null,
    stdout: typeof response === 'string' ? response : text(said.stdout),
    stderr: '',
    exitCode: error === null ? numberOf(said.exit_code) : failed === undefined ? null : Number(failed),
    background: said.is_running === true,
  };
}

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

function readEdit(input: Fields, { cwd }: PlacedCall): Action | null {
  const patched = readPatch(text(input.command) || text(input.input));
  return patched && { type: 'edit', ...patched, file: placeFile(patched.file, cwd) };
}

function readSteps(plan: unknown): { text: string; status: TodoStatus }[] {
  return asList(plan)
    .map(asRecord)
    .map(({ step, status }) => ({ text: text(step), status: readStatus(status) }))
    .filter((item) => item.text !== '');
}

const readStatus = (value: unknown): TodoStatus =>
  value === 'in_progress' || value === 'completed' ? value : 'pending';

function readWeb(input: Fields, { response }: PlacedCall): Action {
  const queries = asList(input.queries).map(text).filter(Boolean).join(', ');
  return { type: 'web', target: text(input.query) || text(input.url) || queries, text: wholeText(response) };
}

function readQuestion(input: Fields, { response }: PlacedCall): Action {
  const answers = asRecord(answerOf(response).answers);
  return {
    type: 'question',
    answers: asList(input.questions)
      .map(asRecord)
      .map(({ id, question, options }) => ({
        question: text(question),
        answer: asList(asRecord(answers[text(id)]).answers)
          .map(text)
          .join(', '),
        options: asList(options).map((option) => text(asRecord(option).label)),
      })),
  };
}

/** Tools of Codex that bring nothing from outside. All others may bring words from anywhere. */
const OF_CODEX = new Set(
  'write_stdin get_goal create_goal update_goal wait wait_agent close_agent send_input resume_agent tool_search list_dir'.split(
    ' ',
  ),
);

function readOther({ tool, input, response: output }: PlacedCall): Action {
  return { type: 'other', input, output, ...(OF_CODEX.has(tool) && { isOfHost: true }) };
}
