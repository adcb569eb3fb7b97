// The elements of an answer with their fields, as raw text. Whatever is not one of our tags is text: models write code unescaped.
// Not a general XML parser on purpose: `i <n` would open an element there and swallow the rest, and its stack costs time squared.

/** `isItem`: one thing of a list; otherwise the text of a list is still to be split. */
export type Value = { text: string; isItem: boolean };
/** A field that stands there empty is in the map, with nothing in it. */
export type Fields = Map<string, Value[]>;
export type Kind = keyof typeof FIELDS;
export type Found = { kind: Kind; fields: Fields };

const FIELDS = {
  observation: 'type title subtitle narrative facts concepts keywords filesread filesmodified sources outcome'.split(' '),
  summary: 'request investigated learned completed nextsteps filesread filesmodified notes'.split(' '),
  session: ['title', 'subtitle'],
  replaced: ['id', 'words', 'part'],
  closed: ['id', 'words'],
  skipsummary: ['reason'],
  noobservations: ['reason'],
};
const LISTS = ['facts', 'concepts', 'filesread', 'filesmodified', 'nextsteps'];
const ITEMS = ['fact', 'concept', 'file', 'path', 'step', 'item', 'li'];

/** What models write instead; the first ones for one thing of a list: `<fact>` without `<facts>`. */
const SINGULAR = { fact: 'facts', concept: 'concepts', step: 'nextsteps', file: 'filesread', filemodified: 'filesmodified' };
const SPELLINGS = new Map(
  Object.entries({ ...SINGULAR, filesedited: 'filesmodified', modifiedfiles: 'filesmodified', nextstep: 'nextsteps', quote: 'words' }),
);
const OURS = new Set(['thinking', 'think', ...Object.keys(FIELDS), ...Object.values(FIELDS).flat(), ...ITEMS, ...SPELLINGS.keys()]);

const isKind = (name: string): name is Kind => Object.hasOwn(FIELDS, name);

/** The field that a tag or attribute of this name means inside of an element. */
function fieldOf(kind: Kind, name: string): string | null {
  const key = SPELLINGS.get(name) ?? name;
  return FIELDS[kind].includes(key) ? key : null;
}

/** `files-read`, `filesRead` and `FILES_READ` are one name. */
const nameOf = (tag: string): string => tag.toLowerCase().replace(/[-_]/g, '');

/** `source`: the tag as it was written, for the places where it turns out to be quoted text. */
type Tag = { kind: 'open' | 'close'; name: string; source: string; attributes: string; isSelfClosed: boolean };
type Token = { kind: 'text'; text: string } | Tag;

