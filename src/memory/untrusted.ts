// Whose words a memory rests on. It is untrusted, and never added to a session by itself, when it rests on a page, an MCP tool or another
// untrusted source, or on what the agent said right after one, up to its next own command or edit. Behind that the agent may still repeat
// such a source: in a turn that has one or begins right after one, each sentence must be borne out by what was asked and done.

import type { Action, SessionEvent, ToolEvent } from '../core/event.ts';
import { readFetching } from '../core/fetch.ts';
import {
  type Batch,
  type Fact,
  INJECTED_TRUST,
  type ObservationDraft,
  type Observed,
  type Origin,
  type SummaryDraft,
  TRUST,
} from '../core/observation.ts';
import { keepSentences, splitSentences } from '../core/text.ts';
import { contentWords, wordsIn } from './content-words.ts';

export const judgeTrust = (observed: Observed, { events, earlier, session }: Batch): Observed =>
  judgeBy(observed, groundsOf({ events, earlier, asked: [session.firstPrompt ?? ''] }));

/** Each observation with its trust; work, summary and session without sentences that may repeat an untrusted source. */
export function judgeBy(observed: Observed, grounds: Grounds): Observed {
  const isBorneOut = grounds.known && createBearing(grounds.known);
  const observations = observed.observations.map((draft) => {
    const cleaned = isBorneOut ? cleanDraft(draft, grounds, isBorneOut) : draft;
    return { ...cleaned, trust: trustOf(cleaned, grounds, isBorneOut) };
  });
  if (!isBorneOut) return { ...observed, observations };
  const keep = (text: string | null) => text && keepSentences(text, isBorneOut);
  const { summary, title, subtitle } = observed;
  return { observations, summary: summary && cleanSummary(summary, keep), title: keep(title), subtitle: keep(subtitle) };
}

/** What observations may rest on: the events of a turn by their ids, or later the steps of its record by their numbers. */
export type Grounds = {
  /** Null for a source that brings no words, or that is not known. */
  readSource: (source: string) => { speaker: Origin; isUntrusted: boolean; isRightAfter: boolean } | null;
  /** The words that were asked, shown and done. Null where nothing came from an untrusted source, in this turn or right before it. */
  known: ReadonlySet<string> | null;
};

export type Heard = { events: SessionEvent[]; earlier?: SessionEvent[]; asked?: string[] };
type IsBorneOut = (text: string) => boolean;

export function groundsOf(heard: Heard): Grounds {
  const { events, earlier = [] } = heard;
  const all = [...earlier, ...events];
  const own = new Map(events.map((event) => [event.id, event]));
  return {
    readSource(source) {
      const event = own.get(source);
      const speaker = event ? speakerOf(event) : null;
      if (!event || !speaker) return null;
      return { speaker, isUntrusted: isUntrusted(event), isRightAfter: speaker === 'agent' && isRightAfter(all, all.indexOf(event)) };
    },
    known: listShownWords(heard),
  };
}

/** Trust of a note that an agent makes behind these events. */
export function trustOfNote(draft: ObservationDraft, events: SessionEvent[]): number {
  const prompts = events.flatMap((event) => (event.kind === 'prompt' ? [event.text] : []));
  // The user's words stay theirs.
  if (shareOf(textsOf(draft).join('\n'), wordsIn(prompts)) >= BORNE_OUT) return TRUST[draft.origin];
  if (isRightAfter(events, events.length)) return TRUST.web;
  const grounds = groundsOf({ events });
  return trustOf(draft, grounds, grounds.known && createBearing(grounds.known));
}

function trustOf(draft: ObservationDraft, { readSource }: Grounds, isBorneOut: IsBorneOut | null): number {
  const ids = new Set([...draft.sources, ...draft.facts.flatMap((fact) => fact.sources)]);
  const sources = [...ids].flatMap((id) => readSource(id) ?? []);
  const lowest = Math.min(TRUST[draft.origin], ...sources.map(({ speaker }) => TRUST[speaker]));
  if (lowest < INJECTED_TRUST) return lowest;
  const mayRepeat = !isWork(draft) && draft.origin !== 'user' && sources.some(({ isRightAfter: isSaidAfter }) => isSaidAfter);
  const texts = isWork(draft) ? [draft.title ?? ''] : textsOf(draft);
  const isShown = !isBorneOut || texts.flatMap((text) => text.split('\n').flatMap(splitSentences)).every(isBorneOut);
  return mayRepeat || !isShown ? TRUST.web : lowest;
}

/** Of an untrusted source and an own deed the source came last. */
function isRightAfter(events: SessionEvent[], at: number): boolean {
  const last = events.slice(0, at).findLast((event) => isUntrusted(event) || isOwnDeed(event));
  return last !== undefined && isUntrusted(last);
}

/** As the record of the turn tells it: what was refused, and an edit that failed, was not done. */
function isOwnDeed(event: SessionEvent): boolean {
  if (event.kind !== 'tool' || event.isUndone) return false;
  return event.action.type === 'edit' ? event.error === null : event.action.type === 'command' || event.action.type === 'question';
}

/** Files show that it was done, whatever anybody says of it. */
const isWork = ({ filesModified, type }: ObservationDraft) => filesModified.length > 0 && type !== 'decision' && type !== 'discovery';

const textsOf = ({ title, subtitle, narrative, facts }: ObservationDraft) =>
  [title, subtitle, narrative, ...facts.map(({ text }) => text)].filter((text) => text !== null);

