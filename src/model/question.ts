// What a model is asked about a turn: fixed instructions, and one bounded text. Stateless: it says all it needs.

import { cleanPrompt } from '../core/clean-prompt.ts';
import type { SessionEvent } from '../core/event.ts';
import type { Batch } from '../core/observation.ts';
import { encodeAttribute, encodeObserved } from '../core/plain-line.ts';
import { oneLine } from '../core/text.ts';
import { type CondensedEvent, condenseEvents, cutWords } from './condense.ts';
import type { Mode } from './instructions.ts';
import type { ListedDecision, ListedStep } from './turn.ts';

type QuestionInput = {
  batch: Batch;
  /** Titles of what earlier turns of this session left, oldest first. */
  recorded: string[];
  /** The user's prompts of earlier turns of the session, oldest first. */
  earlierPrompts: string[];
  /** The agent's closing message of the turn before: an answer like "the second one" needs it. */
  previousMessage: string | null;
  /** What the user said next; null while nobody knows. */
  next: string | null;
  decisions: ListedDecision[];
  steps: ListedStep[];
};

export type PromptOptions = {
  mode: Mode;
  verbosity: 'minimal' | 'normal' | 'verbose';
  /** By its English name; null leaves it to the mode, then to the user's prompts. */
  language: string | null;
};

export type Question = {
  text: string;
  /** Number n in the text is events[n-1]. */
  events: SessionEvent[];
  asksForSummary: boolean;
};

/** Some 10,000 tokens; and for a provider that found that too long. */
const MAX_QUESTION_CHARS = 40_000;
const FULL = { all: MAX_QUESTION_CHARS, goal: 800, prompts: 6, prompt: 240, previous: 1500, titles: 40, listed: 260 };
type Limits = typeof FULL;
const SHRUNK: Limits = { all: 12_000, goal: 300, prompts: 3, prompt: 120, previous: 500, titles: 12, listed: 120 };

/** The same input gives the same text. */
export function writeQuestion(input: QuestionInput, options: PromptOptions & { isShrunk: boolean }): Question {
  const limits = options.isShrunk ? SHRUNK : FULL;
  const before = [writeFrame(input, limits), writeListed(input, limits)].filter(Boolean).join('\n');
  const asksForSummary = input.batch.events.some(({ kind }) => kind === 'stop' || kind === 'end');
  const after = [writeNext(input, limits), request(input, options, asksForSummary)].filter(Boolean).join('\n');
  const all = condenseEvents(input.batch.events, input.batch.project.root);
  const shown = fitEvents(all, limits.all - before.length - after.length - AROUND);
  const missing = all.length - shown.length;
  const text = [
    before,
    missing > 0 ? `<other_events note="${missing} less telling events are not shown"/>` : '',
    '<events>',
    ...shown.map(({ condensed, text }, at) => writeEvent(condensed.event, text, at + 1)),
    '</events>',
    after,
  ];
  return {
    text: text.filter(Boolean).join('\n'),
    events: shown.map(({ condensed }) => condensed.event),
    asksForSummary,
  };
}

export function writeRepair(question: Question, unreadable: string): string {
  const quoted = encodeWithin((max) => oneLine(unreadable, max), 300);
  const began = quoted === '' ? '' : ` It began:\n<last_answer>\n${quoted}\n</last_answer>`;
  return `${question.text}

Your last answer could not be read, as it was not in the form asked for.${began}
Only XML in the form of the instructions counts, from the first character to the last.`;
}

const AROUND = 120;
const TAG = 90;
/** With less an event says nothing: the least telling ones are left out instead. */
const LEAST = 110;
/** All but what was spoken together; in a turn of many events more, as far as there is room. */
const ROOM = 12_000;
const ROOM_OF_ONE = 450;

type Written = { condensed: CondensedEvent; text: string };

function fitEvents(all: CondensedEvent[], room: number): Written[] {
  const kept = mostTelling(all, Math.floor(room / (LEAST + TAG)));
  const claims = kept.map(({ tell, maxChars, weight }) => ({ wanted: tell(maxChars).length * 1.1, weight }));
  const spoken = claims.reduce((sum, { wanted, weight }) => sum + (weight >= 10 ? wanted : 0), 0);
  const most = spoken + Math.max(ROOM, kept.length * ROOM_OF_ONE);
  const shares = shareRoom(claims, Math.min(room - kept.length * TAG, most));
  return kept.map((condensed, at) => ({ condensed, text: encodeWithin(condensed.tell, shares[at] ?? 0) }));
}

/** Of the same weight the later: what came last tells how it went. */
function mostTelling(all: CondensedEvent[], most: number): CondensedEvent[] {
  if (all.length <= most) return all;
  const order = all.map((one, at) => ({ one, at })).sort((a, b) => b.one.weight - a.one.weight || b.at - a.at);
  const kept = new Set(order.slice(0, most).map(({ one }) => one));
  return all.filter((one) => kept.has(one));
}

/** Who needs less than its share leaves the rest to the others. */
function shareRoom(claims: { wanted: number; weight: number }[], room: number): number[] {
  const order = claims.map((claim, at) => ({ ...claim, at })).sort((a, b) => a.wanted / a.weight - b.wanted / b.weight);
  const shares: number[] = [];
  let left = room - claims.length * LEAST;
  let weights = claims.reduce((sum, { weight }) => sum + weight, 0);
  for (const { wanted, weight, at } of order) {
    const more = Math.max(0, Math.min(wanted - LEAST, (left * weight) / weights));
    shares[at] = Math.floor(LEAST + more);
    left -= more;
    weights -= weight;
  }
  return shares;
}