/** Nothing that begins in CDATA: that would lay bare what stands behind it. */
const VALUE = `"(?:[^"<]|<(?!!)){0,999}"|'(?:[^'<]|<(?!!)){0,999}'|[^\\s"'<>]{0,200}[^\\s"'<>/]`;
const ATTRIBUTES = `((?:\\s{1,9}[\\w-]{1,30}\\s{0,9}=\\s{0,9}(?:${VALUE})){0,20})`;
const MARK = new RegExp(`<!\\[cdata\\[|<(/?)\\s{0,9}([a-z][\\w-]{0,29})${ATTRIBUTES}\\s{0,9}(/?)>`, 'gi');
const ATTRIBUTE = new RegExp(`([\\w-]{1,30})\\s{0,9}=\\s{0,9}(${VALUE})`, 'g');
/** The text ends inside of one. */
const HALF_MARK = /(?:<(?:\/?[a-z][\w-]*|\/|!\[?[a-z]*\[?)?|&#?\w{0,8})$/i;

/** An answer as a row of our own tags and the text between them. `isCut`: it ends inside of a tag or CDATA. */
function readTokens(answer: string): { tokens: Token[]; isCut: boolean } {
  const half = HALF_MARK.exec(answer.slice(-40))?.[0] ?? '';
  const text = answer.slice(0, answer.length - half.length);
  const tokens: Token[] = [];
  const marks = new RegExp(MARK);
  let from = 0;
  let isCut = half.startsWith('<');
  const pushText = (to: number) => from < to && tokens.push({ kind: 'text', text: decodeEntities(text.slice(from, to)) });
  for (let match = marks.exec(text); match; match = marks.exec(text)) {
    const [source, slash, tag, attributes = '', end] = match;
    const name = nameOf(tag ?? '');
    if (tag !== undefined && !OURS.has(name)) continue;
    pushText(match.index);
    from = marks.lastIndex;
    if (tag !== undefined) {
      tokens.push({ kind: slash === '/' ? 'close' : 'open', name, source, attributes, isSelfClosed: end === '/' });
      continue;
    }
    // Never closed, it is text to the end all the same: what stands in it must not become markup.
    const close = text.indexOf(']]>', from);
    const last = close < 0 ? text.length : close;
    tokens.push({ kind: 'text', text: text.slice(from, last) });
    isCut ||= close < 0;
    from = last + 3;
    marks.lastIndex = from;
  }
  pushText(text.length);
  return { tokens, isCut };
}

/** A closing tag belongs to the nearest one before it of the same name that is still open. -1: never closed. */
function findClosings(tokens: Token[]): number[] {
  const closings = tokens.map(() => -1);
  const open = new Map<string, number[]>();
  for (const [at, token] of tokens.entries()) {
    if (token.kind === 'text') continue;
    const sameName = open.get(token.name) ?? [];
    open.set(token.name, sameName);
    if (token.kind === 'open' && !token.isSelfClosed) sameName.push(at);
    const opening = token.kind === 'close' ? sameName.pop() : undefined;
    if (opening !== undefined) closings[opening] = at;
  }
  return closings;
}

/** An answer has a dozen. What comes after so many is a flood. */
const MOST_ELEMENTS = 2000;

type Walk = { tokens: Token[]; closings: number[]; found: Found[]; open: Found[]; isBroken: boolean; hasHalf: boolean };

/**
 * In the order in which they begin. `isBroken`: some element or field was never closed, or not all was read. `hasHalf`: an
 * observation was begun and never closed, or the text was cut.
 */
export function readElements(text: string): Pick<Walk, 'found' | 'isBroken' | 'hasHalf'> {
  const { tokens, isCut } = readTokens(text);
  const walk: Walk = { tokens, closings: findClosings(tokens), found: [], open: [], isBroken: isCut, hasHalf: isCut };
  for (let at = 0; at < tokens.length && walk.found.length < MOST_ELEMENTS; ) at = step(walk, at);
  leaveOpen(walk, walk.open);
  return { found: walk.found, isBroken: walk.isBroken || walk.found.length >= MOST_ELEMENTS, hasHalf: walk.hasHalf };
}

/** Each step returns where to go on. */
function step(walk: Walk, at: number): number {
  const token = walk.tokens[at];
  if (!token || token.kind === 'text') return at + 1;
  // What a model says to itself is no answer.
  if (token.name.startsWith('think')) return Math.max(walk.closings[at] ?? -1, at) + 1;
  const { name, kind } = token;
  if (!isKind(name)) return kind === 'open' ? readField(walk, at, token) : at + 1;
  if (kind === 'open') openElement(walk, name, token);
  else closeElement(walk, name);
  return at + 1;
}

function openElement(walk: Walk, kind: Kind, { attributes, isSelfClosed }: Tag): void {
  const fields: Fields = new Map();
  for (const [, name = '', value = ''] of attributes.matchAll(ATTRIBUTE)) {
    const key = fieldOf(kind, nameOf(name));
    const text = decodeEntities(value.replace(/^(["'])(.*)\1$/s, '$2'));
    if (key && !fields.has(key)) fields.set(key, [{ text, isItem: false }]);
  }
  walk.found.push({ kind, fields });
  if (!isSelfClosed) walk.open.push({ kind, fields });
}

/** Closes what was left open inside of it as well. */
function closeElement(walk: Walk, kind: Kind): void {
  const at = walk.open.findLastIndex((one) => one.kind === kind);
  if (at >= 0) leaveOpen(walk, walk.open.splice(at).slice(1));
}

/** Prose may name a tag of ours: only what has fields was begun. */
function leaveOpen(walk: Walk, left: Found[]): void {
  const begun = left.filter(({ fields }) => fields.size > 0);
  walk.isBroken ||= begun.length > 0;
  walk.hasHalf ||= begun.some(({ kind }) => kind === 'observation');
}

/**
 * A field that is closed holds everything up to its closing tag as text, whatever that looks like: an observation in it is quoted.
 * One that was never closed ends where its element goes on or another begins.
 */
function readField(walk: Walk, at: number, { name, isSelfClosed }: Tag): number {
  const { tokens, closings } = walk;
  const top = walk.open.at(-1);
  const key = top ? fieldOf(top.kind, name) : null;
  if (!top || !key) return at + 1;
  const values = top.fields.get(key) ?? [];
  top.fields.set(key, values);
  if (isSelfClosed) return at + 1;
  const isList = LISTS.includes(key);
  const isOver = (token: Token) =>
    token.kind !== 'text' &&
    (token.name === name
      ? token.kind === 'close'
      : !(isList && ITEMS.includes(token.name)) && (isKind(token.name) || !!fieldOf(top.kind, token.name)));
  const close = closings[at] ?? -1;
  const end = close >= 0 ? close : findFrom(tokens, at + 1, tokens.length, isOver);
  const isOne = Object.hasOwn(SINGULAR, name);
  const items = isList && !isOne ? readItems(walk, at + 1, end) : [];
  const all = items.length > 0 ? items : [{ text: textBetween(tokens, at + 1, end), isItem: isOne }];
  values.push(...(close >= 0 ? all : all.map(withoutTornEnd)));
  walk.isBroken ||= close < 0;
  return close >= 0 ? end + 1 : end;
}

function readItems({ tokens, closings }: Walk, from: number, to: number): Value[] {
  const items: Value[] = [];
  const isItemTag = (token: Token) => token.kind !== 'text' && ITEMS.includes(token.name);
  for (let at = findFrom(tokens, from, to, isItemTag); at < to; at = findFrom(tokens, at + 1, to, isItemTag)) {
    if (tokens[at]?.kind !== 'open') continue;
    const close = closings[at] ?? -1;
    const end = close >= 0 && close < to ? close : findFrom(tokens, at + 1, to, isItemTag);
    items.push({ text: textBetween(tokens, at + 1, end), isItem: true });
    at = end - 1;
  }
  return items;
}

function findFrom(tokens: Token[], from: number, to: number, isWanted: (token: Token) => boolean): number {
  for (let at = from; at < to; at++) if (isWanted(tokens[at] as Token)) return at;
  return to;
}

const textBetween = (tokens: Token[], from: number, to: number): string =>
  tokens
    .slice(from, to)
    .map((token) => (token.kind === 'text' ? token.text : token.source))
    .join('');

/** A closing tag with a slip in its name, or the fence around the answer, is not what the field says. */
const withoutTornEnd = ({ text, isItem }: Value): Value => ({
  text: text.trimEnd().replace(/(?:<\/?[a-z][\w-]{0,50}>|`{3,9})$/i, ''),
  isItem,
});

const ENTITY = /&(?:#x([0-9a-f]{1,8})|#([0-9]{1,10})|([a-z]{2,6}));/gi;
const NAMED = new Map(
  Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', mdash: '—', ndash: '–', hellip: '…', rarr: '→' }),
);

/** Entities undone, once: `&amp;lt;` is the text `&lt;`. */
export function decodeEntities(text: string): string {
  return text.replace(ENTITY, (whole, hex?: string, decimal?: string, name?: string) => {
    if (name) return NAMED.get(name.toLowerCase()) ?? whole;
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
    const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : '\ufffd';
  });
}
