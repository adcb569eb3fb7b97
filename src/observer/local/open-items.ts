// What is still to be done: open todo and task items, and what the closing message leaves for later.
import type { TodoStatus } from '../../core/event.ts';
import { readTables } from './text/table.ts';
import { contentWords, overlap, sharedWords } from './text/tokens.ts';
import { agentLines, commitsOf, newSteps, type Step, type Turn } from './turn.ts';
import { describeRun } from './verification.ts';
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
  for (const item of [...openTodos(turn.steps), ...said, ...leftRed(turn, said), ...asked]) {
    const isDone = done.some((text) => isSameThing(item, text));
    const isRepeated = open.some((other) => overlap(item, other) >= 0.75);
    if (!isDone && !isRepeated) open.push(item);
  }
  return open.slice(0, KEPT);
}

/** A check that was red at the end of the work is to be made green, whether the agent says so or not. */
function leftRed(turn: Turn, said: string[]): string[] {
  const steps = newSteps(turn);
  const last = steps.findLast((step) => step.run?.kinds.some((kind) => kind !== 'program'));
  if (!last?.run?.failed || !steps.some((step) => step.edits.length > 0)) return [];
  const isTouched = steps.some(
    (step) => step.index > last.index && (step.edits.length > 0 || step.git.some(({ kind }) => kind === 'undo')),
  );
  const told = describeRun(last);
  const isOwnedUp = said.length > 0 && ADMITS_RED.test(turn.closing?.text ?? '');
  const isSaid = isOwnedUp || said.some((item) => SPEAKS_OF_RED.test(item) || sharedWords(item, told) >= 2);
  return isTouched || isSaid ? [] : [`Still red: ${told}`.slice(0, 280)];
}

const ADMITS_RED =
  /\b(?:not passing|\d+ of \d+|still (?:fail|red|broken)\w*|(?:is|are|remains?|stays?) red|fails?|failing)\b/i;
const SPEAKS_OF_RED = /\b(?:fail\w*|red|broken|flak\w+|pass(?:es|ing)?|green|crash\w*)\b/i;

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
  if (
    text.endsWith('?') ||
    /\bso (?:that )?(?:you|I|we) can\b.{0,40}\blater\b/i.test(text) ||
    /\b(?:ever|never|always)\b/i.test(text) ||
    !LATER.test(text) ||
    !PUT_OFF.test(text)
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
