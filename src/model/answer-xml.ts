// The elements of an answer with their fields, as raw text. Whatever is not one of our tags is text: models write code unescaped.
// Not a general XML parser on purpose: `i <n` would open an element there and swallow the rest, and its stack costs time squared.

/** `isItem`: one thing of a list; otherwise the text of a list is still to be split. */
export type Value = { text: string; isItem: boolean };
export type Kind = keyof typeof FIELDS;
/** A field that stands there empty is in the map, with nothing in it. */
export type Element = { kind: Kind; attributes: string; fields: Map<string, Value[]> };

const FIELDS = {
  observation: 'type title subtitle narrative facts concepts keywords filesread filesmodified sources outcome'.split(' '),
  summary: 'request investigated learned completed nextsteps filesread filesedited notes'.split(' '),
  session: ['title', 'subtitle'],
  replaced: ['id', 'words', 'part'],
  closed: ['id', 'words'],
  skipsummary: ['reason'],
  noobservations: ['reason'],
};
const LISTS = ['facts', 'concepts', 'filesread', 'filesmodified', 'filesedited', 'nextsteps'];
const ITEMS = ['fact', 'concept', 'file', 'step', 'item', 'li'];
const OURS = new Set([...Object.keys(FIELDS), ...Object.values(FIELDS).flat(), ...ITEMS]);

const isKind = (name: string): name is Kind => Object.hasOwn(FIELDS, name);

/** What a tag means inside of an element; models also write `<fact>` without `<facts>` around it. */
const fieldOf = (kind: Kind, name: string): string | null => [name, `${name}s`].find((key) => FIELDS[kind].includes(key)) ?? null;

/** A tag has a name: `files-read`, `filesRead` and `FILES_READ` are one. Its text is the tag as it was written, should it be quoted. */
type Token = { text: string; name?: string; isClose?: boolean; isEmpty?: boolean; attributes?: string };

