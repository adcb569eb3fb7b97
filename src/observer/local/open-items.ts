// What is still to be done: open todo and task items, and what the closing message leaves for later.
import type { TodoStatus } from '../../core/event.ts';
import { readTables } from './text/table.ts';
import { contentWords, overlap } from './text/tokens.ts';
import { agentLines, commitsOf, newSteps, type Step, type Turn } from './turn.ts';
import { doneLines } from './words/done.ts';
import { stripRequest } from './words/lead-in.ts';
import { findNextSteps } from './words/next-step.ts';
import { openRows } from './words/table-rows.ts';

const KEPT = 12;

export function openItems(turn: Turn): string[] {
  // A summary made in mid-turn tells of an earlier state than the closing message.
  const lines = agentLines(turn).filter((line) => line.by !== 'compaction' || !turn.closing);
  const said = [...findNextSteps(lines).map((step) => step.text), ...rowsLeft(turn)];
  const asked = turn.prompts.flatMap((prompt) => prompt.statements).flatMap((line) => laterIn(line.text));
  const done = [
    ...doneLines(lines).map((line) => line.text),
    ...commitsOf(newSteps(turn)).map(({ commit }) => commit.subject),
  ];
  const open: string[] = [];
  for (const item of [...openTodos(turn.steps), ...said, ...asked]) {
    const isDone = done.some((text) => isSameThing(item, text));
    const isRepeated = open.some((other) => overlap(item, other) >= 0.75);
    if (!isDone && !isRepeated) open.push(item);
  }
  return open.slice(0, KEPT);
}

function rowsLeft(turn: Turn): string[] {
  return turn.closing ? readTables(turn.closing.text).flatMap(openRows) : [];
}

/** A short item may hide in any long sentence: only texts of like length can be the same thing. */
function isSameThing(item: string, text: string): boolean {
  const [a, b] = [contentWords(item).size, contentWords(text).size];
  return overlap(item, text) >= 0.85 && a >= 2 && b <= a * 2.5;
}

const LATER =
  /\b(?:tomorrow|next (?:time|session|week|sprint)|later\b|afterwards|another (?:time|day)|not today|separate PR|follow-?up|on (?:mon|tues|wednes|thurs|fri)day|after the (?:release|deploy|demo)|morgen|später|nächste woche|mañana|más tarde|demain|plus tard)\b/i;

const PUT_OFF =
  /\b(?:we|i|you|let['’]?s|leave|do (?:it|that|this)|can wait|postpone|not today|park|skip|the rest|wir|machen|dejamos|dejemos|on (?:fait|verra))\b/i;

/** "Tomorrow we do the migration": work the user puts off. */
export function laterIn(text: string): string[] {
  if (text.endsWith('?') || !LATER.test(text) || !PUT_OFF.test(text)) return [];
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
