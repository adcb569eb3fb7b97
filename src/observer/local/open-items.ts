// What is still to be done: open todo and task items, and what the closing message leaves for later.
import type { TodoStatus } from '../../core/event.ts';
import { overlap } from './text/tokens.ts';
import { agentLines, commitsOf, newSteps, type Step, type Turn } from './turn.ts';
import { doneLines } from './words/done.ts';
import { stripRequest } from './words/lead-in.ts';
import { findNextSteps } from './words/next-step.ts';

const KEPT = 12;

export function openItems(turn: Turn): string[] {
  const lines = agentLines(turn);
  const said = findNextSteps(lines).map((step) => step.text);
  const asked = turn.prompts.flatMap((prompt) => prompt.statements).flatMap((line) => laterIn(line.text));
  const done = [
    ...doneLines(lines).map((line) => line.text),
    ...commitsOf(newSteps(turn)).map(({ commit }) => commit.subject),
  ];
  const open: string[] = [];
  for (const item of [...openTodos(turn.steps), ...said, ...asked]) {
    const isDone = done.some((text) => overlap(item, text) >= 0.85);
    const isRepeated = open.some((other) => overlap(item, other) >= 0.75);
    if (!isDone && !isRepeated) open.push(item);
  }
  return open.slice(0, KEPT);
}

/** "Tomorrow we do the migration": work the user puts off. */
function laterIn(text: string): string[] {
  if (
    text.endsWith('?') ||
    !/\b(?:tomorrow|next (?:time|session|week)|later (?:we|on)|we(?:['’]ll| will) (?:do|handle|tackle|fix|add) .{2,80} later|another time)\b/i.test(
      text,
    )
  )
    return [];
  return [stripRequest(text).replace(/[.!]$/, '')];
}

/** The last list as it stands; tasks are followed by id, with their text from where they were created. */
export function openTodos(steps: Step[]): string[] {
  let list: { text: string; status: TodoStatus }[] = [];
  const tasks = new Map<string, { text: string; status: TodoStatus }>();
  for (const { id, event } of steps) {
    if (event.error !== null) continue;
    if (event.action.type === 'todos') list = event.action.items;
    if (event.action.type !== 'task') continue;
    const key = event.action.id ?? id;
    const known = tasks.get(key);
    tasks.set(key, {
      text: event.action.text ?? known?.text ?? '',
      status: event.action.status ?? known?.status ?? 'pending',
    });
  }
  return [...list, ...tasks.values()]
    .filter((item) => item.text && (item.status === 'pending' || item.status === 'in_progress'))
    .map((item) => item.text);
}
