// What a Claude Code tool did: its input and response, read leniently into an Action.

import type { Action, Hunk, TodoStatus } from '../../core/event.ts';
import { wordTable } from '../../core/word-table.ts';
import { linesOf } from '../diff.ts';
import { asList, asRecord, type Fields, number, text } from '../fields.ts';
import { wholeText } from '../json.ts';
import { isOwnCommand, isOwnTool } from './own-call.ts';

export type ToolCall = { tool: string; input: unknown; response: unknown; error: string | null };

export function readAction(call: ToolCall): Action {
  if (isOwnTool(call.tool)) return { type: 'memory' };
  const read = READERS[call.tool];
  const input = asRecord(call.input);
  return read?.(input, asRecord(call.response), call) ?? readOther(call);
}

type Reader = (input: Fields, response: Fields, call: ToolCall) => Action | null;

const READERS = wordTable<Reader>({
  Bash: readCommand,
  PowerShell: readCommand,
  Edit: readEdit,
  MultiEdit: readEdit,
  Write: readEdit,
  NotebookEdit: readEdit,
  Read: (input, response) => ({
    type: 'read',
    file: text(input.file_path) || text(asRecord(response.file).filePath),
    content: text(asRecord(response.file).content),
  }),
  Grep: readSearch,
  Glob: readSearch,
  WebFetch: (input, response, call) => ({
    type: 'web',
    target: text(input.url),
    text: text(response.result) || wholeText(call.response),
  }),
  WebSearch: (input, response, call) => ({
    type: 'web',
    target: text(input.query),
    text: readSearchResults(response) || wholeText(call.response),
  }),
  TodoWrite: (input, response) => ({ type: 'todos', items: readTodos(input.todos ?? response.newTodos) }),
  TaskCreate: (input, response) => ({
    type: 'task',
    id: text(asRecord(response.task).id) || null,
    text: text(input.subject) || null,
    status: 'pending',
  }),
  TaskUpdate: (input) => ({
    type: 'task',
    id: text(input.taskId) || null,
    text: text(input.subject) || null,
    status: readStatus(input.status),
  }),
  AskUserQuestion: readQuestion,
  ExitPlanMode: (input, response) => ({ type: 'plan', text: text(response.plan) || text(input.plan) }),
  Agent: readAgent,
  Task: readAgent,
});

/** Tools of Claude Code that show what is here. All others may bring words from anywhere. */
const SHOWS_WHAT_IS_HERE = new Set(
  (
    'AgentOutputTool BashOutput Config CronCreate CronDelete CronList EnterPlanMode EnterWorktree ExitWorktree KillBash KillShell LS LSP ListAgents ' +
    'Monitor NotebookRead PushNotification ReportFindings ScheduleWakeup SendMessage SendUserMessage Skill Sleep SlashCommand StructuredOutput TaskGet ' +
    'TaskList TaskOutput TaskStop TeamCreate TeamDelete ToolSearch Workflow'
  ).split(' '),
);

function readOther({ tool, input, response: output }: ToolCall): Action {
  return { type: 'other', input, output, ...(SHOWS_WHAT_IS_HERE.has(tool) && { isOfHost: true }) };
}

function readCommand(input: Fields, response: Fields, call: ToolCall): Action {
  if (isOwnCommand(text(input.command))) return { type: 'memory' };
  const exit = /^Exit code (\d{1,3})\b/.exec(call.error ?? '');
  return {
    type: 'command',
    command: text(input.command),
    description: text(input.description) || null,
    stdout: text(response.stdout) || (typeof call.response === 'string' ? call.response : ''),
    stderr: text(response.stderr),
    exitCode: call.error === null ? 0 : exit ? Number(exit[1]) : null,
    background: Boolean(response.backgroundTaskId ?? input.run_in_background),
  };
}

function readEdit(input: Fields, response: Fields, call: ToolCall): Action {
  const file = text(response.filePath) || text(input.file_path) || text(input.notebook_path);
  const created = response.type === 'create' || (call.tool === 'Write' && response.originalFile === null);
  const patch = readHunks(response.structuredPatch);
  return { type: 'edit', file, created, hunks: patch.length > 0 ? patch : hunksFromInput(input) };
}

function readHunks(value: unknown): Hunk[] {
  return asList(value)
    .map(asRecord)
    .map((hunk) => ({
      oldStart: number(hunk.oldStart),
      newStart: number(hunk.newStart),
      lines: asList(hunk.lines).filter((line) => typeof line === 'string'),
    }));
}

/** Without a patch from the host (a new file, a failed edit) the input itself tells what was meant. */
function hunksFromInput(input: Fields): Hunk[] {
  const edits = Array.isArray(input.edits) ? input.edits.map(asRecord) : [input];
  return edits
    .map((edit) => ({
      oldStart: 0,
      newStart: 1,
      lines: [
        ...linesOf(text(edit.old_string)).map((line) => `-${line}`),
        ...linesOf(text(edit.new_string ?? edit.content ?? edit.new_source)).map((line) => `+${line}`),
      ],
    }))
    .filter((hunk) => hunk.lines.length > 0);
}

function readSearch(input: Fields, response: Fields): Action {
  const files = asList(response.filenames).filter((name) => typeof name === 'string');
  const counted = response.numMatches ?? response.numLines ?? response.numFiles;
  return {
    type: 'search',
    query: text(input.pattern),
    path: text(input.path) || null,
    files,
    matches: typeof counted === 'number' ? counted : null,
  };
}

function readSearchResults(response: Fields): string {
  return asList(response.results)
    .flatMap((result) => (typeof result === 'string' ? [result] : asList(asRecord(result).content).map(readSearchHit)))
    .join('\n');
}

function readSearchHit(hit: unknown): string {
  const { title, url } = asRecord(hit);
  return `${text(title)} ${text(url)}`.trim();
}

function readTodos(value: unknown) {
  return asList(value)
    .map(asRecord)
    .map((item) => ({ text: text(item.content), status: readStatus(item.status) ?? 'pending' }))
    .filter((item) => item.text !== '');
}

function readStatus(value: unknown): TodoStatus | null {
  return value === 'pending' || value === 'in_progress' || value === 'completed' || value === 'deleted' ? value : null;
}

function readQuestion(input: Fields, response: Fields): Action {
  const answers = asRecord(response.answers);
  const questions = asList(response.questions ?? input.questions).map(asRecord);
  return {
    type: 'question',
    answers: questions.map((asked) => ({
      question: text(asked.question),
      answer: text(answers[text(asked.question)]),
      options: asList(asked.options).map((option) => text(asRecord(option).label)),
    })),
  };
}

function readAgent(input: Fields, response: Fields): Action {
  const result = asList(response.content)
    .map((block) => text(asRecord(block).text))
    .filter(Boolean)
    .join('\n')
    .replace(/<tools-used-before-summary>.*?<\/tools-used-before-summary>/gs, '')
    .trim();
  return {
    type: 'agent',
    agentId: text(response.agentId) || null,
    description: text(input.description),
    prompt: text(input.prompt),
    result: result || null,
  };
}
