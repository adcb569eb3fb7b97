// Secrets over several lines: private keys in their armour, whole or cut; and what a line end tears apart.
import { NONE, type Scan, type Span } from './span.ts';
import { mixture } from './value.ts';

const KIND = 'private-key';
const BEGIN = /-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}/y;
const END = /-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}/g;
// How far from a header or footer the key itself must show, whatever line numbers, diff signs or escapes stand between.
const NEAR = 200;

/** From a BEGIN to its END, or to the end of the text when that was cut off. A header quoted in code is no key. */
export function findPemHead({ text }: Scan, at: number): Span | null {
  const start = startOfDashes(text, at);
  BEGIN.lastIndex = start;
  if (!BEGIN.test(text)) return null;
  const body = BEGIN.lastIndex;
  const near = text.slice(body, body + NEAR);
  const isCut = body + NEAR > text.length && !near.includes('-END ') && !near.includes('- END ');
  if (isCut ? /^["'`)]/.test(near) : !hasKeyText(near.split('END ', 1)[0] ?? '')) return null;
  // Only now may the search go far: what it passes over is taken, so no text is searched twice.
  END.lastIndex = body;
  return { from: start, to: END.test(text) ? END.lastIndex : text.length, kind: KIND, hashed: true };
}

/** From the start of the text to an END whose BEGIN was cut off. */
export function findPemTail({ text }: Scan, at: number): Span | null {
  const start = startOfDashes(text, at);
  END.lastIndex = start;
  const end = END.exec(text.slice(0, start + 120));
  if (end === null || end.index !== start || !hasKeyText(text.slice(Math.max(0, start - NEAR), start))) return null;
  return { from: 0, to: start + end[0].length, kind: KIND, hashed: true };
}

/** The private half of a PuTTY file. */
export function findPutty({ text }: Scan, at: number): Span | null {
  const mac = text.indexOf('Private-MAC:', at);
  return { from: at, to: mac < 0 ? text.length : mac, kind: KIND, hashed: true };
}

function startOfDashes(text: string, at: number): number {
  const dashesEnd = text.charAt(at - 1) === ' ' ? at - 1 : at;
  let start = dashesEnd;
  // At most five: one more may be the sign of a removed line in a diff.
  while (dashesEnd - start < 5 && text.charAt(start - 1) === '-') start--;
  return start;
}

function hasKeyText(near: string): boolean {
  if (/Proc-Type:|DEK-Info:|Version:|Comment:|Subject:/.test(near)) return true;
  const runs = near.match(/[A-Za-z0-9+/=]{16,}/g) ?? [];
  return runs.some((run) => /\d/.test(run) && /[A-Z]/.test(run) && /[a-z]/.test(run));
}

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
