// The passage of a text that answers: of the record of a turn, or of what a memory says itself.
import type { Database } from 'bun:sqlite';
import { camelPieces, cjkPairs, composeText, hasCjk, withoutCjk } from '../core/words.ts';
import { markLine } from '../git/work-file.ts';
import type { TurnRecord } from '../turns/record.ts';
import type { Turn } from '../turns/turns.ts';
import type { KnownWords } from './keyword.ts';
import { cut, listPieces, type Piece } from './pieces.ts';
import { readQuery, stemWord } from './query-words.ts';
import { isStopWord } from './stop-words.ts';

/** A question, made ready to be compared with many pieces. */
type Wanted = { terms: { stem: string; isCjk: boolean; weight: number }[]; total: number };

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
/** Later before earlier. */
const LATER = 0.1;
const FROM_OUTSIDE = 0.4;
/** Of two that say as much the shorter: so much of its length counts. */
const BREVITY = 0.2;
const SHORT = 40;
/** Left out: what says no more than this of what is asked (of a long question the best says little), or than this share of the best. */
const LEAST = 0.1;
const WORTH = 0.2;
/** What has no more than this share of new words repeats the title, or another piece. */
const NEW = 0.2;
/** So much of the question makes an answer: of two, the later. A guess may have been refuted meanwhile. */
const WHOLE = 0.7;
/** What has no word of the question must tell so many words: a heading and `Done.` tell nothing. */
const TELLING = 3;
/** Less room than this is left empty. */
const SMALLEST = 30;
/** What a title was cut off from is not shown by it. */
const TITLE_SHOWN = 120;

export type Shown = {
  prompt: string;
  /** Shown anyway. */
  title: string;
  /** So many characters at most. */
  room: number;
  /** What the asker has of it already. */
  given?: string;
  /** Whether a line that the turn wrote was taken out of its file later. */
  isGone?: ((line: NonNullable<Piece['line']>) => boolean) | undefined;
};

/**
 * The pieces that say most of what is asked, or stand beside those that do, in the order it happened. Null when there
 * is nothing to show.
 */
export function findPassage(record: TurnRecord, wanted: Wanted, shown: Shown): { text: string; isUntrusted: boolean } | null {
  const given = squeeze(shown.given ?? '');
  const ranked = rankPieces(record, wanted, shown.prompt);
  const most = ranked.reduce((best, { found }) => Math.max(best, found), 0);
  const says = ({ evidence, found, tells }: Ranked) => (found > 0 && found >= most / 2) || (evidence > LEAST && (found > 0 || tells));
  const telling = ranked.filter(
    (piece) => says(piece) && (piece.at >= 0 || saysMore(piece.text, wanted)) && !given.includes(squeeze(piece.text)),
  );
  const isCut = shown.title.endsWith('…') || shown.title.length > TITLE_SHOWN;
  const said = wordsOf(isCut ? '' : shown.title);
  const chosen = choose(telling, { said, room: shown.room, isGone: shown.isGone ?? (() => false) });
  return chosen.length === 0 ? null : { text: join(chosen), isUntrusted: chosen.some(({ isUntrusted }) => isUntrusted) };
}

type Ranked = Piece & { place: number; words: Set<string>; tells: boolean; found: number; evidence: number; score: number };

/** A piece has what it covers of the question, some of what those beside it do, and its chance to be the answer of so many. */
function rankPieces(record: TurnRecord, wanted: Wanted, prompt: string): Ranked[] {
  const pieces = listPieces(record, prompt).map((piece, place) => {
    const words = wordsOf(piece.at < 0 ? piece.text : `${piece.head} ${piece.text}`);
    const tells = [...words].filter((word) => !isStopWord(word)).length >= TELLING;
    return { ...piece, place, words, tells, found: coverage(words, piece.text, wanted) };
  });
  const foundAt = (place: number) => pieces[place]?.found ?? 0;
  const last = Math.max(1, record.steps.length);
  const mayAnswer = ({ tells, isDetail, isUntrusted }: (typeof pieces)[number]) => tells && !isDetail && !isUntrusted;
  const chance = 1 / Math.max(1, pieces.filter(mayAnswer).length);
  return pieces.map((piece) => {
    const before = BEFORE.map((share, at) => share * foundAt(piece.place - 1 - at));
    const evidence = piece.found + Math.max(...before, AFTER * foundAt(piece.place + 1)) + (mayAnswer(piece) ? chance : 0);
    const bonus = (LATER * Math.max(0, piece.at)) / last - (piece.isUntrusted ? FROM_OUTSIDE : 0);
    return { ...piece, evidence, score: Math.max(0, evidence + bonus) };
  });
}

