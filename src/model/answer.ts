// Reads a model's answer, however badly written, into what it says. Never throws, in time that grows with the text alone.

import { OBSERVATION_TYPES, type ObservationDraft, type ObservationType, type SummaryDraft } from '../core/observation.ts';

// What a model's answer says, read but not yet believed: paths, sources and types are checked afterwards.

export type ParsedObservation = Omit<ObservationDraft, 'facts' | 'keywords' | 'sources' | 'outcome' | 'origin' | 'at'> & {
  facts: string[];
  /** Numbers of the events it says it comes from, as the prompt numbered them. */
  sources: number[];
  keywords: string | null;
  /** It says that nothing has borne it out. */
  isUnverified: boolean;
};

/** `words`: quoted from the turn. */
export type ParsedClaim = { id: number; words: string; isPart: boolean };

export type ParsedSummary = Omit<SummaryDraft, 'at'>;

export type ParsedAnswer = ReturnType<typeof parseAnswer>;

/** More than any answer that is asked for; of a longer one the head counts. */
const MOST_READ = 512 * 1024;
const MOST_OBSERVATIONS = 50;
const MOST_CLAIMS = 20;
const MOST_STEPS = 12;
const LENGTH = { title: 300, subtitle: 500, narrative: 8000, summary: 4000, keywords: 200, words: 600 };
/** Names hold no comma, sentences do. */
type ListLimits = { count: number; length: number; isOfNames: boolean };
const FACTS = { count: 40, length: 1000, isOfNames: false };
const CONCEPTS = { count: 20, length: 60, isOfNames: true };
const FILES = { count: 100, length: 500, isOfNames: true };

/** What a model says to itself is no answer. */
const THINKING = /^\s*<think(?:ing)?>[\s\S]*?<\/think(?:ing)?>/i;

export function parseAnswer(text: string) {
  const { found, isCut } = readElements(text.slice(0, MOST_READ).replace(THINKING, ''));
  const ofKind = (kind: Kind) => found.filter((one) => one.kind === kind);
  const [session] = ofKind('session').filter(hasFields);
  const skippedSummary = reasonOf(ofKind('skipsummary'));
  const nothingToRecord = reasonOf(ofKind('noobservations'));
  // `<summary>` is also a tag of HTML, and prose may name any of ours: only with a field of ours is it an element of ours.
  const isReadable = (skippedSummary ?? nothingToRecord) !== null || found.some(hasFields);
  return {
    observations: ofKind('observation').map(readObservation).filter(hasContent).slice(0, MOST_OBSERVATIONS),
    // As the seeds have it: a skip counts before anything else that is said about the turn.
    summary: skippedSummary === null ? readSummary(ofKind('summary')) : null,
    /** The reason that was given for leaving it out; '' for none. */
    skippedSummary,
    nothingToRecord,
    replaced: ofKind('replaced').slice(0, MOST_CLAIMS).flatMap(readClaim),
    closed: ofKind('closed').slice(0, MOST_CLAIMS).flatMap(readClaim),
    sessionTitle: session ? readLine(session, 'title', LENGTH.title) : null,
    sessionSubtitle: session ? readLine(session, 'subtitle', LENGTH.subtitle) : null,
    /** Some of our grammar was there. False for prose, HTML, a refusal: nothing in it is an answer. */
    isReadable,
    /** It was said to the end, slips aside: no observation in it is a half one, and none is missing. */
    isWhole: isReadable && !isCut && text.length <= MOST_READ,
  };
}

const hasFields = ({ fields }: Element) => fields.size > 0;

const REASON = /\breason\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)')/i;

function reasonOf([mark]: Element[]): string | null {
  if (!mark) return null;
  const [, double, single] = REASON.exec(mark.attributes) ?? [];
  return readLine(mark, 'reason', LENGTH.subtitle) ?? cleanLine(decodeEntities(double ?? single ?? ''), LENGTH.subtitle) ?? '';
}

function readObservation(element: Element): ParsedObservation {
  const type = readType(element);
  return {
    type,
    title: readLine(element, 'title', LENGTH.title),
    subtitle: readLine(element, 'subtitle', LENGTH.subtitle),
    narrative: readText(element, 'narrative', LENGTH.narrative),
    facts: readList(element, 'facts', FACTS),
    concepts: readList(element, 'concepts', CONCEPTS).filter((concept) => concept.toLowerCase() !== type),
    filesRead: readList(element, 'filesread', FILES),
    filesModified: readList(element, 'filesmodified', FILES),
    keywords: readLine(element, 'keywords', LENGTH.keywords),
    sources: readNumbers(element, 'sources'),
    isUnverified: readLine(element, 'outcome', 40)?.toLowerCase() === 'unverified',
  };
}

const hasContent = ({ title, subtitle, narrative, facts, concepts, filesRead, filesModified }: ParsedObservation) =>
  [title, subtitle, narrative].some((text) => text !== null) || [facts, concepts, filesRead, filesModified].some((list) => list.length > 0);

/** The first that says something; one with nothing but empty fields is still a summary. */
function readSummary(elements: Element[]): ParsedSummary | null {
  const read = elements.filter(hasFields).slice(0, MOST_OBSERVATIONS).map(summaryOf);
  return read.find((summary) => Object.values(summary).some((value) => value?.length)) ?? read[0] ?? null;
}

function summaryOf(element: Element): ParsedSummary {
  const text = (field: string) => readText(element, field, LENGTH.summary);
  return {
    request: text('request'),
    investigated: text('investigated'),
    learned: text('learned'),
    completed: text('completed'),
    nextSteps: readSteps(element) ?? text('nextsteps'),
    filesRead: readList(element, 'filesread', FILES),
    filesEdited: readList(element, 'filesedited', FILES),
    notes: text('notes'),
  };
}

