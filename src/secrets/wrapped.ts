// Secrets that a line end tears apart: wrapped by a terminal, or continued after a backslash.
import { NONE, type Span } from './span.ts';
import { mixture } from './value.ts';

const LINE_END = /\\?\r?\n/y;
// The word that goes on: it ends where a value ends, not where a name does.
const NEXT_WORD = /[ \t]{0,16}(?:> ?){0,3}([\w+/=.~%-]{1,512})(?=[\s"'`,;)\]}<\\]|$)/y;
const LONGEST = 512;
const SHORTEST = 6;
const MOST_LINES = 64;
const NARROWEST = 60;

type Joined = { text: string; seams: number[]; places: { at: number; from: number }[]; end: number };

/** Looks again at words that may go on in the next line, with the line end taken out. */
export function findWrapped(text: string, findSecrets: (text: string) => readonly Span[]): readonly Span[] {
  const first = text.indexOf('\n');
  if (first < 0) return NONE;
  const found: Span[] = [];
  for (let at = first; at >= 0; at = text.indexOf('\n', at + 1)) {
    const joined = joinAt(text, at);
    if (joined === null) continue;
    found.push(...findAcross(joined, findSecrets));
    at = Math.max(at, joined.end - 1);
  }
  return found;
}

function findAcross(joined: Joined, findSecrets: (text: string) => readonly Span[]): Span[] {
  const [first = 0] = joined.seams;
  const across = findSecrets(joined.text).filter(({ from, to }) => from < first && to > first);
  if (across.length === 0) return [];
  // What is a secret already without the next line goes on there only if that looks as random.
  const isWhole = findSecrets(joined.text.slice(0, first)).some(({ to }) => to === first);
  const next = joined.text.slice(first, joined.seams[1]);
  if (isWhole && !(/\d/.test(next) && next.length >= 6 && mixture(next) >= 3)) return [];
  return across.map((span) => ({ ...span, from: placeOf(joined, span.from), to: placeOf(joined, span.to - 1) + 1 }));
}

function joinAt(text: string, newline: number): Joined | null {
  let wordEnd = newline;
  if (text.charCodeAt(wordEnd - 1) === 13) wordEnd--;
  if (text.charCodeAt(wordEnd - 1) === 92) wordEnd--;
  const from = startOfWord(text, wordEnd);
  if (from === null) return null;
  // In a line as wide as a page its name may stand before it.
  const lead = from > NARROWEST && !text.slice(from - NARROWEST, from).includes('\n') ? from - NARROWEST : from;
  const joined: Joined = { text: text.slice(lead, wordEnd), seams: [], places: [{ at: 0, from: lead }], end: wordEnd };
  for (let lines = 0; lines < MOST_LINES; lines++) {
    LINE_END.lastIndex = joined.end;
    if (!LINE_END.test(text)) break;
    NEXT_WORD.lastIndex = LINE_END.lastIndex;
    const word = NEXT_WORD.exec(text)?.[1];
    if (word === undefined) break;
    joined.end = NEXT_WORD.lastIndex;
    joined.seams.push(joined.text.length);
    joined.places.push({ at: joined.text.length, from: joined.end - word.length });
    joined.text += word;
  }
  return joined.seams.length === 0 ? null : joined;
}

/** Null: too short, or of letters alone, as the last words of most lines are. */
function startOfWord(text: string, end: number): number | null {
  let start = end;
  let hasSign = false;
  for (; start > 0 && end - start < LONGEST; start--) {
    const kind = KINDS[text.charCodeAt(start - 1)] ?? 0;
    if (kind === 0) break;
    hasSign ||= kind === 2;
  }
  return hasSign && end - start >= SHORTEST ? start : null;
}

// 1: letters and what also joins words of code and prose; 2: digits and signs of tokens.
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const sign = String.fromCharCode(code);
  return /[A-Za-z.:/"'-]/.test(sign) ? 1 : /[\d%+=@_~]/.test(sign) ? 2 : 0;
});

function placeOf({ places }: Joined, at: number): number {
  const place = places.findLast((one) => one.at <= at);
  return place === undefined ? at : place.from + at - place.at;
}
