// The words of a turn that answer a question best: what is shown under a row of search.
import { camelPieces, cjkPairs, composeText, hasCjk, withoutCjk } from '../core/words.ts';
import type { TurnRecord } from '../turns/record.ts';
import type { KnownWords } from './known-words.ts';
import { cut, listPieces, type Piece } from './pieces.ts';
import { readQuery, stemWord } from './query-words.ts';
import { isStopWord } from './stop-words.ts';

export type Passage = { text: string; isUntrusted: boolean };

/** A question, made ready to be compared with many pieces. */
export type Wanted = { terms: { stem: string; isCjk: boolean; weight: number }[]; total: number };

export function readWanted(query: string, known: Pick<KnownWords, 'weight'>): Wanted {
  const terms = readQuery(query).flatMap(({ stem, text }) => {
    const isCjk = hasCjk(text);
    return stem === null ? [] : { stem: isCjk ? text.toLowerCase() : stem, isCjk, weight: known.weight(stem) };
  });
  return { terms, total: terms.reduce((sum, { weight }) => sum + weight, 0) || 1 };
}

/** docs/retrieval.md: how these were found. Of what the two pieces before say, and the one after: an answer follows its question. */
const BEFORE = [0.5, 0.25];
const AFTER = 0.3;
/** Later before earlier: a guess may have been refuted meanwhile. */
const LATER = 0.1;
const FROM_OUTSIDE = 0.4;
/** Of two that say as much the shorter: so much of its length counts. */
const BREVITY = 0.4;
const SHORT = 40;
/** What says less than this share of what the best says is left out. */
const WORTH = 0.2;
/** What has no more than this share of new words repeats the title, or another piece. */
const NEW = 0.2;
/** What only stands beside a find must tell so many words: a heading and `Done.` tell nothing. */
const TELLING = 3;
/** Where no piece has a word of the question, so much of the end says what it came to. */
const END = 100;
/** Less room than this is left empty. */
const SMALLEST = 30;

export type Shown = {
  prompt: string;
  /** Shown anyway. */
  title: string;
  /** So many characters at most. */
  room: number;
};

/** The pieces that say most of what is asked, or stand beside those that do, in the order it happened. Null when there is nothing to show. */
export function findPassage(record: TurnRecord, wanted: Wanted, { prompt, title, room }: Shown): Passage | null {
  const pieces = listPieces(record, prompt).map((piece, place) => {
    const words = wordsOf(`${piece.head} ${piece.text}`);
    return { ...piece, place, words, found: coverage(words, piece.text, wanted) };
  });
  const foundAt = (place: number) => pieces[place]?.found ?? 0;
  const last = Math.max(1, record.steps.length);
  const ranked = pieces.map((piece) => {
    const before = BEFORE.map((share, at) => share * foundAt(piece.place - 1 - at));
    const evidence = piece.found + Math.max(...before, AFTER * foundAt(piece.place + 1));
    const bonus = (LATER * Math.max(0, piece.at)) / last - (piece.isUntrusted ? FROM_OUTSIDE : 0);
    return { ...piece, evidence, score: Math.max(0, evidence + bonus) };
  });
  const telling = ranked.filter(
    ({ evidence, found, words, at, text }) =>
      evidence > 0 && (found > 0 || countTelling(words) >= TELLING) && (at >= 0 || saysMore(text, wanted)),
  );
  const isTold = telling.length > 0;
  const among = isTold ? telling : ranked.filter(({ at }) => at >= 0);
  const chosen = choose(among, wordsOf(isCut(title) ? '' : title), isTold ? room : Math.min(END, room));
  if (chosen.length === 0) return null;
  return { text: join(chosen), isUntrusted: chosen.some(({ isUntrusted }) => isUntrusted) };
}

/** What a title was cut off from is not shown by it. */
const isCut = (title: string) => title.endsWith('…') || title.length > TITLE_SHOWN;
const TITLE_SHOWN = 90;

/** The question is not its own answer. */
const saysMore = (text: string, { terms }: Wanted) =>
  readQuery(text).some(({ stem }) => stem !== null && !terms.some((term) => term.stem === stem));

const countTelling = (words: Set<string>) => [...words].filter((word) => !isStopWord(word)).length;

type Ranked = Piece & { place: number; words: Set<string>; score: number };

/** While there is room, the best of those that say something new; in their order. */
function choose(pieces: Ranked[], title: Set<string>, room: number): Ranked[] {
  const chosen: Ranked[] = [];
  const said = new Set(title);
  let left = room;
  const least = WORTH * pieces.reduce((best, { score }) => Math.max(best, score), 0);
  const value = ({ score, text }: Ranked) => score / Math.max(SHORT, text.length) ** BREVITY;
  const ranked = pieces.filter(({ score }) => score >= least);
  for (const piece of ranked.sort((one, other) => value(other) - value(one) || one.place - other.place)) {
    if (left < SMALLEST) break;
    const isNew = piece.words.difference(said).size > piece.words.size * NEW;
    const head = piece.head === '' || chosen.some((other) => isSameHead(other, piece)) ? '' : `${piece.head}: `;
    const text = chosen.length === 0 ? cut(piece.text, left - head.length) : piece.text;
    if (!isNew || head.length + text.length > left) continue;
    chosen.push({ ...piece, text });
    for (const word of piece.words) said.add(word);
    left -= head.length + text.length + GAP.length;
  }
  return chosen.sort((one, other) => one.place - other.place);
}

const isSameHead = (one: Ranked | undefined, other: Ranked) => one?.at === other.at && one.head === other.head;

const GAP = ' … ';

const join = (pieces: Ranked[]): string =>
  pieces
    .map((piece, at) => {
      const before = pieces[at - 1];
      const gap = before === undefined ? '' : before.place === piece.place - 1 ? ' ' : GAP;
      return `${gap}${piece.head === '' || isSameHead(before, piece) ? '' : `${piece.head}: `}${piece.text}`;
    })
    .join('');

/** As the index knows them, and the parts of names. */
function wordsOf(text: string): Set<string> {
  const composed = composeText(text);
  const words = withoutCjk(composed).flatMap((part) => part.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []);
  return new Set([...words, ...cjkPairs(composed), ...camelPieces(composed)].map(stemWord));
}

/** How much of what the question tells is in it: 0 to 1. */
function coverage(words: Set<string>, text: string, { terms, total }: Wanted): number {
  const found = terms.filter(({ stem, isCjk }) =>
    isCjk ? composeText(text).toLowerCase().includes(stem) : words.has(stem),
  );
  return found.reduce((sum, { weight }) => sum + weight, 0) / total;
}