/** The question is not its own answer. */
const saysMore = (text: string, { terms }: Wanted) =>
  readQuery(text).some(({ stem }) => stem !== null && !terms.some((term) => term.stem === stem));

/** While there is room, the best of those that say something new; in their order. */
function choose(pieces: Ranked[], { said, room, isGone }: { said: Set<string>; room: number } & Required<Pick<Shown, 'isGone'>>): Ranked[] {
  const chosen: Ranked[] = [];
  let left = room;
  const value = ({ score, text }: Ranked) => score / Math.max(SHORT, text.length) ** BREVITY;
  const least = WORTH * pieces.reduce((best, { score }) => Math.max(best, score), 0);
  const ranked = pieces.filter(({ score }) => score >= least);
  for (const piece of ranked.sort((one, other) => value(other) - value(one) || one.place - other.place)) {
    if (left < SMALLEST) break;
    const isNew = piece.words.difference(said).size > piece.words.size * NEW && !isAnsweredLater(piece, chosen);
    const head = piece.head === '' || chosen.some((other) => isSameHead(other, piece)) ? '' : `${piece.head}: `;
    const text = chosen.length === 0 ? cut(piece.text, left - head.length) : piece.text;
    if (!isNew || head.length + text.length > left || (piece.line && isGone?.(piece.line))) continue;
    chosen.push({ ...piece, text });
    for (const word of piece.words) said.add(word);
    left -= head.length + text.length + GAP.length;
  }
  return chosen.sort((one, other) => one.place - other.place);
}

const isAnsweredLater = ({ found, place }: Ranked, chosen: Ranked[]) =>
  found >= WHOLE && chosen.some((other) => other.found >= WHOLE && other.place > place);

/** As it may be laid out otherwise where it was given. */
const squeeze = (text: string) => text.replace(/\s+/g, ' ');

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
  const isPlain = !hasCjk(composed);
  const words = (isPlain ? [composed] : withoutCjk(composed)).flatMap((part) => part.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []);
  return new Set([...words, ...(isPlain ? [] : cjkPairs(composed)), ...camelPieces(composed)].map(stemWord));
}

/** How much of what the question tells is in it: 0 to 1. */
function coverage(words: Set<string>, text: string, { terms, total }: Wanted): number {
  const found = terms.filter(({ stem, isCjk }) => (isCjk ? composeText(text).toLowerCase().includes(stem) : words.has(stem)));
  return found.reduce((sum, { weight }) => sum + weight, 0) / total;
}

/** By what later memories of the same file say of its lines: the last word on a line counts. */
export function linesGoneSince(db: Database, { sessionId, endedAt }: Turn): NonNullable<Shown['isGone']> {
  const files = new Map<string, Set<string>>();
  const read = (path: string) => {
    const gone = new Set<string>();
    const later = db.query<{ added: string; removed: string }, [number, string, number]>(
      `SELECT c.added, c.removed FROM citations c JOIN observations o ON o.id = c.observation_id
       WHERE c.project_id = (SELECT project_id FROM sessions WHERE id = ?) AND c.path = ? AND c.did = 'changed'
         AND o.created_at_epoch > ? ORDER BY o.created_at_epoch, o.id`,
    );
    for (const { added, removed } of later.iterate(sessionId, path, endedAt)) {
      for (const mark of JSON.parse(removed)) gone.add(mark);
      for (const mark of JSON.parse(added)) gone.delete(mark);
    }
    files.set(path, gone);
    return gone;
  };
  return ({ file, text }) => (files.get(file) ?? read(file)).has(markLine(text) ?? '');
}