/** Nothing that begins in CDATA: that would lay bare what stands behind it. */
const ATTRIBUTES = `(?:\\s{1,9}[\\w-]{1,30}\\s{0,9}=\\s{0,9}(?:"(?:[^"<]|<(?!!)){0,999}"|'(?:[^'<]|<(?!!)){0,999}')){0,20}`;
const MARK = new RegExp(`<!\\[cdata\\[([\\s\\S]*?)(?:\\]\\]>|$)|<(/?)\\s{0,9}([a-z][\\w-]{0,29})(${ATTRIBUTES})\\s{0,9}(/?)>`, 'gi');
/** The text ends inside of one. */
const HALF_MARK = /(?:<(?:\/?[a-z][\w-]*|\/|!\[?[a-z]*\[?)?|&#?\w{0,8})$/i;

/** An answer as a row of our own tags and the text between them. `isCut`: it ends inside of a tag or CDATA. */
function readTokens(answer: string): { tokens: Token[]; isCut: boolean } {
  const half = HALF_MARK.exec(answer.slice(-40))?.[0] ?? '';
  const text = answer.slice(0, answer.length - half.length);
  const tokens: Token[] = [];
  let from = 0;
  let isCut = half.startsWith('<');
  const pushText = (to: number) => from < to && tokens.push({ text: decodeEntities(text.slice(from, to)) });
  for (const match of text.matchAll(MARK)) {
    const [source, content, slash, tag = '', attributes, end] = match;
    const name = tag.toLowerCase().replace(/[-_]/g, '');
    if (content === undefined && !OURS.has(name)) continue;
    pushText(match.index);
    from = match.index + source.length;
    // CDATA that is never closed is text to the end: what stands in it must not become markup.
    isCut ||= content !== undefined && !source.endsWith(']]>');
    tokens.push(
      content === undefined ? { text: source, name, isClose: slash === '/', isEmpty: end === '/', attributes } : { text: content },
    );
  }
  pushText(text.length);
  return { tokens, isCut };
}

/** A closing tag belongs to the nearest one before it of the same name that is still open. -1: never closed. */
function findClosings(tokens: Token[]): number[] {
  const closings = tokens.map(() => -1);
  const open = new Map<string, number[]>();
  for (const [at, { name, isClose, isEmpty }] of tokens.entries()) {
    if (name === undefined || isEmpty) continue;
    const sameName = open.get(name) ?? [];
    open.set(name, sameName);
    const opening = isClose ? sameName.pop() : undefined;
    if (!isClose) sameName.push(at);
    else if (opening !== undefined) closings[opening] = at;
  }
  return closings;
}

/** An answer has a dozen. What comes after so many is a flood. */
const MOST_ELEMENTS = 2000;

/** In the order in which they begin. `isCut`: an observation was begun and never closed, or not all was read. */
export function readElements(text: string): { found: Element[]; isCut: boolean } {
  const { tokens, isCut } = readTokens(text);
  const closings = findClosings(tokens);
  const found: Element[] = [];
  const open: Element[] = [];
  const left: Element[] = [];
  for (let at = 0; at < tokens.length && found.length < MOST_ELEMENTS; at++) {
    const { name, isClose, isEmpty, attributes = '' } = tokens[at] ?? {};
    if (name === undefined) continue;
    const top = open.at(-1);
    if (isKind(name) && isClose) {
      const opened = open.findLastIndex((one) => one.kind === name);
      // Closes what was left open inside of it as well.
      if (opened >= 0) left.push(...open.splice(opened).slice(1));
    } else if (isKind(name)) {
      const element: Element = { kind: name, attributes, fields: new Map() };
      found.push(element);
      if (!isEmpty) open.push(element);
    } else if (top && !isClose) {
      at = readField(tokens, closings, at, top);
    }
  }
  // Prose may name a tag of ours: only what has fields was begun.
  const isHalf = ({ kind, fields }: Element) => kind === 'observation' && fields.size > 0;
  return { found, isCut: isCut || found.length >= MOST_ELEMENTS || [...left, ...open].some(isHalf) };
}

/**
 * A field that is closed holds everything up to its closing tag as text, whatever that looks like: an observation in it is quoted.
 * One that was never closed ends where its element goes on or another begins. The last token that was read.
 */
function readField(tokens: Token[], closings: number[], at: number, { kind, fields }: Element): number {
  const { name = '', isEmpty } = tokens[at] ?? {};
  const key = fieldOf(kind, name);
  if (!key) return at;
  const values = fields.get(key) ?? [];
  fields.set(key, values);
  if (isEmpty) return at;
  const isList = LISTS.includes(key);
  const isOver = (token: Token) => {
    if (token.name === undefined || token.name === name) return token.isClose === true;
    return !(isList && ITEMS.includes(token.name)) && (isKind(token.name) || fieldOf(kind, token.name) !== null);
  };
  const close = closings[at] ?? -1;
  const end = close >= 0 ? close : findFrom(tokens, at + 1, tokens.length, isOver);
  const isOne = key !== name;
  const items = isList && !isOne ? readItems(tokens, closings, at + 1, end) : [];
  const all = items.length > 0 ? items : [{ text: textBetween(tokens, at + 1, end), isItem: isOne }];
  values.push(...(close >= 0 ? all : all.map(withoutTornEnd)));
  return close >= 0 ? close : end - 1;
}

function readItems(tokens: Token[], closings: number[], from: number, to: number): Value[] {
  const items: Value[] = [];
  const isItem = ({ name }: Token) => name !== undefined && ITEMS.includes(name);
  for (let at = findFrom(tokens, from, to, isItem); at < to; at = findFrom(tokens, at + 1, to, isItem)) {
    if (tokens[at]?.isClose) continue;
    const close = closings[at] ?? -1;
    const end = close >= 0 && close < to ? close : findFrom(tokens, at + 1, to, isItem);
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
    .map(({ text }) => text)
    .join('');

/** A closing tag with a slip in its name, or the fence around the answer, is not what the field says. */
const withoutTornEnd = ({ text, isItem }: Value): Value => ({
  text: text.trimEnd().replace(/(?:<\/?[a-z][\w-]{0,50}>|`{3,9})$/i, ''),
  isItem,
});

const ENTITY = /&(?:#x([0-9a-f]{1,8})|#([0-9]{1,10})|(amp|lt|gt|quot|apos|nbsp));/gi;
const NAMED = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }));

/** Entities undone, once: `&amp;lt;` is the text `&lt;`. */
export function decodeEntities(text: string): string {
  return text.replace(ENTITY, (_, hex?: string, decimal?: string, name = '') => {
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
    const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    return NAMED.get(name.toLowerCase()) ?? (isCharacter ? String.fromCodePoint(code) : '\ufffd');
  });
}
