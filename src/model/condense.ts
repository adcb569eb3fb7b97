// The record of a turn within the room of a question: words, net hunks, lines that tell; of what was read its outline.
import { cleanPrompt } from '../core/clean-prompt.ts';
import type { SessionEvent } from '../core/event.ts';
import { oneLine } from '../core/text.ts';
import { buildWithSources } from '../turns/build.ts';
import { tellingLines } from '../turns/output.ts';
import { type Step, writeStep } from '../turns/record.ts';

export type CondensedEvent = {
  event: SessionEvent;
  weight: number;
  /** More than this is never worth it. */
  maxChars: number;
  /** Plain text, not encoded, of at most so many characters. */
  tell: (maxChars: number) => string;
};

/** In the order they happened; what left nothing in the record is not among them. */
export function condenseEvents(events: SessionEvent[], root: string): CondensedEvent[] {
  const { record, sources } = buildWithSources(events, root);
  const steps = Map.groupBy([...record.steps.entries()], ([at]) => sources[at]);
  return events.flatMap((event): CondensedEvent[] => {
    const spoken = spokenIn(event);
    if (spoken !== null) return spoken === '' ? [] : [{ event, ...SPOKEN, tell: (max) => cutWords(spoken, max) }];
    const own = (steps.get(event.id) ?? []).map(([, step]) => tellStep(step, event, root));
    if (own.length === 0) return [];
    const weight = Math.max(...own.map((one) => one.weight));
    return [{ event, weight, maxChars: MOST_OF_STEP, tell: (max) => tellAll(own, max) }];
  });
}

/** The user's words and the agent's last ones are the last to be cut. */
const SPOKEN = { weight: 10, maxChars: 4000 };
const MOST_OF_STEP = 3000;

function spokenIn(event: SessionEvent): string | null {
  const text = (value: unknown) => (typeof value === 'string' ? value.trim() : '');
  if (event.kind === 'prompt') return cleanPrompt(text(event.text));
  if (event.kind === 'stop') return text(event.message);
  return event.kind === 'compaction' ? text(event.summary) : null;
}

/** `head`: what was done, on one line. `rest`: what came of it, in so many characters. */
type Told = { weight: number; head: string; rest: (maxChars: number) => string };

function tellAll(steps: Told[], maxChars: number): string {
  const share = Math.floor(maxChars / steps.length) - 1;
  return steps.map((step) => tellOne(step, share)).join('\n');
}

function tellOne({ head, rest }: Told, maxChars: number): string {
  const room = maxChars - head.length - 1;
  const more = room < LEAST_REST ? '' : rest(room);
  return more === '' ? oneLine(head, Math.max(0, maxChars)) : `${head}\n${more}`;
}

const LEAST_REST = 30;
const MOST_OF_READ = 700;
const MOST_OF_HEAD = 300;

const WEIGHT: Record<Step['kind'], number> = {
  asked: 10,
  planned: 6,
  refused: 6,
  interrupted: 6,
  committed: 6,
  said: 4,
  agent: 4,
  edited: 3,
  ran: 2.5,
  todo: 2,
  read: 1,
  searched: 1,
  web: 1,
  mcp: 1,
};

/** As the record has it: what was done in a line, then its words, and of output and hunks the lines that tell. */
function tellStep(step: Step, event: SessionEvent, root: string): Told {
  const { title, body, detail } = writeStep(step);
  const [words, lines] = [withoutRoot(body, root), withoutRoot(detail, root)];
  const isShort = words.length <= MOST_OF_HEAD && !words.includes('\n');
  const head = [step.kind, oneLine(title, MOST_OF_HEAD), isShort ? words : ''].filter(Boolean).join(' ');
  const isFailed = step.kind === 'ran' && step.isOk === false;
  const weight = isFailed ? 4 : step.kind === 'edited' && step.diff === '' ? 1 : WEIGHT[step.kind];
  if (step.kind === 'read' || step.kind === 'searched')
    return { weight, head, rest: (max) => oneLine(withoutRoot(seenBy(event), root), Math.min(max, MOST_OF_READ)) };
  const rest = (max: number) => {
    if (isShort) return cutLines(lines, max);
    const said = cutWords(words, lines === '' ? max : Math.floor(max / 2));
    return [said, cutLines(lines, max - said.length - 1)].filter(Boolean).join('\n');
  };
  return { weight, head, rest };
}

const withoutRoot = (text: string, root: string) => (root.length > 1 ? text.replaceAll(`${root}/`, '') : text);

/** That it was read matters, and what it holds; what stands in it can be read again. */
function seenBy(event: SessionEvent): string {
  if (event.kind !== 'tool') return '';
  const { action } = event;
  if (action.type === 'search') return action.files.slice(0, 30).join(', ');
  if (action.type !== 'read') return '';
  const lines = action.content.split('\n', 5000);
  const heads = lines.flatMap((line, at) => (opensAt(lines, at) ? [line.replace(/[({:=;].*$/, '').trim()] : []));
  return heads.filter((head) => head.length > 2).join(' · ');
}

function cutLines(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const lines = text.split('\n');
  const bare = lines.map((line) => line.replace(/^[-+]/, ''));
  return tellingLines(lines, maxChars, (_, at) => (opensAt(bare, at) ? 2 : 0));
}

/** A heading, or a line at the margin with a deeper or a closing one below: so every language begins a function, a class, a section. */
function opensAt(lines: string[], at: number): boolean {
  const line = lines[at] ?? '';
  return /^#{1,6} \S/.test(line) || (/^[^\s})\]]/.test(line) && /^(?:\s+\S|[})\]])/.test(lines[at + 1] ?? ''));
}

export function cutWords(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  if (maxChars < 40) return oneLine(text, Math.max(0, maxChars));
  const head = Math.floor((maxChars - 3) * 0.6);
  return `${text.slice(0, head).toWellFormed()}\n…\n${text.slice(text.length - (maxChars - 3 - head)).toWellFormed()}`;
}
