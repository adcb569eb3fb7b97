// The events of one turn → its record.
import type { Action, Hunk, SessionEvent, ToolEvent } from '../core/event.ts';
import type { Batch } from '../core/observation.ts';
import { oncePer } from '../core/once.ts';
import { netDiff } from './net-diff.ts';
import { tellOutput } from './output.ts';
import type { Step, TodoItem, TurnRecord } from './record.ts';

/** In the order they happened. `root`: files in it are named from there. */
export function buildRecord(events: SessionEvent[], root: string): TurnRecord {
  return buildWithSources(events, root).record;
}

/** `sources`: of each step, the id of the event that it tells of. */
type Built = { record: TurnRecord; sources: string[]; closingId: string | null };

/** What is observed together, and then recorded. */
export const buildBatch = oncePer(({ events, project }: Batch): Built => buildWithSources(events, project.root));

export function buildWithSources(events: SessionEvent[], root: string): Built {
  const edits = collectEdits(events);
  const todos = new Map<string, TodoItem>();
  const closing = events.findLast((event) => event.kind === 'stop') ?? null;
  const building = { root, edits, todos, closing };
  const told = fold(events.flatMap((event) => stepsOf(event, building).map((step) => ({ step, id: event.id }))));
  return {
    record: { steps: told.map(({ step }) => step), closing: textOf(closing?.message).trim() },
    sources: told.map(({ id }) => id),
    closingId: closing?.id ?? null,
  };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

type Building = {
  root: string;
  /** By file: every edit of it, and the event of the last. */
  edits: Map<string, { hunks: Hunk[][]; last: ToolEvent }>;
  /** Tasks that are told one at a time, as a list. */
  todos: Map<string, TodoItem>;
  /** The end. What was said at one after which the turn went on is said in between. */
  closing: SessionEvent | null;
};

function collectEdits(events: SessionEvent[]): Building['edits'] {
  const edits: Building['edits'] = new Map();
  for (const event of events) {
    if (event.kind !== 'tool' || event.action.type !== 'edit' || event.error !== null) continue;
    const { file, hunks } = event.action;
    edits.set(file, { hunks: [...(edits.get(file)?.hunks ?? []), hunks], last: event });
  }
  return edits;
}

function stepsOf(event: SessionEvent, building: Building): Step[] {
  if (event.kind === 'said') return saidStep(event.text);
  if (event.kind === 'stop') return [...(event === building.closing ? [] : saidStep(event.message)), ...interruption(event)];
  if (event.kind === 'subagent') return [{ kind: 'agent', task: event.agentType, report: textOf(event.message).trim() }];
  if (event.kind !== 'tool') return [];
  // What another agent looked at on its way is in its report; that it came from outside must be known.
  if (event.agentId !== null && !KEPT_OF_AGENTS.has(event.action.type)) return [];
  return event.isUndone ? refusedStep(event) : toolSteps(event, building);
}

function saidStep(words: unknown): Step[] {
  const text = textOf(words).trim();
  return text === '' ? [] : [{ kind: 'said', text }];
}

const interruption = ({ isInterrupted }: Extract<SessionEvent, { kind: 'stop' }>): Step[] =>
  isInterrupted ? [{ kind: 'interrupted' }] : [];

const KEPT_OF_AGENTS = new Set<Action['type']>(['edit', 'command', 'web', 'other']);

function refusedStep({ action, tool, error }: ToolEvent): Step[] {
  const feedback = /The user said: ([\s\S]+)/.exec(error ?? '')?.[1]?.trim() ?? '';
  if (action.type === 'plan') return [{ kind: 'planned', text: action.text, isApproved: false, feedback }];
  // It ran into the end of the session: nobody refused it.
  if (!error?.startsWith('It was not allowed')) return [];
  const what = action.type === 'command' ? action.command : action.type === 'edit' || action.type === 'read' ? action.file : '';
  return [{ kind: 'refused', tool, what, feedback }];
}

function toolSteps(event: ToolEvent, building: Building): Step[] {
  const { action, error } = event;
  switch (action.type) {
    case 'edit':
      return error === null ? [editStep(event, action, building)] : [];
    case 'command':
      return commandSteps(event, action);
    case 'read':
      return [{ kind: 'read', file: fromRoot(action.file, building.root), ...foreign(event) }];
    case 'search':
      return [{ kind: 'searched', query: action.query, ...foreign(event) }];
    case 'question':
      return action.answers.map(({ question, options, answer }) => ({ kind: 'asked', question, options, answer }));
    case 'plan':
      return error === null ? [{ kind: 'planned', text: action.text, isApproved: true, feedback: '' }] : [];
    case 'todos':
      return [{ kind: 'todo', items: action.items }];
    case 'task':
      return taskStep(action, building.todos);
    case 'web':
      return [{ kind: 'web', source: action.target }];
    case 'agent':
      return [{ kind: 'agent', task: action.description, report: action.result?.trim() ?? '' }];
    case 'other':
      return action.isOfHost ? [] : [{ kind: 'mcp', source: event.tool }];
    // What memory itself told is not recorded again.
    case 'memory':
      return [];
  }
}

function editStep(event: ToolEvent, { file, hunks, created }: Extract<Action, { type: 'edit' }>, { root, edits }: Building): Step {
  const all = edits.get(file);
  const count = (sign: string) => hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.startsWith(sign)).length, 0);
  const diff = all?.last === event ? netDiff(all.hunks) : '';
  return { kind: 'edited', file: fromRoot(file, root), isNew: created, added: count('+'), removed: count('-'), diff };
}

