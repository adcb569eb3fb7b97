// The steps that plan, ask, delegate and look things up.
import { agentTranscript, dedent, makeHex, type Step, send } from './day.ts';
import { use } from './steps.ts';

type TodoStatus = 'pending' | 'in_progress' | 'completed';

/** The whole list, as TodoWrite sends it each time. */
export const todo =
  (...items: [TodoStatus, string][]): Step =>
  (scene) => {
    const todos = items.map(([status, content]) => ({ content, status, activeForm: `Working on: ${content}` }));
    const oldTodos = scene.todos;
    scene.todos = todos;
    return use(scene, 'TodoWrite', { todos }, { oldTodos, newTodos: todos });
  };

export const taskCreate =
  (subject: string, description: string = subject): Step =>
  (scene) => {
    const id = String(scene.tasks.length + 1);
    scene.tasks.push({ id, status: 'pending' });
    return use(scene, 'TaskCreate', { subject, description }, { task: { id, subject, description } });
  };

export const taskUpdate =
  (taskId: string, status: TodoStatus): Step =>
  (scene) => {
    const task = scene.tasks.find((one) => one.id === taskId);
    const from = task?.status ?? 'pending';
    if (task) task.status = status;
    const response = { success: true, taskId, updatedFields: ['status'], statusChange: { from, to: status } };
    return use(scene, 'TaskUpdate', { taskId, status }, response);
  };

type Option = { label: string; description: string };

export const ask =
  (question: string, options: Option[], answer: string): Step =>
  (scene) => {
    const questions = [{ question, header: question.split(' ').slice(0, 2).join(' '), options, multiSelect: false }];
    const answers = { [question]: answer };
    return use(scene, 'AskUserQuestion', { questions, answers }, { questions, answers });
  };

/** A plan the user approved. */
export const plan =
  (text: string): Step =>
  (scene) => {
    const body = dedent(text);
    const filePath = `/home/dev/.claude/plans/${makeHex(scene, 8)}.md`;
    return use(scene, 'ExitPlanMode', { plan: body }, { plan: body, isAgent: false, filePath });
  };

export const webSearch =
  (query: string, pages: [title: string, url: string][], text: string): Step =>
  (scene) => {
    const content = pages.map(([title, url]) => ({ title, url }));
    const results = [{ tool_use_id: `srvtoolu_${makeHex(scene, 24)}`, content }, dedent(text)];
    return use(scene, 'WebSearch', { query }, { query, results, durationSeconds: 6.2 });
  };

export const webFetch =
  (url: string, question: string, result: string): Step =>
  (scene) => {
    const text = dedent(result);
    const response = { bytes: 48_211, code: 200, codeText: 'OK', result: text, durationMs: 2140, url };
    return use(scene, 'WebFetch', { url, prompt: question }, response);
  };

type Errand = { description: string; prompt: string; report: string; type?: string; steps?: Step[] };

/** Agents run in the background: launched, its own tool calls, then its report. */
export const subagent =
  ({ description, prompt, report, type = 'general-purpose', steps = [] }: Errand): Step =>
  (scene) => {
    const id = `a${makeHex(scene, 16)}`;
    const launched = use(scene, 'Agent', { description, prompt, subagent_type: type }, launch(id, description, prompt));
    scene.agent = { id, type };
    const work = steps.flatMap((step) => step(scene));
    scene.agent = null;
    const head = { permission_mode: 'default', agent_id: id, agent_type: type, effort: { level: 'medium' } };
    const task = { id, type: 'subagent', status: 'running', description, agent_type: type };
    const own = {
      stop_hook_active: false,
      agent_transcript_path: agentTranscript(scene, id),
      last_assistant_message: dedent(report),
      background_tasks: [task],
      session_crons: [],
    };
    return [...launched, ...work, send(scene, 'SubagentStop', own, head)];
  };

function launch(agentId: string, description: string, prompt: string) {
  const outputFile = `/tmp/claude-0/tasks/${agentId}.output`;
  const model = { resolvedModel: 'claude-opus-5-5', prompt, outputFile };
  return {
    isAsync: true,
    status: 'async_launched',
    agentId,
    description,
    ...model,
    canReadOutputFile: true,
    canContinueAgent: true,
  };
}
