// When a turn makes an older memory untrue: a value it named has changed, its lines are gone, it was reverted, or somebody says so.
import type { Why } from '../core/memory.ts';
import type { ObservationType } from '../core/observation.ts';
import { stemWord } from '../search/query-words.ts';
import { isStopWord } from '../search/stop-words.ts';
import type { TurnRecord } from '../turns/record.ts';
import { type ChangedLine, changedLines, type EditedLine, editedLines, type LineFate, nameSet, readFate } from './changes.ts';
import { contentWords, sentencesOf } from './sentences.ts';
import { runsOf } from './turn.ts';
import { CLAUSE_END, denied, isRefusal, type Use, until, uses, without } from './words.ts';

/** A memory, as far as it matters here. */
export type Known = {
  id: number;
  type: ObservationType;
  title: string;
  facts: string[];
  by: 'user' | 'agent';
  isRule: boolean;
  /** Those it changed first. */
  files: string[];
  /** Lines that its turn added and that were there in the end. */
  added: EditedLine[];
  /** Lines that it took out. */
  removed: string[];
  /** How many turns ago. */
  ago: number;
  /** Its turn committed what it did. */
  isCommitted: boolean;
  /** The hashes of the commits that hold it. */
  commits: () => string[];
  /** It is of the turn before, which ended in a question or an offer: a no is the answer to that. */
  isAsking: boolean;
};

type Replacement = {
  older: number;
  /** Which memory of the turn stands in its place; null: the turn itself. */
  newer: number | null;
  /** Certain: found, marked, never given as current. Maybe: given behind the newer one, with a mark. */
  isCertain: boolean;
  why: Why;
  /** The words or the line that show it. */
  words: string;
  /** It was tried and taken back, and nothing else came in its place. */
  isGivenUp?: boolean;
};

/** `own`: what the turn itself left. */
type ReplaceCase = { prompt: string; record: TurnRecord; own: Known[]; known: Older[] };

/** One for each memory that is replaced: the first that is certain, or the first. */
export function findReplaced({ prompt, record, own, known }: ReplaceCase): Replacement[] {
  const turn: Turn = {
    prompt,
    reverted: runsOf(record).flatMap(({ command, isOk }) => (isOk ? [...command.matchAll(REVERTS)] : [])),
    changes: changedLines(record),
    fateOf: readFate(record),
    added: editedLines(record, '+').map(({ text }) => text),
    own: own.map(readNewer),
  };
  return known.flatMap((memory) => {
    const found = JUDGES.flatMap((judge) => judge(memory, turn) ?? []);
    const best = found.find(({ isCertain }) => isCertain) ?? sayTwice(found) ?? found[0];
    const newer = own.find((one) => sharesFile(one, memory)) ?? own[0];
    return best ? [{ older: memory.id, newer: newer?.id ?? null, ...best }] : [];
  });
}

/** What the user says no to, and the code has no more, is over. */
function sayTwice(found: Said[]): Said | undefined {
  const said = found.find(({ why }) => why === 'user said so');
  return said && found.some(({ why }) => why === 'undone' || why === 'value changed') ? { ...said, isCertain: true } : undefined;
}

/** `denies`: what it says no to itself. */
export type Older = Known & { inTitle: Set<string>; words: Set<string>; denies: Set<string> };

export const readOlder = (memory: Known): Older => ({
  ...memory,
  inTitle: new Set(contentWords(memory.title)),
  words: new Set([memory.title, ...memory.facts.slice(0, 3)].flatMap(contentWords)),
  denies: new Set([memory.title, ...memory.facts.slice(0, 3)].flatMap(denied).flatMap(contentWords)),
});

type Turn = {
  prompt: string;
  reverted: RegExpExecArray[];
  changes: ChangedLine[];
  fateOf: LineFate;
  added: string[];
  own: Newer[];
};

/** `newer`: where it is not what the turn left about the same file. */
type Said = Pick<Replacement, 'isCertain' | 'why' | 'words' | 'isGivenUp'> & { newer?: number };
type Judge = (memory: Older, turn: Turn) => Said | Said[] | null;

/** `git revert`, by the commit that the memory holds. */
const REVERTS = /\bgit\s+(?:-C \S+\s+)?revert\s([^;&|\n]*)/g;