function commandSteps(event: ToolEvent, action: Extract<Action, { type: 'command' }>): Step[] {
  const isOk = action.background ? null : event.error === null;
  const printed = event.error ?? [action.stdout, action.stderr].filter(Boolean).join('\n');
  const ran: Step = { kind: 'ran', command: action.command.trim(), isOk, output: tellOutput(printed, isOk !== false), ...foreign(event) };
  return [ran, ...(isOk && /\bgit\b[^|;&\n]*\bcommit\b/.test(action.command) ? readCommits(printed) : [])];
}

const foreign = ({ isForeign }: ToolEvent) => (isForeign ? { isForeign } : {});

/** As git says it: `[main 4f1c2d9] Message`. */
const readCommits = (output: string): Step[] =>
  [...output.matchAll(/^\[[^\]\n]{1,200} ([0-9a-f]{7,40})\] (.+)$/gm)].map(([, hash = '', message = '']) => ({
    kind: 'committed',
    hash,
    message,
  }));

function taskStep({ id, text, status }: Extract<Action, { type: 'task' }>, todos: Building['todos']): Step[] {
  const key = id ?? text ?? '';
  const before = todos.get(key);
  if (!text && !before) return [];
  todos.set(key, { text: text ?? before?.text ?? '', status: status ?? before?.status ?? 'pending' });
  return [{ kind: 'todo', items: [...todos.values()] }];
}

const fromRoot = (file: string, root: string) => (root !== '' && file.startsWith(`${root}/`) ? file.slice(root.length + 1) : file);

type Told = { step: Step; id: string };

/** Looking around is told once for each file; of lists of steps the last of a row counts, of two reports of one agent the first. */
function fold(told: Told[]): Told[] {
  const folded: Told[] = [];
  const seen = new Set<string>();
  for (const one of told) {
    const { step } = one;
    const key = step.kind === 'read' ? `read ${step.file}` : step.kind === 'searched' ? `searched ${step.query}` : null;
    if (key !== null && seen.has(key)) continue;
    if (key !== null) seen.add(key);
    if (step.kind === 'todo' && folded.at(-1)?.step.kind === 'todo') folded.pop();
    const isTwin = ({ step: other }: Told) => step.kind === 'agent' && other.kind === 'agent' && other.report.includes(step.report);
    if (!folded.some(isTwin)) folded.push(one);
  }
  return folded;
}