const KINDS = {
  prompt: 'user prompt',
  said: 'what the agent said meanwhile',
  stop: 'closing message of the agent',
  subagent: 'report of a subagent',
  compaction: 'summary of the session so far',
  start: 'start',
  end: 'end',
  unknown: 'unknown',
};

function writeEvent(event: SessionEvent, text: string, number: number): string {
  const what = event.kind === 'tool' ? `tool="${encodeAttribute(oneLine(String(event.tool), 40))}"` : `kind="${KINDS[event.kind]}"`;
  const failed = event.kind === 'tool' && event.error !== null ? ' failed="yes"' : '';
  return `<event n="${number}" ${what}${failed}>\n${text}\n</event>`;
}

const element = (tag: string, text: string) => (text === '' ? '' : `<${tag}>\n${text}\n</${tag}>`);
const items = (texts: string[], maxChars: number) =>
  texts.map((text) => `- ${encodeWithin((max) => oneLine(text.replace(/^[-*] /, ''), max), maxChars)}`).join('\n');

function writeFrame(input: QuestionInput, limits: Limits): string {
  const { project, session } = input.batch;
  const title = session.title ? ` title="${encodeAttribute(oneLine(session.title, 120))}"` : '';
  return [
    `<session project="${encodeAttribute(oneLine(project.name, 80))}"${title}>`,
    element('goal', goalOf(input, limits)),
    element('earlier_prompts', earlierPrompts(input, limits)),
    element('agent_said_before', previousMessage(input, limits)),
    element('already_recorded', items(input.recorded.slice(-limits.titles), 110)),
    '</session>',
  ]
    .filter(Boolean)
    .join('\n');
}

/** What the session began with, unless it is one of the prompts that follow. */
function goalOf({ batch }: QuestionInput, limits: Limits): string {
  const first = cleanPrompt(batch.session.firstPrompt ?? '');
  const isShown = batch.events.some((event) => event.kind === 'prompt' && cleanPrompt(event.text) === first);
  return isShown ? '' : encodeWithin((max) => cutWords(first, max), limits.goal);
}

/** The last in more words when the batch has none of its own: it may be what the agent is still at. */
function earlierPrompts({ batch, earlierPrompts: all }: QuestionInput, limits: Limits): string {
  const first = batch.session.firstPrompt ?? '';
  const others = all.filter((text, at) => !(at === 0 && text === first)).map(cleanPrompt);
  const shown = others.filter((text) => text !== '').slice(-limits.prompts);
  const hasOwn = batch.events.some((event) => event.kind === 'prompt');
  return [items(shown.slice(0, -1), limits.prompt), items(shown.slice(-1), hasOwn ? limits.prompt : limits.goal)]
    .filter(Boolean)
    .join('\n');
}

/** A short prompt ("yes", "the second one") means nothing without what it answers; a long one explains itself. */
function previousMessage({ batch, previousMessage: message }: QuestionInput, limits: Limits): string {
  const prompt = batch.events.find((event) => event.kind === 'prompt');
  if (message === null || prompt?.kind !== 'prompt') return '';
  const isAnswer = cleanPrompt(prompt.text).length < 160;
  return encodeWithin((max) => cutWords(message, max), isAnswer ? limits.previous : Math.min(400, limits.previous));
}

function writeListed({ decisions, steps }: QuestionInput, { listed }: Limits): string {
  const line = (tag: string, id: number, text: string, more = '') =>
    `<${tag} id="${id}"${more}>${encodeWithin((max) => oneLine(text, max), listed)}</${tag}>`;
  return [
    element('current_decisions', decisions.map(({ id, text, by }) => line('decision', id, text, ` by="${by}"`)).join('\n')),
    element('open_steps', steps.map(({ id, text }) => line('step', id, text)).join('\n')),
  ]
    .filter(Boolean)
    .join('\n');
}

const writeNext = ({ next }: QuestionInput, { goal }: Limits) =>
  element('user_said_next', next === null ? '' : encodeWithin((max) => cutWords(cleanPrompt(next), max), goal));

function request({ decisions, steps }: QuestionInput, { language, mode }: PromptOptions, asksForSummary: boolean): string {
  const chosen = language || mode.language;
  const inLanguage = chosen ? ` Write in ${encodeAttribute(oneLine(chosen, 60))}.` : '';
  const wanted = asksForSummary
    ? 'The turn is over: write the observations, then the <summary> of the turn, then the <session>.'
    : 'The turn goes on: write the observations only, no <summary> and no <session>.';
  return [wanted, decisions.length > 0 ? REPLACED : '', steps.length > 0 ? CLOSED : '', `Answer in XML only.${inLanguage}`]
    .filter(Boolean)
    .join('\n');
}

const REPLACED = `Then, for each of <current_decisions> that this turn makes untrue, name it and quote the words of the events that
show it; if only a part of it changed, say part. Additions, details, exceptions, other places, ideas and refused proposals
replace nothing; in doubt leave it out:
<replaced><id>12</id><words>exactly as they stand there</words><part>whole</part></replaced>`;

const CLOSED = `Then, for each of <open_steps> that this turn carried out or the user dropped, the same:
<closed><id>3</id><words>exactly as they stand there</words></closed>`;

/** `write` keeps to the characters it is given; encoding makes that longer, so it is written again, shorter, until it fits. */
function encodeWithin(write: (maxChars: number) => string, maxChars: number): string {
  let room = maxChars;
  for (let tries = 0; tries < 4; tries++) {
    const encoded = encodeObserved(write(room));
    if (encoded.length <= maxChars) return encoded;
    room = Math.floor(((room * maxChars) / encoded.length) * 0.95);
  }
  return encodeObserved(write(Math.floor(maxChars / 5)).slice(0, Math.floor(maxChars / 5)));
}