function readSteps({ fields }: Element): string | null {
  const steps = (fields.get('nextsteps') ?? []).filter(({ isItem }) => isItem).slice(0, MOST_STEPS);
  return (
    steps
      .flatMap(({ text }) => cleanLine(text, LENGTH.title) ?? [])
      .map((line) => `- ${line}`)
      .join('\n') || null
  );
}

function readClaim(element: Element): ParsedClaim[] {
  const [id] = readNumbers(element, 'id');
  const words = readText(element, 'words', LENGTH.words);
  // What is not said to be all of it is a part.
  return id === undefined || words === null ? [] : [{ id, words, isPart: readLine(element, 'part', 20)?.toLowerCase() !== 'whole' }];
}

// A field's raw values as what they mean: one text, a list, a type, numbers.

/** A field that stands there twice counts by its first text that says something. */
function readText({ fields }: Element, key: string, max: number, clean = cleanText): string | null {
  for (const { text } of fields.get(key) ?? []) {
    const cleaned = clean(text, max);
    if (cleaned !== null) return cleaned;
  }
  return null;
}

const readLine = (element: Element, key: string, max: number): string | null => readText(element, key, max, cleanLine);

/** Missing or unknown is a change; "Bug fix", `bug_fix` and "🔴 bugfix" are a bugfix. */
function readType(element: Element): ObservationType {
  const word = (readLine(element, 'type', 60) ?? '').toLowerCase().replace(/[^a-z]/g, '');
  return OBSERVATION_TYPES.find((type) => type === word) ?? 'change';
}

/** A list that stands there twice is one list. Without a tag for each thing, each line (of names: each comma) is one. */
function readList({ fields }: Element, key: string, { count, length, isOfNames }: ListLimits): string[] {
  const list = new Set<string>();
  for (const value of fields.get(key) ?? []) {
    for (const part of splitList(value, isOfNames)) {
      if (list.size >= count) return [...list];
      const bare = part.trim().replace(/^(?:[-*•·–—]|\d{1,3}[.)])\s+/, '');
      const one = cleanLine(isOfNames ? bare.replace(/^["'`]+|["'`]+$/g, '') : bare, length);
      if (one !== null) list.add(one);
    }
  }
  return [...list];
}

function splitList({ text, isItem }: Value, isOfNames: boolean): string[] {
  if (isOfNames) return text.split(isItem ? /\n|,\s/ : /[\n,]/);
  return isItem ? [text] : text.split('\n');
}

const MOST_SOURCES = 500;

/** "1,4", "#1 and #4", "2-5". */
function readNumbers({ fields }: Element, key: string): number[] {
  const numbers = new Set<number>();
  const text = (fields.get(key) ?? []).map((value) => value.text.slice(0, 4000)).join(' ');
  for (const [, from, to] of text.matchAll(/(?<!\d)(\d{1,6})(?:\s{0,3}[-–]\s{0,3}(\d{1,6}))?(?!\d)/g)) {
    const last = Math.min(Number(to ?? from), Number(from) + MOST_SOURCES);
    for (let number = Number(from); number <= last && numbers.size < MOST_SOURCES; number++) numbers.add(number);
  }
  return [...numbers].filter((number) => number > 0);
}

// Text of an answer made fit to keep: composed, without controls and invisible characters, at most so long.

function cleanLine(text: string, max: number): string | null {
  return orNull(cutAtWord(visible(text, max).replace(/\s+/g, ' ').trim(), max));
}

/** Several lines: paragraphs and their shape stay, the indentation of the answer goes. */
function cleanText(text: string, max: number): string | null {
  const lines = visible(text, max)
    .split('\n')
    .map((line) => line.trimEnd());
  const indents = lines.slice(1, 10_000).flatMap((line) => (line ? [line.length - line.trimStart().length] : []));
  const indent = Math.min(...indents);
  const flush = lines.map((line, at) => (at === 0 ? line : line.slice(Math.min(indent, line.length)))).join('\n');
  return orNull(cutAtWord(flush.replace(/\n{3,}/g, '\n\n').trim(), max));
}

// Bidi overrides and zero-width characters are ignorable too: nothing a reader sees is lost.
const UNSEEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufff9-\ufffb]|\p{Default_Ignorable_Code_Point}/gu;

/** No script stacks more marks on a letter, and composing long runs of them takes time squared. */
const PILED_MARKS = /(\p{M}{8})\p{M}+/gu;

const visible = (text: string, max: number): string =>
  text
    .trimStart()
    .slice(0, max * 2 + 1000)
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(UNSEEN, '')
    .replace(PILED_MARKS, '$1')
    .normalize('NFC');

function cutAtWord(text: string, max: number): string {
  if (text.length <= max) return text;
  const head = text.slice(0, max + 1);
  const space = Math.max(head.lastIndexOf(' '), head.lastIndexOf('\n'));
  return (space > max * 0.6 ? head.slice(0, space) : head.slice(0, max).replace(/[\ud800-\udbff]$/, '')).trimEnd();
}

const NOTHING = /^[([]?(?:none|n\/?a|null|nil|undefined|nothing|-+|—|–)?[)\]]?\.?$/i;

const orNull = (text: string): string | null => (NOTHING.test(text) ? null : text);

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
function readElements(answer: string): { found: Element[]; isCut: boolean } {
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
function decodeEntities(text: string): string {
  return text.replace(ENTITY, (_, hex?: string, decimal?: string, name = '') => {
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
    const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    return NAMED.get(name.toLowerCase()) ?? (isCharacter ? String.fromCodePoint(code) : '\ufffd');
  });
}