/** So many of the words of a sentence stand in what the user asked and what was done here. */
const BORNE_OUT = 1 / 2;
/** Characters of one event, and of all, the last first: outputs can have megabytes. */
const READ_OF_ONE = 30_000;
const READ_OF_ALL = 150_000;

const createBearing =
  (known: ReadonlySet<string>): IsBorneOut =>
  (text) =>
    shareOf(text, known) >= BORNE_OUT;

/** The words that were asked, shown and done. Null where nothing came from an untrusted source, in this turn or right before it. */
export function listShownWords({ events, earlier = [], asked = [] }: Heard): Set<string> | null {
  if (!events.some(isUntrusted) && !isRightAfter(earlier, earlier.length)) return null;
  const texts = [...asked];
  for (let at = events.length - 1, left = READ_OF_ALL; at >= 0 && left > 0; at--) {
    const text = ownText(events[at] as SessionEvent).slice(0, Math.min(READ_OF_ONE, left));
    left -= text.length;
    texts.push(text);
  }
  return wordsIn(texts);
}

function shareOf(text: string, known: ReadonlySet<string>): number {
  const words = [...contentWords(text)];
  return words.length === 0 ? 1 : words.filter((word) => known.has(word)).length / words.length;
}

/** What was looked up is a deed of the agent, whatever was found. */
function ownText(event: SessionEvent): string {
  if (event.kind === 'tool' && event.isUndone) return event.error ?? '';
  if (isUntrusted(event)) return event.kind === 'tool' && event.action.type === 'web' ? event.action.target : '';
  return ['user', 'file', 'command'].includes(speakerOf(event) ?? '') ? eventText(event) : '';
}

/** Work, and what the user asked for, is true whatever the agent says beside it: of that only what is borne out. */
function cleanDraft(draft: ObservationDraft, grounds: Grounds, isBorneOut: IsBorneOut): ObservationDraft {
  if (!isWork(draft) && draft.origin !== 'user') return draft;
  const keep = (text: string | null) => text && keepSentences(text, isBorneOut);
  const shown = draft.facts.filter((fact) => isShownByWork(fact, grounds));
  const [isNamed, subtitle] = [draft.title !== null && isBorneOut(draft.title), keep(draft.subtitle)];
  return {
    ...draft,
    title: isNamed ? draft.title : (subtitle ?? shown[0]?.text ?? draft.title),
    subtitle: isNamed ? subtitle : null,
    narrative: keep(draft.narrative),
    facts: draft.facts.filter((fact) => shown.includes(fact) || keep(fact.text) === fact.text),
  };
}

function isShownByWork({ sources }: Fact, { readSource }: Grounds): boolean {
  const shown = sources.flatMap((source) => readSource(source) ?? []);
  return (
    shown.length > 0 && shown.every(({ isUntrusted: isTheirs, speaker }) => !isTheirs && (speaker === 'file' || speaker === 'command'))
  );
}

const cleanSummary = (summary: SummaryDraft, keep: (text: string | null) => string | null): SummaryDraft => ({
  ...summary,
  request: keep(summary.request),
  investigated: keep(summary.investigated),
  learned: keep(summary.learned),
  completed: keep(summary.completed),
  nextSteps: keep(summary.nextSteps),
  notes: keep(summary.notes),
});

/** Whose words an event brings; null for one that brings none. */
export function speakerOf(event: SessionEvent): Origin | null {
  if (event.kind === 'start' || event.kind === 'end') return null;
  if (event.kind === 'prompt') return 'user';
  if (event.kind !== 'tool') return 'agent';
  // Nothing came of it but what the user said instead.
  return event.isUndone ? 'user' : toolOrigin(event);
}

function toolOrigin({ tool, action }: ToolEvent): Origin {
  // Nobody knows where a tool that we do not know has its words from.
  if (action.type === 'other') return action.isOfHost ? 'command' : 'mcp';
  if (action.type !== 'memory' && /^mcp__|Mcp/.test(tool)) return 'mcp';
  if (action.type === 'command') return readFetching(action.command) === 'first' ? 'web' : 'command';
  return TOLD_BY[action.type];
}

const TOLD_BY: Record<Exclude<Action['type'], 'other' | 'command'>, Origin> = {
  ...{ web: 'web', question: 'user', edit: 'file', read: 'file', search: 'file' },
  ...{ plan: 'agent', todos: 'agent', task: 'agent', agent: 'agent', memory: 'agent' },
};

/** Also a command that fetches besides, and what was read in a repository that is somebody else's so far. */
const isUntrusted = (event: SessionEvent): boolean =>
  TRUST[speakerOf(event) ?? 'agent'] < INJECTED_TRUST || (event.kind === 'tool' && (event.isForeign === true || fetches(event)));

const fetches = ({ action }: ToolEvent) => action.type === 'command' && readFetching(action.command) !== null;

/** Host payloads are cut at this depth when they arrive. */
const DEEPEST = 64;

/** Every text that an event brought in, however deep it stands. */
export function eventText({ id: _id, session: _session, cwd: _cwd, at: _at, ...body }: SessionEvent): string {
  const texts: string[] = [];
  const collect = (value: unknown, depth: number): void => {
    if (typeof value === 'string') texts.push(value);
    if (typeof value === 'object' && value !== null && depth > 0) for (const inner of Object.values(value)) collect(inner, depth - 1);
  };
  collect(body, DEEPEST);
  return texts.join('\n');
}
