// What a session heard from outside, in this turn and before, and whether a sentence says it again.
import type { Batch } from '../core/batch.ts';
import type { Action, SessionEvent, ToolEvent } from '../core/event.ts';
import { readsLikeInstructions } from '../core/instruction-like.ts';
import { splitSentences } from '../core/sentences.ts';
import { soundAction } from '../core/sound-action.ts';
import { eventText } from './outside/event-text.ts';
import { isOutside, speakerOf } from './outside/speaker.ts';
import { createSupport } from './outside/support.ts';
import { createTakings } from './outside/takings.ts';
import { createStock, createWordReader, type ReadWords, type Word } from './outside/words.ts';

export type Hearing = {
  events: SessionEvent[];
  /** What happened before. */
  earlier?: SessionEvent[];
  /** Words of the user that stand in no event. */
  asked?: string[];
};

/** As the words of one batch are judged, by whoever asks. */
export const hearingOf = ({ events, earlier, session }: Batch): Hearing & { earlier: ToolEvent[] } => ({
  events,
  earlier,
  asked: session.firstPrompt === null ? [] : [session.firstPrompt],
});

/** Each of a sentence that stands nowhere else: not in what the user said, nor in what files and commands showed. */
export type SaidOutside = {
  /** It holds something to run, visit or set. */
  hasOrder: (sentence: string) => boolean;
  /** A row of its words was read there. */
  hasQuote: (sentence: string) => boolean;
  /** Most of its words stand there in one place. */
  isBorrowed: (sentence: string) => boolean;
  /** Most of the words of a whole text stand there, wherever, as far as it was heard in this turn. */
  isMadeOf: (text: string) => boolean;
  /** It would steer an agent, in words that are not of here. */
  isSteering: (sentence: string) => boolean;
  /**
   * What was asked and done here bears it out, as it has to for a model, or it names what only the work shows: in a turn that heard
   * something from outside, anything else may be that in other words. `isOfEdits`: it tells of files that were edited.
   */
  isBorneOut: (texts: string[], isOfEdits: boolean) => boolean;
};

/** Null where nothing came from outside. */
export function readSaidOutside(hearing: Hearing): SaidOutside | null {
  const known = lastRead.get(hearing.events);
  if (known && isSame(known.hearing, hearing)) return known.said;
  const all = [...(hearing.earlier ?? []), ...hearing.events];
  const said = all.some(isOutside) ? createSaidOutside(all, hearing) : null;
  lastRead.set(hearing.events, { hearing, said });
  return said;
}

/** The summary and all the observations of a turn are asked about one after the other. */
const lastRead = new WeakMap<SessionEvent[], { hearing: Hearing; said: SaidOutside | null }>();

const isSame = (one: Hearing, other: Hearing) =>
  one.earlier === other.earlier && one.asked?.join('\n') === other.asked?.join('\n');

function createSaidOutside(all: SessionEvent[], { events, asked = [] }: Hearing): SaidOutside {
  const readWords = createWordReader();
  const inside = [...asked, ...readTexts(all, insideText)];
  const outside = readTexts(all, outsideText);
  const standsHere = createStock(inside, readWords);
  const mostInOnePlace = indexPlaces(outside, readWords);
  const heardNow = readTexts(events, outsideText);
  const standsThereNow = createStock(heardNow, readWords);
  // `saved` says nothing that could be said again in other words.
  const hasHeardMuch = distinct(heardNow.join('\n'), readWords).length >= FEW;
  const isSupported = createSupport({ inside, outside, told: [], outsideNow: heardNow }, readWords);
  const [here, there] = [flatten(inside), flatten(outside)];
  const isOfWork = (name: string) => here.includes(name) && !there.includes(name);
  const standsHereNow = createStock(readTexts(events, insideText), readWords);
  return {
    ...createTakings({ inside, outside, told: [], outsideNow: [] }, readWords, false),
    isBorrowed: (sentence) => {
      const words = distinct(sentence, readWords);
      const foreign = words.filter((word) => !standsHere(word));
      // A few words are a turn of speech, unless all of them are read there.
      const isMost = (count: number) => (words.length < FEW ? count === words.length : count > words.length * MOST);
      return words.length >= FEWEST && isMost(foreign.length) && isMost(mostInOnePlace(foreign));
    },
    isMadeOf: (text) => {
      const words = distinct(text, readWords);
      const borrowed = words.filter((word) => standsThereNow(word) && !standsHereNow(word)).length;
      return words.length >= FEW && borrowed > words.length * MOST;
    },
    isBorneOut: (texts, isOfEdits) =>
      !hasHeardMuch || isSupported(texts, isOfEdits) || namesOf(texts.join('\n')).some(isOfWork),
    isSteering: (sentence) => {
      if (!readsLikeInstructions(sentence)) return false;
      const words = distinct(sentence, readWords);
      return words.filter(standsHere).length < words.length * OWN;
    },
  };
}

