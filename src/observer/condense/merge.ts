// Events that tell the same thing become one: files read again, todo lists written again, reports that arrive twice.

import { cleanPrompt } from '../../core/clean-prompt.ts';
import type { SessionEvent, ToolEvent } from '../../core/event.ts';

/** `event` stands for itself and its repetitions; `shown` is what is told of it. */
export type Merged = { event: SessionEvent; shown: SessionEvent; times: number };

/** In order. What tells nothing is left out: starts, ends, empty messages. */
export function mergeEvents(events: SessionEvent[], earlier: ToolEvent[] = []): Merged[] {
  const plan = events.findLast((event) => isAction(event, 'plan'));
  const todos = events.findLast((event) => isAction(event, 'todos'));
  const task = events.findLast((event) => isAction(event, 'task'));
  const kept = events.filter((event) => {
    if (isAction(event, 'todos')) return event === todos;
    if (isAction(event, 'task')) return event === task;
    return tellsSomething(event) && !(plan && isPlanFile(event));
  });
  return mergeReads(withoutRepeatedReports(kept)).map((one) => {
    if (one.event === task) return { ...one, shown: foldTasks(task, [...earlier, ...events]) };
    return one.event === plan ? one : { ...one, shown: withoutOldPlan(one.shown) };
  });
}

/** Of a plan that was put again only what the user said to it. */
function withoutOldPlan(event: SessionEvent): SessionEvent {
  if (!isAction(event, 'plan')) return event;
  return { ...event, action: { type: 'plan', text: '(an earlier version of the plan that follows)' } };
}

type ActionType = ToolEvent['action']['type'];

const isAction = (event: SessionEvent, type: ActionType): event is ToolEvent =>
  event.kind === 'tool' && event.action?.type === type;

function tellsSomething(event: SessionEvent): boolean {
  switch (event.kind) {
    case 'start':
    case 'end':
      return false;
    case 'prompt':
      return cleanPrompt(event.text) !== '';
    case 'stop':
      return hasText(event.message);
    case 'subagent':
      return hasText(event.message);
    case 'compaction':
      return hasText(event.summary);
    default:
      return true;
  }
}

const hasText = (value: unknown) => typeof value === 'string' && value.trim() !== '';

/** The agent writes its plan into a file of its own; the plan itself is an event. */
function isPlanFile(event: SessionEvent): boolean {
  return (isAction(event, 'edit') || isAction(event, 'read')) && /\/\.claude\/plans\//.test(fileOf(event));
}

function fileOf(event: ToolEvent): string {
  return 'file' in event.action && typeof event.action.file === 'string' ? event.action.file : '';
}

/** A subagent's report comes as the result of its tool and as its own stop. */
function withoutRepeatedReports(events: SessionEvent[]): SessionEvent[] {
  const seen = new Set<string>();
  return events.filter((event) => {
    const report = reportOf(event);
    if (report === '') return true;
    const key = report.slice(0, 200);
    return !seen.has(key) && seen.add(key);
  });
}

function reportOf(event: SessionEvent): string {
  if (event.kind === 'subagent') return event.message.trim();
  if (event.kind !== 'tool' || event.action?.type !== 'agent') return '';
  return typeof event.action.result === 'string' ? event.action.result.trim() : '';
}

/** Told where it was read first, with the longest of what was seen. */
function mergeReads(events: SessionEvent[]): Merged[] {
  const reads = new Map<string, Merged>();
  return events.flatMap((event) => {
    const one: Merged = { event, shown: event, times: 1 };
    if (!isAction(event, 'read') || event.error !== null) return [one];
    const first = reads.get(fileOf(event));
    if (!first) {
      reads.set(fileOf(event), one);
      return [one];
    }
    first.times += 1;
    if (contentLength(event) > contentLength(first.shown)) first.shown = event;
    return [];
  });
}

function contentLength(event: SessionEvent): number {
  return event.kind === 'tool' && event.action.type === 'read' ? (event.action.content?.length ?? 0) : 0;
}

/** The task list as it stands after the last change of it. */
function foldTasks(last: SessionEvent, events: SessionEvent[]): SessionEvent {
  const tasks = new Map<string, { text: string; status: 'pending' | 'in_progress' | 'completed' | 'deleted' }>();
  for (const event of events) {
    if (event.kind !== 'tool' || event.action?.type !== 'task') continue;
    const { id, text, status } = event.action;
    const key = id ?? text ?? '';
    const known = tasks.get(key);
    tasks.set(key, { text: text ?? known?.text ?? `task ${key}`, status: status ?? known?.status ?? 'pending' });
  }
  const items = [...tasks.values()].filter(({ status }) => status !== 'deleted');
  return last.kind === 'tool' ? { ...last, action: { type: 'todos', items } } : last;
}
