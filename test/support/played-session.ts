// A session as a test tells it, played in one of two ways: by the real hook while its transcript grows, or as a transcript that is read afterwards.
import { appendFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createLines } from './claude-lines.ts';
import type { Sandbox } from './sandbox.ts';
import { toLines } from './transcript.ts';
import { until } from './until.ts';

export type Act =
  | { say: string }
  | { run: string; out?: string; fails?: boolean }
  | { edit: string; old: string; new: string }
  | { read: string; out: string }
  /** A tool by its name: a page, a foreign server, our own memory. */
  | { tool: string; input: Record<string, unknown>; out: string }
  /** Its words stand in a file of its own; only the report comes back. */
  | { agent: string; says: string; report: string }
  /** What the host writes in the place of a person; of some it also calls the hook of a prompt. */
  | { host: string; isSubmitted?: boolean; more?: object };

export type PlayedTurn = { prompt: string; acts: Act[]; closing: string };
export type PlayedSession = { id: string; cwd: string; turns: PlayedTurn[]; from: number };

type Hook = { command: string; payload: Record<string, unknown> };
/** Lines that the host writes, and then the hooks that it calls. */
type Beat = { lines: object[]; hooks: Hook[]; agentLines?: { id: string; lines: object[] } };

export async function playLive(sandbox: Sandbox, session: PlayedSession): Promise<void> {
  const path = pathOf(sandbox, session);
  for (const { lines, hooks, agentLines } of beatsOf(session)) {
    append(path, lines);
    if (agentLines) append(agentPath(path, agentLines.id), agentLines.lines);
    for (const { command, payload } of hooks) {
      const { code, stderr } = await sandbox.hook(command, { ...payload, transcript_path: path });
      if (code !== 0 || stderr !== '') throw new Error(`the hook ended with ${code}: ${stderr}`);
      // On a busy machine a hook gives up and spools; what comes next must not come before it.
      await until(() => !isSpooled(sandbox));
    }
  }
}

const isSpooled = ({ paths }: Sandbox) => existsSync(paths.spool) && readdirSync(paths.spool).some((name) => name.endsWith('.json'));

/** Only lays it down where its agent would have. */
export function layTranscript(sandbox: Sandbox, session: PlayedSession): void {
  const path = pathOf(sandbox, session);
  for (const { lines, agentLines } of beatsOf(session)) {
    append(path, lines);
    if (agentLines) append(agentPath(path, agentLines.id), agentLines.lines);
  }
}

const pathOf = ({ home }: Sandbox, { id, cwd }: PlayedSession) =>
  join(home, '.claude/projects', cwd.replace(/[^a-zA-Z0-9]/g, '-'), `${id}.jsonl`);
const agentPath = (path: string, id: string) => join(path.slice(0, -'.jsonl'.length), 'subagents', `agent-${id}.jsonl`);

function append(path: string, lines: object[]): void {
  mkdirSync(dirname(path), { recursive: true });
  appendFileSync(path, toLines(lines));
}

function beatsOf({ id, cwd, turns, from }: PlayedSession): Beat[] {
  const lines = createLines({ session: id, cwd, from });
  const agent = createLines({ session: id, cwd, from });
  let uses = 0;
  return turns.flatMap((turn, at) => {
    const promptId = `prompt-${id}-${at}`;
    const hook = (command: string, name: string, fields: object): Hook => ({
      command,
      payload: { session_id: id, cwd, hook_event_name: name, prompt_id: promptId, ...fields },
    });
    const act = (one: Act) => beatOf(one, { lines, agent, hook, promptId, cwd, useId: `toolu_${id}_${uses++}` });
    return [
      { lines: [lines.prompt(turn.prompt, promptId)], hooks: [hook('new', 'UserPromptSubmit', { prompt: turn.prompt })] },
      ...turn.acts.map(act),
      { lines: [lines.say(turn.closing)], hooks: [hook('summary', 'Stop', { last_assistant_message: turn.closing })] },
    ];
  });
}

type Writing = {
  lines: ReturnType<typeof createLines>;
  agent: ReturnType<typeof createLines>;
  hook: (command: string, name: string, fields: object) => Hook;
  promptId: string;
  cwd: string;
  useId: string;
};

function beatOf(act: Act, { lines, agent, hook, promptId, cwd, useId }: Writing): Beat {
  if ('say' in act) return { lines: [lines.say(act.say, 'tool_use')], hooks: [] };
  if ('host' in act)
    return {
      lines: [lines.prompt(act.host, promptId, act.more)],
      hooks: act.isSubmitted ? [hook('new', 'UserPromptSubmit', { prompt: act.host })] : [],
    };
  const { name, input, text, response } = callOf(act, cwd);
  const call = { tool_name: name, tool_input: input, tool_use_id: useId };
  const begun = lines.use(useId, name, input);
  if ('fails' in act && act.fails) {
    const error = `Exit code 1\n${text}`;
    return { lines: [begun, lines.failure(useId, error)], hooks: [hook('save', 'PostToolUseFailure', { ...call, error })] };
  }
  const done = hook('save', 'PostToolUse', { ...call, tool_response: response });
  if (!('agent' in act)) return { lines: [begun, lines.result(useId, text, response)], hooks: [done] };
  const whose = { agent_id: `agent${useId}`, agent_type: 'general-purpose' };
  const own = [agent.prompt('Go and look', promptId), agent.say(act.says, 'tool_use'), ...agent.bash(`${useId}_a`, 'ls', 'x')];
  return {
    lines: [begun, lines.result(useId, text, response)],
    agentLines: { id: whose.agent_id, lines: [...own, agent.say(act.report)] },
    hooks: [hook('save', 'SubagentStop', { ...whose, last_assistant_message: act.report }), done],
  };
}

type Call = { name: string; input: Record<string, unknown>; text: string; response: unknown };

function callOf(act: Exclude<Act, { say: string } | { host: string }>, cwd: string): Call {
  if ('run' in act) {
    const out = act.out ?? '';
    return { name: 'Bash', input: { command: act.run }, text: out, response: { stdout: out, stderr: '', interrupted: false } };
  }
  if ('edit' in act) {
    const file = join(cwd, act.edit);
    const patch = [{ oldStart: 4, oldLines: 1, newStart: 4, newLines: 1, lines: [`-${act.old}`, `+${act.new}`] }];
    const input = { file_path: file, old_string: act.old, new_string: act.new };
    return { name: 'Edit', input, text: 'Updated.', response: { filePath: file, structuredPatch: patch } };
  }
  if ('read' in act) {
    const file = { filePath: join(cwd, act.read), content: act.out };
    return { name: 'Read', input: { file_path: file.filePath }, text: act.out, response: { type: 'text', file } };
  }
  if ('agent' in act) {
    const response = { content: [{ type: 'text', text: act.report }] };
    return { name: 'Agent', input: { description: act.agent, prompt: 'Go and look' }, text: act.report, response };
  }
  return { name: act.tool, input: act.input, text: act.out, response: act.out };
}