function byRevert({ type, commits }: Known, { reverted }: Turn): Said | null {
  if (reverted.length === 0 || type === 'discovery' || type === 'decision') return null;
  const hashes = commits().map((hash) => hash.slice(0, 7));
  const by = reverted.find(([, named = '']) => hashes.some((hash) => named.includes(hash)));
  return by ? { why: 'reverted', words: by[0], isCertain: true, isGivenUp: true } : null;
}

/** A line that an older turn wrote, or that it names the value of, is the same but for a value. No language at all. */
function byValue(memory: Known, { prompt, changes }: Turn): Said | null {
  const said = [memory.title, ...memory.facts].join('\n');
  const mine = changes.filter(({ before }) => memory.added.some(({ text }) => text.includes(before)));
  const read = changes.filter(({ file }) => memory.files.includes(file) || said.includes(file));
  // What was broken is mended, whatever is set to another value beside it.
  const isAbout = memory.type !== 'bugfix' && hasOtherNumber(prompt, [said]);
  const change =
    mine.find((one) => namesOld(memory.title, one)) ??
    mine.find((one) => namesOld(said, one, NUMBER)) ??
    read.find((one) => namesOld(said, one, RARE)) ??
    changes.find((one) => namesSet(said, one) && namesOld(said, one, NUMBER)) ??
    mine.find((one) => (one.slot ? isSaid(one.slot, said, prompt) : isAbout));
  if (!change) return null;
  const isCertain = mine.includes(change) && namesOld(memory.title, change);
  return { why: 'value changed', words: `${change.before} → ${change.after}`, isCertain };
}

