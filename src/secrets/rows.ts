// Secrets that a heading above them gives away: columns of tables, INSERT statements, the data of a Kubernetes Secret.
import type { NamedSecret } from './name.ts';
import { NONE, type Scan, type Span } from './span.ts';
import { isPlaceholder, isRandom, isSecretValue, mixture, readBlock, readQuoted } from './value.ts';

type JudgeName = (name: string) => NamedSecret | null;
type Cell = { from: number; to: number };

const LONGEST_LINE = 2000;
const DELIMITERS = [/[|│┃]/g, /\t/g, /;/g, /,/g, / {2,}/g];
const HEADING = /^[\p{L}\p{N}_ .#/*`"'-]{1,40}$/u;
const RULE = /^[\s|+:=\-─━┼├┤╪╞╡│┃]*$/;

/** CSV, TSV, Markdown and what databases print: the cells below a name that is one of several headings in a line. */
export function findRows(judgeName: JudgeName, scan: Scan, name: { start: number; end: number }): void {
  if (name.start < scan.rowsEnd || !mayBeHeading(scan.text, name)) return;
  const { text } = scan;
  const line = lineAround(text, name);
  if (line === null) return;
  const { start, end } = line;
  // Whatever other name stands in it says the same of it.
  scan.rowsEnd = end;
  for (const delimiter of DELIMITERS) {
    const heads = withoutLabel(text, splitCells(text, start, end, delimiter));
    if (heads.length < 2 || heads.length > 64) continue;
    const titles = heads.map(({ from, to }) =>
      text
        .slice(from, to)
        .replace(/[*`"']/g, '')
        .trim(),
    );
    if (!titles.every((title) => title === '' || HEADING.test(title))) continue;
    if (titles.filter((title) => title !== '').length < 2) continue;
    const columns = titles.map((title) => judgeName(title.replaceAll(' ', '_')));
    readRows(scan, end + 1, delimiter, columns);
    return;
  }
}

/** Null for one that is too long to be a heading: it is not even walked through. */
function lineAround(text: string, { start: at, end: after }: { start: number; end: number }): { start: number; end: number } | null {
  const before = text.slice(Math.max(0, at - LONGEST_LINE), at);
  const start = at - before.length + before.lastIndexOf('\n') + 1;
  const behind = text.slice(after, after + LONGEST_LINE);
  const length = behind.indexOf('\n');
  const end = after + (length < 0 ? behind.length : length);
  const isOpen = (length < 0 && end < text.length) || (start > 0 && text.charAt(start - 1) !== '\n');
  return isOpen || end - start > LONGEST_LINE ? null : { start, end };
}

/** `Error: `, `Note 3: ` before the first heading; before a bar it is a cell of its own. */
function withoutLabel(text: string, heads: Cell[]): Cell[] {
  const [first, ...rest] = heads;
  if (!first) return heads;
  const label = LABEL.exec(text.slice(first.from, first.to))?.[0].length ?? 0;
  if (label === 0) return heads;
  return first.from + label >= first.to ? rest : [{ from: first.from + label, to: first.to }, ...rest];
}

const LABEL = /^[^\n]{0,200}[:.!](?: +|$)/;

function mayBeHeading(text: string, { start, end }: { start: number; end: number }): boolean {
  const after = /^["'`* \t]{0,40}(?:[,;|│┃\t\r\n]|$| {2})/.test(text.slice(end, end + 42));
  return after && /(?:^|[,;|│┃\t\n]| {2}|[:.!] )["'`* ]{0,40}$/.test(text.slice(Math.max(0, start - 42), start));
}

function readRows(scan: Scan, start: number, delimiter: RegExp, columns: (NamedSecret | null)[]): void {
  const { text } = scan;
  for (let from = start; from < text.length; ) {
    const end = endOfLine(text, from);
    if (!RULE.test(text.slice(from, Math.min(end, from + LONGEST_LINE)))) {
      const cells = splitCells(text, from, end, delimiter);
      if (cells.length !== columns.length) break;
      for (const [i, named] of columns.entries()) if (named !== null && cells[i]) addCell(scan, cells[i], named);
    } else if (end === from) break;
    scan.rowsEnd = end;
    from = end + 1;
  }
}

function addCell(scan: Scan, cell: Cell, named: NamedSecret): void {
  const raw = scan.text.slice(cell.from, cell.to);
  const from = cell.from + (/^[\s"'`]*/.exec(raw)?.[0].length ?? 0);
  const value = raw.replace(/^[\s"'`]+|[\s"'`]+$/g, '');
  if (!isSecretValue(value, { quoted: false, by: named.by, literal: true })) return;
  if (named.by === 'machine' && !isRandom(value)) return;
  scan.aside.push({ from, to: from + value.length, kind: named.kind, hashed: false });
}

/** The bars at both ends of a line are no cells. */
function splitCells(text: string, start: number, end: number, delimiter: RegExp): Cell[] {
  const line = text.slice(start, Math.min(end, start + LONGEST_LINE));
  const isQuoted = createQuoteWatch(line);
  const edges = [...line.matchAll(delimiter)].filter(({ index }) => !isQuoted(index));
  const cells: Cell[] = [];
  let from = 0;
  for (const { index, 0: sign } of edges) {
    cells.push({ from: start + from, to: start + index });
    from = index + sign.length;
  }
  cells.push({ from: start + from, to: start + line.length });
  const isEmpty = ({ from: a, to: b }: Cell | undefined = { from: 0, to: 0 }): boolean => text.slice(a, b).trim() === '';
  if (!/[|│┃]| \{2/.test(delimiter.source) || cells.length < 3) return cells;
  return cells.slice(isEmpty(cells[0]) ? 1 : 0, isEmpty(cells.at(-1)) ? -1 : undefined);
}

/** To be asked from left to right: each quote is counted once. */
function createQuoteWatch(line: string): (at: number) => boolean {
  let next = line.indexOf('"');
  let isOpen = false;
  return (at) => {
    for (; next >= 0 && next < at; next = line.indexOf('"', next + 1)) isOpen = !isOpen;
    return isOpen;
  };
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

const INSERT = new RegExp(
  String.raw`(?:insert|replace)\s{1,8}(?:\w{1,12}\s{1,8}){0,2}into\s{1,8}[\w."\x60[\]]{1,120}\s{0,8}\(` +
    String.raw`([^()]{1,2000})\)\s{0,20}(?:output[^()]{1,80})?values\s{0,20}`,
  'iy',
);

/** INSERT INTO users (name, password) VALUES ('joe', '…'), … */
export function findInserted(judgeName: JudgeName, scan: Scan, at: number): null {
  INSERT.lastIndex = at;
  const list = INSERT.exec(scan.text)?.[1];
  if (list === undefined) return null;
  const columns = list.split(',').map((column) => judgeName(column.replace(/["'`[\]\s\\]/g, '')));
  if (columns.every((column) => column === null)) return null;
  let from = INSERT.lastIndex;
  for (let tuple = readTuple(scan.text, from); tuple !== null; tuple = readTuple(scan.text, from)) {
    for (const [i, named] of columns.entries()) if (named !== null && tuple.values[i]) addCell(scan, tuple.values[i], named);
    from = tuple.end;
  }
  return null;
}

const COPIED = /\(([^()]{1,2000})\)\s{1,8}$/;

/** COPY users (id, name, password) FROM stdin; and the rows below, as PostgreSQL dumps them. */
export function findCopied(judgeName: JudgeName, scan: Scan, at: number): null {
  const { text } = scan;
  const list = COPIED.exec(text.slice(Math.max(0, at - 2000), at))?.[1];
  if (list === undefined || at < scan.rowsEnd) return null;
  const columns = list.split(',').map((column) => judgeName(column.replace(/["\s]/g, '')));
  if (columns.some((column) => column !== null)) readRows(scan, endOfLine(text, at) + 1, /\t/g, columns);
  return null;
}

const TUPLE = /\s{0,40},?\s{0,40}\(/y;
const VALUE = /\s{0,20}([NEx]?\\{0,3}'(?:[^'\\]|''|\\[^'])*\\{0,3}'|"[^"\n]*"|[^,()'"]*(?:\([^()]*\))?[^,()'"]*)\s{0,20}([,)])/y;

function readTuple(text: string, at: number): { values: Cell[]; end: number } | null {
  TUPLE.lastIndex = at;
  if (!TUPLE.test(text)) return null;
  const values: Cell[] = [];
  VALUE.lastIndex = TUPLE.lastIndex;
  for (;;) {
    const start = VALUE.lastIndex;
    const match = VALUE.exec(text);
    if (match === null) return null;
    const quotes = /^[NEx]?\\{0,3}['"]/.exec(match[1] ?? '')?.[0].length ?? 0;
    const from = start + match[0].indexOf(match[1] ?? '') + quotes;
    values.push({ from, to: from + (match[1] ?? '').length - quotes });
    if (match[2] === ')') return { values, end: VALUE.lastIndex };
  }
}

const SECRET_KIND = /["']?kind["']?:[ \t]{0,8}["']?Secret\b/;
const REACH = 4000;
const KIND = 'kubernetes-secret';

/** data: and stringData: of a Secret, in YAML and JSON, whatever its keys are called. */
export function findClusterData(scan: Scan, at: number): null {
  const { text } = scan;
  const head = /^data["']?:[ \t]{0,8}(\r?\n|\{)/i.exec(text.slice(at, at + 24));
  if (head === null || at < scan.rowsEnd) return null;
  scan.hasSecretKind ??= text.includes('Secret') && SECRET_KIND.test(text);
  if (!scan.hasSecretKind || !SECRET_KIND.test(text.slice(Math.max(0, at - REACH), at + REACH))) return null;
  if (head[1] === '{') return findJsonData(scan, at + head[0].length);
  const lineStart = text.lastIndexOf('\n', at) + 1;
  const indent = /^[ \t]*/.exec(text.slice(lineStart, at))?.[0].length ?? 0;
  for (let from = at + head[0].length; from < text.length; ) {
    const end = endOfLine(text, from);
    const line = /^([ \t]*)(?:#.*|["']?[\w.-]{1,253}["']?:[ \t]*(.*))?$/.exec(text.slice(from, end).replace(/\r$/, ''));
    if (line === null || (line[2] !== undefined && (line[1] ?? '').length <= indent)) break;
    from = line[2] === undefined ? end + 1 : addData(scan, end - line[2].length, end);
    scan.rowsEnd = from;
  }
  return null;
}

/** Returns where the next line begins. */
function addData(scan: Scan, from: number, end: number): number {
  const { text } = scan;
  if (/^[|>][+-]?\d?\s*$/.test(text.slice(from, end))) {
    const block = readBlock(text, end + 1);
    scan.aside.push({ ...block, kind: KIND, hashed: false });
    return block.to + 1;
  }
  const range = readQuoted(text, from) ?? { from, to: end };
  if (!isPlaceholder(text.slice(range.from, range.to).trim())) scan.aside.push({ ...range, kind: KIND, hashed: false });
  return end + 1;
}

function findJsonData(scan: Scan, at: number): null {
  const pair = /\s{0,80}"[\w.-]{1,253}"\s{0,8}:\s{0,8}"((?:[^"\\]|\\.)*)"\s{0,8},?/y;
  pair.lastIndex = at;
  for (let match = pair.exec(scan.text); match !== null; match = pair.exec(scan.text)) {
    const value = match[1] ?? '';
    const from = match.index + match[0].lastIndexOf(`"${value}"`) + 1;
    if (!isPlaceholder(value)) scan.aside.push({ from, to: from + value.length, kind: KIND, hashed: false });
    scan.rowsEnd = pair.lastIndex;
  }
  return null;
}

// Secrets over several lines: private keys in their armour, whole or cut; and what a line end tears apart.

const PRIVATE_KEY = 'private-key';
const ARMOURED = '(?:[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?|OpenVPN [\\w -]{2,30}key(?: V1)?) ?-{4,5}';
const BEGIN = new RegExp(`-{4,5} ?BEGIN ${ARMOURED}`, 'y');
const END = new RegExp(`-{4,5} ?END ${ARMOURED}`, 'g');
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
  return { from: start, to: END.test(text) ? END.lastIndex : text.length, kind: PRIVATE_KEY, hashed: true };
}

/** From the start of the text to an END whose BEGIN was cut off. */
export function findPemTail({ text }: Scan, at: number): Span | null {
  const start = startOfDashes(text, at);
  END.lastIndex = start;
  const end = END.exec(text.slice(0, start + 120));
  if (end === null || end.index !== start || !hasKeyText(text.slice(Math.max(0, start - NEAR), start))) return null;
  return { from: 0, to: start + end[0].length, kind: PRIVATE_KEY, hashed: true };
}

export function findPutty({ text }: Scan, at: number): Span | null {
  const mac = text.indexOf('Private-MAC:', at);
  return { from: at, to: mac < 0 ? text.length : mac, kind: PRIVATE_KEY, hashed: true };
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
  return runs.some((run) => /\d/.test(run) && /[a-z]/.test(run) && (/[A-Z]/.test(run) || /^[\da-f]{32}$/.test(run)));
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
    const kind = PRIVATE_KEYS[text.charCodeAt(start - 1)] ?? 0;
    if (kind === 0) break;
    hasSign ||= kind === 2;
  }
  return hasSign && end - start >= SHORTEST ? start : null;
}

// 1: letters and what also joins words of code and prose; 2: digits and signs of tokens.
const PRIVATE_KEYS = Uint8Array.from({ length: 128 }, (_, code) => {
  const sign = String.fromCharCode(code);
  return /[A-Za-z.:/"'-]/.test(sign) ? 1 : /[\d%+=@_~]/.test(sign) ? 2 : 0;
});

function placeOf({ places }: Joined, at: number): number {
  const place = places.findLast((one) => one.at <= at);
  return place === undefined ? at : place.from + at - place.at;
}