const flatten = (texts: string[]) => texts.join('\n').toLowerCase();

/** What only somebody who saw the code or its output can say: `confirm_after`, `src/pay.ts`, `readAll`, 1,605. */
const namesOf = (text: string): string[] =>
  (text.match(/\p{L}[\p{L}\p{N}]*(?:[_./][\p{L}\p{N}]+)+|\p{Ll}+\p{Lu}[\p{L}\p{N}]*|\d[\d.,]*\d/gu) ?? []).map((name) =>
    name.toLowerCase(),
  );

/** More of its words stand so than not. */
const MOST = 1 / 2;
const FEW = 4;
const FEWEST = 3;
/** The user, or the work itself, said nearly all of it. */
const OWN = 4 / 5;

const distinct = (text: string, readWords: ReadWords): Word[] => [
  ...new Map(readWords(text).map((word) => [word.whole, word])).values(),
];

/** How many of the words stand together, in a sentence and the one before it. */
function indexPlaces(texts: string[], readWords: ReadWords): (words: Word[]) => number {
  const placesOf = new Map<string, Set<number>>();
  let place = 0;
  const put = (word: string) => {
    const places = placesOf.get(word) ?? new Set<number>();
    // Each place is looked at with the one after it.
    placesOf.set(word, places.add(place).add(place + 1));
  };
  for (const sentence of texts.flatMap((text) => text.split('\n').flatMap(splitSentences))) {
    const words = readWords(sentence);
    for (let at = 0; at < words.length; at += LONGEST) {
      for (const { whole, parts } of words.slice(at, at + LONGEST)) for (const word of [whole, ...parts]) put(word);
      place++;
    }
    // What is said in different answers does not stand together, nor does a heading with what is before it.
    if (words.length === 0) place++;
  }
  return (words) => {
    const hits = new Map<number, number>();
    for (const { whole, parts } of words)
      for (const at of placesOf.get(whole) ?? commonPlaces(parts, placesOf)) hits.set(at, (hits.get(at) ?? 0) + 1);
    return Math.max(0, ...hits.values());
  };
}

/** What is longer is no sentence: data, or a page without any marks. In words. */
const LONGEST = 24;

function commonPlaces(parts: string[], placesOf: Map<string, Set<number>>): number[] {
  const [first, ...others] = parts.map((part) => placesOf.get(part) ?? new Set<number>());
  return [...(first ?? [])].filter((at) => others.every((places) => places.has(at)));
}

/** Tools can bring megabytes: so many characters of one text, and of all, the last first. */
const READ_OF_ONE = 30_000;
const READ_OF_ALL = 150_000;

function readTexts(events: SessionEvent[], read: (event: SessionEvent) => string): string[] {
  let left = READ_OF_ALL;
  return events
    .toReversed()
    .map((event) => {
      const text = left > 0 ? read(event).slice(0, Math.min(READ_OF_ONE, left)) : '';
      left -= text.length;
      return text;
    })
    .filter((text) => text !== '');
}

/** What was asked of a tool outside are the agent's own words, which may repeat an earlier page: they count for neither side. */
function outsideText(event: SessionEvent): string {
  if (event.kind !== 'tool' || !isOutside(event)) return '';
  const action = soundAction(event.action);
  return eventText({ ...event, action: { type: 'other', input: null, output: answerOf(action) } });
}

function answerOf(action: Action): unknown {
  if (action.type === 'web') return action.text;
  if (action.type === 'command') return [action.stdout, action.stderr];
  return action.type === 'other' ? action.output : action;
}

function insideText(event: SessionEvent): string {
  const speaker = speakerOf(event);
  const isHere = speaker === 'user' || speaker === 'file' || speaker === 'command';
  return isHere && !isOutside(event) ? eventText(event) : '';
}
