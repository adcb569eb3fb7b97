// Scripts a session for tests: short words for the events an agent's hooks would send.

import type { Action, EventBody, SessionEvent, TodoStatus, ToolEvent } from '../../src/core/event.ts';
import type { Batch, Observed } from '../../src/core/observation.ts';
import { observeBatch } from '../../src/observe/observe.ts';

export const ROOT = '/home/dev/shop';

export const prompt = (text: string): EventBody => ({ kind: 'prompt', text });
export const stop = (message: string): EventBody => ({ kind: 'stop', message });
export const end = (): EventBody => ({ kind: 'end', reason: 'other' });
export const report = (agentType: string, message: string): EventBody => ({ kind: 'subagent', agentType, message });
export const compaction = (summary: string): EventBody => ({ kind: 'compaction', summary });

export function tool(name: string, action: Action, error: string | null = null): EventBody {
  return { kind: 'tool', tool: name, toolUseId: null, action, error, durationMs: null };
}

/** Lines with their sign: edit('src/a.ts', '-old', '+new'). */
export function edit(file: string, ...lines: string[]): EventBody {
  return tool('Edit', { type: 'edit', file: `${ROOT}/${file}`, created: false, hunks: [{ oldStart: 1, newStart: 1, lines }] });
}

export function create(file: string, ...lines: string[]): EventBody {
  const hunks = [{ oldStart: 1, newStart: 1, lines: lines.map((line) => `+${line}`) }];
  return tool('Write', { type: 'edit', file: `${ROOT}/${file}`, created: true, hunks });
}

export function run(command: string, stdout = ''): EventBody {
  return tool('Bash', { type: 'command', command, description: null, stdout, stderr: '', exitCode: 0, background: false });
}

export function fails(command: string, output: string, exitCode = 1): EventBody {
  const action: Action = { type: 'command', command, description: null, stdout: '', stderr: '', exitCode, background: false };
  return tool('Bash', action, `Exit code ${exitCode}\n${output}`);
}

export const read = (file: string): EventBody => tool('Read', { type: 'read', file: `${ROOT}/${file}`, content: '…' });
export const grep = (query: string): EventBody => tool('Grep', { type: 'search', query, path: null, files: [], matches: 3 });
export const web = (target: string): EventBody => tool('WebFetch', { type: 'web', target, text: '…' });
export const plan = (text: string, error: string | null = null): EventBody => tool('ExitPlanMode', { type: 'plan', text }, error);

export function todos(...items: [TodoStatus, string][]): EventBody {
  return tool('TodoWrite', { type: 'todos', items: items.map(([status, text]) => ({ status, text })) });
}

export function ask(question: string, answer: string, options: string[]): EventBody {
  return tool('AskUserQuestion', { type: 'question', answers: [{ question, answer, options }] });
}

/** The events of one turn, with ids e1, e2, … in order. */
export function events(...bodies: EventBody[]): SessionEvent[] {
  return bodies.map((body, at) => ({ ...body, id: `e${at + 1}`, session: 's1', cwd: ROOT, at: 1000 + at, promptId: null, agentId: null }));
}

export function batch(turn: EventBody[], earlier: EventBody[] = [], session: Partial<Batch['session']> = {}): Batch {
  const old = events(...earlier).map((event) => ({ ...event, id: `old-${event.id}`, at: event.at - 500 }));
  return {
    project: { name: 'shop', root: ROOT },
    session: { firstPrompt: null, title: null, ...session },
    events: events(...turn),
    earlier: old.filter((event): event is ToolEvent => event.kind === 'tool'),
  };
}

export function observe(turn: EventBody[], earlier: EventBody[] = []): Observed {
  return observeBatch(batch(turn, earlier));
}
