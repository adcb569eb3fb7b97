// What a Claude Code tool did: its input and response, read into an Action.
import type { Action, Hunk } from '../../core/event.ts';
import * as action from '../action.ts';
import { asList, asRecord, asRecords, type Fields, numberOrNull, text, textsOf, wholeText } from '../json.ts';

export const readAction = action.createReader({
  readers: {
    Bash: readCommand,
    PowerShell: readCommand,
    Edit: readEdit,
    MultiEdit: readEdit,
    Write: readEdit,
    NotebookEdit: readEdit,
    FileSave: (input) => ({ type: 'edit', file: text(input.path) || text(input.file_path), created: false, hunks: hunksFromInput(input) }),
    Read: (input, { response }) => {
      const file = asRecord(asRecord(response).file);
      return { type: 'read', file: text(input.file_path) || text(file.filePath), content: text(file.content) };
    },
    Grep: readSearch,
    Glob: readSearch,
    WebFetch: (input, { response }) => action.web(input.url, text(asRecord(response).result) || wholeText(response)),
    WebSearch: (input, { response }) => action.web(input.query, readSearchResults(response) || wholeText(response)),
    TodoWrite: (input, { response }) => action.todos(input.todos ?? asRecord(response).newTodos, 'content'),
    TaskCreate: (input, { response }) => ({
      type: 'task',
      id: text(asRecord(asRecord(response).task).id) || null,
      text: text(input.subject) || null,
      status: 'pending',
    }),
    TaskUpdate: (input) => ({
      type: 'task',
      id: text(input.taskId) || null,
      text: text(input.subject) || null,
      status: action.readStatus(input.status),
    }),
    AskUserQuestion: (input, { response }) => {
      const { questions, answers } = asRecord(response);
      return action.questions(questions ?? input.questions, ({ question }) => text(asRecord(answers)[text(question)]));
    },
    ExitPlanMode: (input, { response }) => ({ type: 'plan', text: text(asRecord(response).plan) || text(input.plan) }),
    Agent: readAgent,
    Task: readAgent,
  },
  bringNothing:
    'AgentOutputTool BashOutput Config CronCreate CronDelete CronList EnterPlanMode EnterWorktree ExitWorktree KillBash KillShell ' +
    'LS LSP ListAgents Monitor NotebookRead PushNotification ReportFindings ScheduleWakeup SendMessage SendUserMessage Skill ' +
    'Sleep SlashCommand StructuredOutput TaskGet TaskList TaskOutput TaskStop TeamCreate TeamDelete ToolSearch Workflow',
});

function readCommand(input: Fields, { response, error }: action.ToolCall): Action {
  const { stdout, stderr, backgroundTaskId } = asRecord(response);
  return action.command(input, {
    stdout: text(stdout) || text(response),
    stderr: text(stderr),
    exitCode: error === null ? 0 : action.exitCodeIn(error),
    background: Boolean(backgroundTaskId ?? input.run_in_background),
  });
}

function readEdit(input: Fields, { tool, response }: action.ToolCall): Action {
  const { filePath, type, originalFile, structuredPatch } = asRecord(response);
  const patch = action.readHunks(structuredPatch);
  return {
    type: 'edit',
    file: text(filePath) || text(input.file_path) || text(input.notebook_path),
    created: type === 'create' || (tool === 'Write' && originalFile === null),
    hunks: patch.length > 0 ? patch : hunksFromInput(input),
  };
}

/** Without a patch from the agent (a new file, a failed edit) the input itself tells what was meant. */
const hunksFromInput = (input: Fields): Hunk[] =>
  (Array.isArray(input.edits) ? asRecords(input.edits) : [input]).flatMap((edit) =>
    action.replaceHunk(text(edit.old_string), text(edit.new_string ?? edit.content ?? edit.new_source)),
  );

function readSearch(input: Fields, { response }: action.ToolCall): Action {
  const { filenames, numMatches, numLines, numFiles } = asRecord(response);
  return {
    type: 'search',
    query: text(input.pattern),
    path: text(input.path) || null,
    files: asList(filenames).filter((name) => typeof name === 'string'),
    matches: numberOrNull(numMatches ?? numLines ?? numFiles),
  };
}

const readSearchResults = (response: unknown): string =>
  asList(asRecord(response).results)
    .flatMap((result) => (typeof result === 'string' ? [result] : asRecords(asRecord(result).content).map(readHit)))
    .join('\n');

const readHit = ({ title, url }: Fields) => `${text(title)} ${text(url)}`.trim();

function readAgent(input: Fields, { response }: action.ToolCall): Action {
  const { content, agentId } = asRecord(response);
  const result = textsOf(asList(content))
    .join('\n')
    .replace(/<tools-used-before-summary>.*?<\/tools-used-before-summary>/gs, '')
    .trim();
  return action.agent(text(input.description), input.prompt, result, agentId);
}