/** A number of two digits, or a text in quotes: a single digit stands anywhere. */
const VALUE = /\d[\d._,]*\d|(["'`])(?:(?!\1).){2,60}\1/g;
/** In a line that the turn itself wrote any number tells; in one that it only read, one that is rarely met. */
const NUMBER = /\d[\d._,]*\d|\d/g;
const RARE = /\d[\d._,]*\d{2}/g;
const valuesOf = (line: string, value: RegExp): string[] => line.match(value)?.map(bare) ?? [];
const bare = (value: string) => value.replace(/["'`_,]/g, '').toLowerCase();

function namesOld(said: string, { before, after }: ChangedLine, value = VALUE): boolean {
  const still = new Set(valuesOf(after, value));
  const gone = valuesOf(before, value).filter((one) => !still.has(one));
  const text = said.toLowerCase().replace(/[_,]/g, '');
  return gone.some((one) => new RegExp(`(?<![\\d.])${quote(one)}(?![\\d])`).test(text));
}

/** By the name that the line gives a value. */
const namesSet = (said: string, { before }: ChangedLine): boolean => {
  const name = nameSet(before);
  return name !== null && said.includes(name);
};

const quote = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The memory has the word that went, the user the one that came. */
const isSaid = ({ gone, came }: { gone: string; came: string }, said: string, prompt: string): boolean =>
  said.toLowerCase().includes(gone.toLowerCase()) && prompt.toLowerCase().includes(came.toLowerCase());

/** Most of what its turn had added is gone again. */
const MOST_GONE = 0.6;

function byRemoval(memory: Known, { prompt, added, fateOf }: Turn): Said | null {
  const lines = memory.added.filter(({ text }) => text.length > 3);
  const gone = lines.filter((line) => fateOf(line, memory.isCommitted) !== 'kept');
  const isRefused = gone.length > 0 && memory.ago <= 2 && isRefusal(prompt);
  if (gone.length === 0 || gone.length < lines.length * MOST_GONE) return null;
  const isCertain = isRefused || (memory.type !== 'decision' && lines.every((line) => fateOf(line, memory.isCommitted) === 'gone'));
  const isGivenUp = isCertain && (isRefused || added.every((line) => memory.removed.includes(line)));
  return { why: 'undone', words: gone[0]?.text ?? '', isCertain, isGivenUp };
}

/** What it is named by stood in the lines that its turn added; those are gone, and no line that came has it. */
function byTerm(memory: Known, { added, fateOf }: Turn): Said | null {
  const gone = memory.added.filter((line) => fateOf(line, memory.isCommitted) !== 'kept');
  const now = gone.length > 0 ? added.join('\n').toLowerCase() : '';
  for (const term of gone.length > 0 ? [memory.title, ...memory.facts].flatMap(termsOf) : []) {
    const line = now.includes(term) ? undefined : gone.find(({ text }) => text.toLowerCase().includes(term));
    if (line !== undefined) return { why: 'undone', words: line.text, isCertain: false };
  }
  return null;
}

/** Names of code, and words that only somebody who means the thing uses. */
const termsOf = (title: string): string[] =>
  (title.match(/[\p{L}_][\p{L}\p{N}_.]{4,}/gu) ?? []).map((term) => term.toLowerCase().replace(/\.+$/, ''));

/** What is laid down or done now, sentence by sentence. */
type Newer = Known & { isLaidDown: boolean; sentences: Sentence[] };
type Sentence = { text: string; words: string[]; denied: string[] };

function readNewer(memory: Known): Newer {
  const { type, by, title, facts } = memory;
  const isLaidDown = type === 'decision' && by === 'user';
  const said = isLaidDown ? [title, ...facts.slice(0, 4)].filter((one) => !uses(one, 'fail') && !uses(one, 'report')) : [title];
  return { ...memory, isLaidDown, sentences: said.map(readSentence) };
}

const readSentence = (text: string): Sentence => ({ text, words: contentWords(text), denied: denied(text).flatMap(contentWords) });

/** Against what was before: about the same, with another number or with a no to it. */
function byWord(memory: Older, { own }: Turn): Said[] {
  return own.flatMap((newer) => {
    const found = otherwise(newer, memory);
    return found ? [{ why: newer.by === 'user' ? 'user said so' : 'rejected by name', newer: newer.id, ...found }] : [];
  });
}

type Found = Pick<Replacement, 'words' | 'isCertain'> | null;

/** A rule is reversed by the user alone, and not for this once. */
function otherwise(newer: Newer, older: Older): Found {
  const { isRule, title } = older;
  if (isRule && newer.isRule) return reversesRule(newer.title, title);
  if (!isRule) return newer.isLaidDown ? saysOtherwise(newer, older) : decidesOtherwise(newer, older);
  if (!newer.isLaidDown || uses(newer.title, 'once')) return null;
  // What the agent added to it is not the user's word.
  return saysOtherwise({ ...newer, sentences: newer.sentences.filter(({ text }) => text === newer.title) }, older);
}

/** Of the same act: one bans what the other asks for, the number or the manner is another, or of all of it only a part is wanted now. */
function reversesRule(newer: string, older: string): Found {
  const [now, then] = [readRule(newer), readRule(older)];
  const found = (isCertain: boolean) => ({ words: newer, isCertain });
  if (now.isBan !== then.isBan) return (now.isBan ? asksFor(then, now) : asksFor(now, then)) ? found(true) : null;
  const shared = now.asked.intersection(then.asked).size;
  const fewer = Math.min(now.asked.size, then.asked.size);
  if (shared > 0 && !(now.refused.isDisjointFrom(then.asked) && then.refused.isDisjointFrom(now.asked))) return found(true);
  if (shared > 0 && shared === fewer && hasOtherNumber(newer, [older])) return found(true);
  if (now.isBan) return null;
  if (hasOtherManner(now.words, then.words)) return found(uses(newer, 'change'));
  const isSameAct = shared > 0 && (shared >= fewer / 2 || [...now.asked][0] === [...then.asked][0]);
  return isSameAct && uses(newer, 'part') && uses(older, 'whole') ? found(false) : null;
}

/** `words`: in their order, without those that make a rule of it. `asked` and `refused`: of them, in their stems, what tells something. */
type Rule = { isBan: boolean; words: string[]; asked: Set<string>; refused: Set<string> };

function readRule(text: string): Rule {
  const clauses = text.split(CLAUSE_END).filter((clause) => tellingOf(wordsOfRule(clause)).size > 0);
  const isBan = uses(clauses[0] ?? '', 'ban');
  const kept = isBan ? (clauses[0] ?? '') : until(text, 'deny') || text;
  const words = wordsOfRule(kept);
  return { isBan, words, asked: tellingOf(words), refused: isBan ? new Set() : tellingOf(wordsOfRule(text.slice(kept.length))) };
}

const wordsOfRule = (text: string): string[] =>
  [...WORDS.segment(RULE_WORDS.reduce(without, text).toLowerCase())].flatMap(({ segment, isWordLike }) => (isWordLike ? segment : []));

/** It knows the words of scripts without blanks, too. */
const WORDS = new Intl.Segmenter('und', { granularity: 'word' });
const RULE_WORDS: Use[] = ['rule', 'change', 'ban'];

const tellingOf = (words: string[]) =>
  new Set(words.filter((word) => !isStopWord(word) && !/^(?:\d.*|\p{Script=Hiragana}+|\p{Script=Latin}{1,2})$/u.test(word)).map(stemWord));

/** All that a ban names, and nearly all of its longer words: it may be of something else of the same kind ("any in TypeScript"). */
function asksFor(rule: Rule, ban: Rule): boolean {
  const said = new Set(rule.words.map(stemWord));
  const words = ban.words.filter((word) => !/^\p{Script=Latin}{1,2}$/u.test(word)).map(stemWord);
  const isAllNamed = ban.asked.size > 0 && ban.asked.isSubsetOf(rule.asked);
  return isAllNamed && words.filter((word) => said.has(word)).length >= words.length * NEARLY_ALL;
}

const NEARLY_ALL = 0.8;

/** Word for word the same, but for one behind (in Japanese: before) a word of manner: "in German". */
function hasOtherManner(now: string[], then: string[]): boolean {
  const [at = 0, ...more] = now.flatMap((word, place) => (word === then[place] ? [] : place));
  if (now.length !== then.length || more.length > 0) return false;
  const [before = '', after = ''] = [now[at - 1], now[at + 1]];
  const isManner = uses(before, 'manner') || (/^\p{Script=Hiragana}/u.test(after) && uses(after, 'manner'));
  return isManner && tellingOf(now.toSpliced(at, 1).filter((word) => !uses(word, 'manner'))).size > 0;
}

const sharesFile = (newer: Pick<Known, 'files'>, memory: Known) => newer.files.some((file) => memory.files.includes(file));

/** A decision of the agent says no to a word in the name of an older one, about the same file. */
function decidesOtherwise({ type, files, sentences: [title] }: Newer, older: Older): Found {
  if (type !== 'decision' || !title?.denied.some((word) => older.inTitle.has(word)) || !sharesFile({ files }, older)) return null;
  return { words: title.text, isCertain: false };
}

function saysOtherwise(newer: Newer, memory: Older): Found {
  const isNear = sharesFile(newer, memory);
  for (const { text, words, denied: gone } of newer.sentences) {
    const shared = words.filter((word) => memory.words.has(word)).length;
    if (shared >= 2 && gone.some((word) => memory.inTitle.has(word) && !memory.denies.has(word))) return { words: text, isCertain: false };
    if (shared >= 2 && shared >= words.length / 3 && hasOtherNumber(text, [memory.title, ...memory.facts.slice(0, 2)]))
      return { words: text, isCertain: isNear && shared >= words.length / 2 && hasOtherNumber(text, [memory.title]) };
  }
  return null;
}

/** A word of it stands right behind (or, where a language puts it so, before) a word that says no to it. */
export function isRefused(title: string, sentence: string): boolean {
  const inTitle = new Set(contentWords(title));
  return readSentence(sentence).denied.some((word) => inTitle.has(word));
}

/** Both name a number in the same unit, and not the same one. */
export function hasOtherNumber(sentence: string, texts: string[]): boolean {
  const [now, then] = [numbersOf(sentence), texts.flatMap(numbersOf)];
  return (
    now.some(({ unit, value }) => then.some((one) => one.unit === unit && one.value !== value)) &&
    !now.every(({ value }) => then.some((one) => one.value === value))
  );
}

/** A script without blanks counts in one sign. */
const UNITS = /(\d[\d.,:]*\d|\d)\s?([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}%]{0,12})/gu;

const numbersOf = (text: string) =>
  [...text.matchAll(UNITS)].map(([, value = '', unit = '']) => ({
    value,
    unit: unit.toLowerCase().replace(/s$/, ''),
  }));

/** The user says no to what the turn before did, whatever comes of it now: for certain when nothing else is said, or it is named. */
function byRefusal({ ago, by, type, isAsking, title }: Known, { prompt }: Turn): Said | null {
  if (ago !== 1 || isAsking || by !== 'agent' || type === 'discovery' || !isRefusal(prompt)) return null;
  const [words = ''] = sentencesOf(prompt);
  // "No. Never use default exports" is no to them, not to the work that has some.
  const isCertain = !uses(words, 'confirm') && isAbout(without(prompt, 'refuse'), title);
  return { why: 'refused', words, isCertain, isGivenUp: isCertain };
}

/** What points to nothing by itself points to the last work. */
export function isAbout(rest: string, title: string): boolean {
  const [words, named] = [contentWords(rest), contentWords(title)];
  return words.length === 0 || words.some((word) => named.includes(word));
}

const JUDGES: Judge[] = [byRevert, byValue, byRemoval, byTerm, byWord, byRefusal];
