// The elements of an answer with their fields, as raw text. Whatever is not one of our tags is text: models write code unescaped.
// Not a general XML parser on purpose: `i <n` would open an element there and swallow the rest, and a stack of them costs time squared.

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

/** One of our tags: `files-read`, `filesRead` and `FILES_READ` are one name. It stands from `at` to `end`. */
type Tag = { name: string; isClose: boolean; isEmpty: boolean; attributes: string; at: number; end: number };

const ATTRIBUTES = `(?:\\s{1,9}[\\w-]{1,30}\\s{0,9}=\\s{0,9}(?:"[^"]{0,999}"|'[^']{0,999}')){0,20}`;
const TAG = new RegExp(`<(/?)\\s{0,9}([a-z][\\w-]{0,29})(${ATTRIBUTES})\\s{0,9}(/?)>`, 'gi');
/** The text ends inside of one. */
const HALF_TAG = /(?:<(?:\/?[a-z][\w-]*|\/|!\[?[a-z]*\[?)?|&#?\w{0,8})$/i;
/** Never closed, it is text to the end all the same: what stands in it must not become markup. */
const CDATA = /<!\[cdata\[([\s\S]*?)(\]\]>|$)/gi;

const readTags = (text: string): Tag[] =>
  [...text.matchAll(TAG)]
    .map(([source, slash, tag = '', attributes = '', end], index, all) => {
      const at = all[index]?.index ?? 0;
      const name = tag.toLowerCase().replace(/[-_]/g, '');
      return { name, isClose: slash === '/', isEmpty: end === '/', attributes, at, end: at + source.length };
    })
    .filter(({ name }) => OURS.has(name));

/** A closing tag belongs to the nearest one before it of the same name that is still open; by the number of that one. */
function findClosings(tags: Tag[]): Map<number, number> {
  const closings = new Map<number, number>();
  const open = new Map<string, number[]>();
  for (const [at, { name, isClose, isEmpty }] of tags.entries()) {
    const sameName = open.get(name) ?? [];
    open.set(name, sameName);
    const opening = isClose ? sameName.pop() : undefined;
    if (opening !== undefined) closings.set(opening, at);
    if (!isClose && !isEmpty) sameName.push(at);
  }
  return closings;
}

/** An answer has a dozen. What comes after so many is a flood. */
const MOST_ELEMENTS = 2000;

/** In the order in which they begin. `isCut`: an observation was begun and never closed, or not all was read. */
export function readElements(answer: string): { found: Element[]; isCut: boolean } {
  const half = HALF_TAG.exec(answer.slice(-40))?.[0] ?? '';
  let isCut = half.startsWith('<');
  const text = answer.slice(0, answer.length - half.length).replace(CDATA, (_, content: string, end: string) => {
    isCut ||= end === '';
    return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  });
  const tags = readTags(text);
  const closings = findClosings(tags);
  const found: Element[] = [];
  const open: Element[] = [];
  const left: Element[] = [];
  for (let at = 0; at < tags.length && found.length < MOST_ELEMENTS; at++) {
    const { name, isClose, isEmpty, attributes } = tags[at] as Tag;
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
      at = readField(text, tags, { at, close: closings.get(at) }, top);
    }
  }
  // Prose may name a tag of ours: only what has fields was begun.
  const isHalf = ({ kind, fields }: Element) => kind === 'observation' && fields.size > 0;
  return { found, isCut: isCut || found.length >= MOST_ELEMENTS || [...left, ...open].some(isHalf) };
}

/**
 * A field that is closed holds everything up to its closing tag as text, whatever that looks like: an observation in it is quoted.
 * One that was never closed ends where its element goes on or another begins. The last tag that was read.
 */
function readField(text: string, tags: Tag[], { at, close }: { at: number; close?: number }, { kind, fields }: Element): number {
  const { name, isEmpty } = tags[at] as Tag;
  const key = fieldOf(kind, name);
  if (!key) return at;
  const values = fields.get(key) ?? [];
  fields.set(key, values);
  if (isEmpty) return at;
  const isList = LISTS.includes(key);
  const isOver = (tag: Tag) => {
    if (tag.name === name) return tag.isClose;
    return !(isList && ITEMS.includes(tag.name)) && (isKind(tag.name) || fieldOf(kind, tag.name) !== null);
  };
  const end = close ?? findFrom(tags, at + 1, isOver);
  const isOne = key !== name;
  const items = isList && !isOne ? readItems(text, tags, at, end) : [];
  const all = items.length > 0 ? items : [{ text: textBetween(text, tags, at, end), isItem: isOne }];
  values.push(...(close === undefined ? all.map(withoutTornEnd) : all));
  return close ?? end - 1;
}

function readItems(text: string, tags: Tag[], from: number, to: number): Value[] {
  const marks = tags.slice(from + 1, to).flatMap((tag, at) => (ITEMS.includes(tag.name) ? [from + 1 + at] : []));
  return marks.flatMap((at, number) =>
    tags[at]?.isClose ? [] : [{ text: textBetween(text, tags, at, marks[number + 1] ?? to), isItem: true }],
  );
}

function findFrom(tags: Tag[], from: number, isWanted: (tag: Tag) => boolean): number {
  for (let at = from; at < tags.length; at++) if (isWanted(tags[at] as Tag)) return at;
  return tags.length;
}

const textBetween = (text: string, tags: Tag[], from: number, to: number): string =>
  decodeEntities(text.slice(tags[from]?.end, tags[to]?.at));

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
