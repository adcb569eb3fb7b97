// A scripted session as the transcript that Claude Code would have written.
import type { ScriptedSession, ScriptedStep, ScriptedTurn } from './case.ts';

const VERSION = '2.1.325';
const STEP_MS = 7000;

/** `root`: where the project lies on this machine. Deterministic: the same case gives the same bytes. */
export function transcriptOf(session: ScriptedSession, { id, root }: { id: string; root: string }): string {
  const writer = createWriter(session, id, root);
  for (const [at, turn] of session.turns.entries()) writeTurn(writer, turn, at);
  return `${writer.lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
}

type Writer = ReturnType<typeof createWriter>;

function createWriter(session: ScriptedSession, id: string, root: string) {
  const lines: object[] = [];
  let now = Date.parse(session.startsAt);
  let count = 0;
  let parent: string | null = null;
  const push = (type: 'user' | 'assistant', message: object, more: object = {}) => {
    now += STEP_MS;
    const uuid = name(id, ++count);
    lines.push({
      parentUuid: parent,
      isSidechain: false,
      type,
      message,
      uuid,
      timestamp: new Date(now).toISOString(),
      userType: 'external',
      entrypoint: 'cli',
      cwd: root,
      sessionId: id,
      version: VERSION,
      gitBranch: session.branch ?? 'HEAD',
      ...more,
    });
    parent = uuid;
  };
  return { lines, root, id, push, next: () => name(id, ++count), pause: (ms: number) => (now += ms) };
}

/** Unique over all sessions: a tool use that is known by its id is not read twice. */
const name = (id: string, count: number) => `${id.slice(0, 20)}${id.slice(-4)}-${String(count).padStart(12, '0')}`;

function writeTurn(writer: Writer, turn: ScriptedTurn, at: number): void {
  const promptId = writer.next();
  if (at > 0) writer.pause(90_000);
  writer.push('user', { role: 'user', content: turn.prompt }, { promptId, turnOrigin: 'human', promptSource: 'cli' });
  for (const step of turn.steps) writeStep(writer, step, promptId);
  if (turn.interrupted) {
    writer.push('user', { role: 'user', content: [{ type: 'text', text: '[Request interrupted by user]' }] }, { promptId });
  } else say(writer, turn.close ?? 'Done.', 'end_turn');
}

function say(writer: Writer, text: string, stop: 'tool_use' | 'end_turn'): void {
  writer.push('assistant', {
    id: `msg_${writer.next()}`,
    type: 'message',
    role: 'assistant',
    model: 'claude-opus-5-5',
    content: [{ type: 'text', text }],
    stop_reason: stop,
  });
}

function writeStep(writer: Writer, step: ScriptedStep, promptId: string): void {
  if (step.say !== undefined) say(writer, step.say, 'tool_use');
  const { root } = writer;
  const path = (file: string) => (file.startsWith('/') ? file : `${root}/${file}`);
  const call = (tool: string, input: object, result: Result) => callTool(writer, { tool, input, result, promptId });
  const out = step.out ?? '';
  if (step.bash !== undefined) call('Bash', { command: step.bash }, bashResult(out, step.fails));
  if (step.commit !== undefined) {
    const message = step.commit.replaceAll('"', '\\"');
    const said = `[main ${step.hash ?? 'abc1234'}] ${step.commit.split('\n')[0]}\n ${step.files?.length ?? 1} files changed`;
    call('Bash', { command: `git add ${(step.files ?? ['-A']).join(' ')} && git commit -m "${message}"` }, bashResult(said));
  }
  if (step.read !== undefined) {
    const file = { filePath: path(step.read), content: out };
    call('Read', { file_path: path(step.read) }, { text: out, own: { type: 'text', file } });
  }
  if (step.grep !== undefined) call('Grep', { pattern: step.grep }, { text: out, own: { mode: 'content', content: out, filenames: [] } });
  if (step.web !== undefined) call('WebFetch', { url: step.web }, { text: out, own: { result: out, url: step.web } });
  if (step.edit !== undefined) writeEdit(call, path(step.edit), step.old ?? '', step.new ?? '');
  if (step.write !== undefined)
    call(
      'Write',
      { file_path: path(step.write), content: step.text ?? '' },
      {
        text: 'File created.',
        own: { type: 'create', filePath: path(step.write), structuredPatch: [], originalFile: null },
      },
    );
  if (step.todo !== undefined) {
    const todos = step.todo.map(({ text, status }) => ({ content: text, status, activeForm: text }));
    call('TodoWrite', { todos }, { text: 'Todos have been modified.', own: { newTodos: todos } });
  }
  if (step.ask !== undefined) {
    const options = (step.options ?? []).map((label) => ({ label, description: label }));
    const questions = [{ question: step.ask, header: 'Choice', options, multiSelect: false }];
    const answers = { [step.ask]: step.answer ?? '' };
    call('AskUserQuestion', { questions }, { text: `User has answered: ${step.answer}`, own: { questions, answers } });
  }
  if (step.plan !== undefined) writePlan(call, step);
}

type Result = { text: string; own?: object; isError?: boolean; isRejected?: boolean };
type Call = (tool: string, input: object, result: Result) => void;

const bashResult = (out: string, fails = false): Result =>
  fails
    ? { text: `Exit code 1\n${out}`, isError: true }
    : { text: out, own: { stdout: out, stderr: '', interrupted: false, isImage: false } };

function writeEdit(call: Call, file: string, before: string, after: string): void {
  const lines = [...before.split('\n').map((line) => `-${line}`), ...after.split('\n').map((line) => `+${line}`)];
  const patch = [{ oldStart: 10, oldLines: before.split('\n').length, newStart: 10, newLines: after.split('\n').length, lines }];
  call(
    'Edit',
    { file_path: file, old_string: before, new_string: after },
    {
      text: 'The file has been updated.',
      own: { filePath: file, oldString: before, newString: after, structuredPatch: patch },
    },
  );
}

function writePlan(call: Call, { plan = '', approved, feedback }: ScriptedStep): void {
  const said = feedback ? ` To tell you how to proceed, the user said:\n${feedback}` : '';
  if (approved) call('ExitPlanMode', { plan }, { text: `User has approved your plan.`, own: { plan } });
  else
    call(
      'ExitPlanMode',
      { plan },
      {
        text: `The user doesn't want to proceed with this tool use. The tool use was rejected.${said}`,
        isError: true,
        isRejected: true,
      },
    );
}

function callTool(writer: Writer, { tool, input, result, promptId }: { tool: string; input: object; result: Result; promptId: string }) {
  const id = `toolu_${writer.next().replaceAll('-', '')}`;
  writer.push('assistant', {
    id: `msg_${writer.next()}`,
    type: 'message',
    role: 'assistant',
    model: 'claude-opus-5-5',
    content: [{ type: 'tool_use', id, name: tool, input }],
    stop_reason: 'tool_use',
  });
  const block = {
    type: 'tool_result',
    tool_use_id: id,
    content: result.text,
    ...(result.isError && { is_error: true }),
  };
  writer.push(
    'user',
    { role: 'user', content: [block] },
    {
      promptId,
      toolUseResult: result.isRejected ? 'User rejected tool use' : (result.own ?? result.text),
    },
  );
}
