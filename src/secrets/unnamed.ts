// Secrets that neither a shape nor a name gives away: random texts in places where only a secret stands.
import { NONE, type Span } from './span.ts';
import { readTable } from './table.ts';
import placeTable from './tables/unnamed.txt' with { type: 'text' };
import { isRandom, mixture } from './value.ts';

type Place = { looks: string; least: number; before: RegExp; example: string };

export function readPlaces(): Place[] {
  return readTable(placeTable).map(([looks = '', least, before = '', example = '']) => ({
    looks,
    least: Number(least),
    before: new RegExp(`(?:${before})$`),
    example: example.replace('{line}', '\n'),
  }));
}

const SHORTEST = 16;
const LONGEST = 200;
const REACH = 160;

/** Looks at every long word, and at what stands before it. */
export function findUnnamed(places: () => readonly Place[], text: string, known: readonly Span[]): readonly Span[] {
  let found: Span[] | null = null;
  let next = 0;
  // Where a word that begins as early as one can has its last sign, if it is of the shortest: what is no word is found from its end.
  for (let last = SHORTEST - 1; last < text.length; last += SHORTEST) {
    const first = last - SHORTEST + 1;
    let at = last;
    while (at >= first && WORD_SIGNS[text.charCodeAt(at)] === 1) at--;
    if (at >= first) {
      last = at;
      continue;
    }
    let end = last + 1;
    while (end < text.length && WORD_SIGNS[text.charCodeAt(end)] === 1) end++;
    last = end;
    // NAME=value: what follows the sign. At the end the sign belongs to the value.
    const from = first + text.slice(first, end - 3).lastIndexOf('=') + 1;
    while ((known[next]?.to ?? Number.POSITIVE_INFINITY) <= from) next++;
    const isKnown = (known[next]?.from ?? Number.POSITIVE_INFINITY) < end;
    if (isKnown || !isSecret(places, text, { from, to: end })) continue;
    found ??= [];
    found.push({ from, to: end, kind: 'token', hashed: end - from >= 20 });
  }
  return found ?? NONE;
}

const WORD_SIGNS = Uint8Array.from({ length: 128 }, (_, code) =>
  /[\w+./=~-]/.test(String.fromCharCode(code)) ? 1 : 0,
);

const ENDS = /["'`\s),;<\\]/;

function isSecret(places: () => readonly Place[], text: string, { from, to }: { from: number; to: number }): boolean {
  // Nothing before it says what it is: an id of its own, as most fields of an event have one.
  if (from === 0) return false;
  const length = to - from;
  if (length < SHORTEST || length > LONGEST || (to < text.length && !ENDS.test(text.charAt(to)))) return false;
  const looks = lookOf(text, from, to);
  if (looks === null) return false;
  const lead = text.slice(Math.max(0, from - REACH), from);
  if (isLabelled(lead)) return false;
  return places().some(
    (place) => length >= place.least && (looks === 'mixed' || place.looks === 'any') && place.before.test(lead),
  );
}

// Certificates, public keys, pictures, fonts, archives and addresses in base64, numbers with a prefix, and ids with their type before them.
const KNOWN =
  /^(?:AAAA|MII|Qm[1-9A-HJ-NP-Za-km-z]{44}$|iVBOR|R0lGOD|UklGR|d09G|AGFzb|H4sI|PHN2Zy|sha\d|0x|[a-z]{2,12}_|[./~])/;
const WORD_WITHIN = /(?:^|[-_./])[A-Za-z]?[a-z]{3,}(?=[-_./]|$)|\.[A-Za-z]{1,4}\d?$/;

/** Paths and names go by what signs they are made of. */
function lookOf(text: string, from: number, to: number): 'mixed' | 'any' | null {
  let [digits, capitals, smalls, digitsOfHex] = [0, 0, 0, 0];
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i);
    if (code >= 97) {
      smalls++;
      if (code <= 102) digitsOfHex++;
    } else if (code >= 65 && code <= 90) capitals++;
    else if (code >= 48 && code <= 57) digits++;
    else if (code === 45) digitsOfHex++;
  }
  if (digits >= 2 && capitals >= 3 && smalls >= 3) return isMixed(text.slice(from, to)) ? 'mixed' : null;
  return digits > 0 && digits + digitsOfHex === to - from && isNumber(text.slice(from, to)) ? 'any' : null;
}

function isMixed(word: string): boolean {
  return (
    mixture(word) * 4 >= Math.min(word.length, 64) &&
    !KNOWN.test(word) &&
    !WORD_WITHIN.test(word) &&
    (word.match(/[A-Z][a-z]{3}/g)?.length ?? 0) < 3 &&
    isRandom(word)
  );
}

function isNumber(word: string): boolean {
  if (!/^(?:[0-9a-f]{32,128}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.test(word)) return false;
  // Five bits tell the sixteen digits and the dash apart.
  let seen = 0;
  for (let i = 0; i < word.length; i++) seen |= 1 << (word.charCodeAt(i) & 31);
  let distinct = 0;
  for (; seen !== 0; seen &= seen - 1) distinct++;
  return distinct > 6;
}

const LABELS =
  /(?:^|[^a-z])(?:ids?|[ug]uid|uuid|ulid|sid|hash|sha\d*|md5|digest|checksum|integrity|etag|fingerprint|commit|revision|rev|ref|nonce|cursor|page|next|trace|span|request|public|pub|pubkey|address|addr|wallet|mint|contract|tx|txn|cid|build|version|slug|path|file|url|uri|href|src|image|img|sheet|spreadsheet|doc|document|video|channel|playlist|site|anon|publishable|cert|certificate|buffer|blob|base|decode|encode|bytes|font|script|module|chunk|error|date|regexp?|array|symbol|cache|primary|foreign|sort|partition|object|idempotency|upload|asset|thumbnail|avatar|example|sample|test|expect)(?:[^a-z]|$)/;

/** A word right before it says that it is something else. */
function isLabelled(lead: string): boolean {
  const line = lead.slice(lead.trimEnd().lastIndexOf('\n') + 1).slice(-48);
  const words = line
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    // What went wrong is no word for what stands there.
    .replace(/^.*\b(?:error|warning|exception): /, '');
  return LABELS.test(words) || /https?:\/\/\S*$/.test(line);
}
