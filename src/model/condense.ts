// The record of a turn within the room of a question: words, net hunks, lines that tell; of what was read its outline.
import { cleanPrompt } from '../core/clean-prompt.ts';
import type { SessionEvent } from '../core/event.ts';
import { oneLine } from '../core/text.ts';
import { buildWithSources } from '../turns/build.ts';
import { tellingLines } from '../turns/output.ts';
import type { Step } from '../turns/record.ts';

/** What one event left in the record. */
export type CondensedEvent = {
  event: SessionEvent;
  /** How telling it is, for whoever has to leave something out. */
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

type Rest = string | Told['rest'];
const told = (weight: number, head: string, rest: Rest = ''): Told => ({
  weight,
  head,
  rest: typeof rest === 'string' ? (max) => cutWords(rest, max) : rest,
});
const withAnswer = (text: string, answer: string) => (answer === '' ? text : `${text}\nthe user: ${answer}`);

function tellStep(step: Step, event: SessionEvent, root: string): Told {
  switch (step.kind) {
    case 'said':
      return told(4, 'said:', step.text);
    case 'ran':
      return tellRun(step, root);
    case 'edited': {
      const head = `${step.isNew ? 'wrote' : 'edited'} ${step.file} +${step.added} -${step.removed}`;
      return told(step.diff === '' ? 1 : 3, head, (max) => cutLines(step.diff, max));
    }
    case 'read':
      return told(1, `read ${step.file}`, (max) => outlineOf(event, Math.min(max, MOST_OF_READ)));
    case 'searched':
      return told(1, `searched for ${oneLine(step.query, 200)}`, (max) => foundBy(event, root, max));
    case 'asked':
      return told(10, 'asked the user:', withAnswer([step.question, ...step.options].join('\n- '), step.answer));
    case 'planned':
      return told(6, `plan, ${step.isApproved ? 'approved' : 'refused'}:`, withAnswer(step.text, step.feedback));
    case 'refused':
      return told(6, `the user did not allow ${step.tool}`, withAnswer(step.what, step.feedback));
    case 'todo':
      return told(2, 'to do:', step.items.map(({ text, status }) => `[${status}] ${text}`).join('\n'));
    case 'committed':
      return told(6, `committed ${step.hash}: ${step.message}`);
    case 'web':
      return told(1, `read the page ${step.source}`);
    case 'mcp':
      return told(1, `used the tool ${step.source}`);
    case 'agent':
      return told(4, `subagent for ${oneLine(step.task, 200)} reported:`, step.report);
  }
}

function tellRun({ command, isOk, output }: Extract<Step, { kind: 'ran' }>, root: string): Told {
  const ended = isOk === null ? ' (in the background)' : isOk ? '' : ' (failed)';
  const isShort = command.length <= 300 && !command.includes('\n');
  const head = `$ ${withoutRoot(isShort ? command : oneLine(command, 80), root)}${ended}`;
  const printed = withoutRoot(output, root);
  return told(isOk === false ? 4 : 2.5, head, (max) => {
    if (isShort) return cutLines(printed, max);
    const script = cutWords(command, Math.floor(max / (printed === '' ? 1 : 2)));
    return [script, cutLines(printed, max - script.length - 1)].filter(Boolean).join('\n');
  });
}

const withoutRoot = (text: string, root: string) => (root.length > 1 ? text.replaceAll(`${root}/`, '') : text);

/** That it was read matters, and what it holds; what stands in it can be read again. */
function outlineOf(event: SessionEvent, maxChars: number): string {
  if (event.kind !== 'tool' || event.action.type !== 'read' || typeof event.action.content !== 'string') return '';
  const lines = event.action.content.split('\n', 5000);
  const heads = lines.flatMap((line, at) => (opensAt(lines, at) ? [line.replace(/[({:=;].*$/, '').trim()] : []));
  return oneLine(heads.filter((head) => head.length > 2).join(' · '), maxChars);
}

function foundBy(event: SessionEvent, root: string, maxChars: number): string {
  if (event.kind !== 'tool' || event.action.type !== 'search' || !Array.isArray(event.action.files)) return '';
  return oneLine(withoutRoot(event.action.files.slice(0, 30).join(', '), root), Math.min(maxChars, MOST_OF_READ));
}

/** Hunks and output: what opens a block, then what is said once. */
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

/** Beginning and end. */
export function cutWords(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  if (maxChars < 40) return oneLine(text, Math.max(0, maxChars));
  const head = Math.floor((maxChars - 3) * 0.6);
  return `${text.slice(0, head).toWellFormed()}\n…\n${text.slice(text.length - (maxChars - 3 - head)).toWellFormed()}`;
}
