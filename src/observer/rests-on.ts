// How far an observation may be believed: as far as the least trusted of what it was made of.
import type { Action, SessionEvent } from '../core/event.ts';
import { readsLikeInstructions } from '../core/instruction-like.ts';
import type { ObservationDraft } from '../core/observation.ts';
import { INJECTED_TRUST, TRUST } from '../core/trust.ts';
import { soundAction } from './local/sound-action.ts';
import { eventText } from './model/believe/event-text.ts';
import { isOutside, speakerOf } from './model/believe/speaker.ts';
import { createStock, createWordReader, type ReadWords, type Word } from './model/believe/words.ts';

export function trustOf(draft: ObservationDraft, events: SessionEvent[]): number {
  const sources = new Set([...draft.sources, ...draft.facts.flatMap((fact) => fact.sources)]);
  const speakers = events.filter(({ id }) => sources.has(id)).flatMap((event) => speakerOf(event) ?? []);
  const lowest = Math.min(TRUST[draft.origin], ...speakers.map((speaker) => TRUST[speaker]));
  // Whatever the agent says of what it read outside is still what was read there.
  const isTold = draft.origin === 'agent' || speakers.includes('agent');
  if (lowest < INJECTED_TRUST || !isTold || !events.some(isOutside)) return lowest;
  return repeatsOutside(draft, events) ? TRUST.web : lowest;
}

/** Of all its words, and of a piece that would steer an agent: more stand so than not. */
const MOST = 1 / 2;
/** Fewer words are a turn of speech. */
const FEW = 4;

/** Its words largely stand in what came from outside, and neither in what the user said nor in what files and commands showed. */
function repeatsOutside({ title, subtitle, narrative, facts }: ObservationDraft, events: SessionEvent[]): boolean {
  const readWords = createWordReader();
  const standsHere = createStock(readTexts(events, insideText), readWords);
  const standsThere = createStock(readTexts(events, outsideText), readWords);
  const isBorrowed = (text: string) => {
    const words = distinct(text, readWords);
    const borrowed = words.filter((word) => standsThere(word) && !standsHere(word)).length;
    return words.length >= FEW && borrowed > words.length * MOST;
  };
  const pieces = [title, subtitle, narrative, ...facts.map(({ text }) => text)].filter((text) => text !== null);
  return isBorrowed(pieces.join('\n')) || pieces.some((piece) => readsLikeInstructions(piece) && isBorrowed(piece));
}

const distinct = (text: string, readWords: ReadWords): Word[] => [
  ...new Map(readWords(text).map((word) => [word.whole, word])).values(),
];

/** Tools can bring megabytes: so many characters of one text, and of all. */
const READ_OF_ONE = 30_000;
const READ_OF_ALL = 150_000;

function readTexts(events: SessionEvent[], read: (event: SessionEvent) => string): string[] {
  let left = READ_OF_ALL;
  return events.map((event) => {
    const text = read(event).slice(0, Math.min(READ_OF_ONE, left));
    left -= text.length;
    return text;
  });
}

/** What was asked of a tool outside are the agent's own words, which may repeat an earlier page: they count for neither side. */
function outsideText(event: SessionEvent): string {
  if (event.kind !== 'tool' || !isOutside(event)) return '';
  const action = soundAction(event.action);
  return eventText({ ...event, action: { type: 'other', input: null, output: answerOf(action) } });
}

function answerOf(action: Action): unknown {
  if (action.type === 'web') return action.text;
  return action.type === 'other' ? action.output : action;
}

function insideText(event: SessionEvent): string {
  const speaker = speakerOf(event);
  const isHere = speaker === 'user' || speaker === 'file' || speaker === 'command';
  return isHere ? eventText(event) : '';
}
