// When a turn makes an older memory untrue: a value it named has changed, its lines are gone, it was reverted, or somebody says so.
import type { ObservationType, Outcome } from '../core/observation.ts';
import type { TurnRecord } from '../turns/record.ts';
import { type ChangedLine, changedLines, lineChanges } from './changes.ts';
import { contentWords, sentencesOf } from './sentences.ts';
import { begins, denied, uses } from './words.ts';

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
  added: string[];
  /** Lines that it took out. */
  removed: string[];
  outcome: Outcome | null;
  /** How many turns ago. */
  ago: number;
};

export type Replacement = {
  older: number;
  /** Which memory of the turn stands in its place; null: the turn itself. */
  newer: number | null;
  /** Certain: found, marked, never given as current. Maybe: given behind the newer one, with a mark. */
  isCertain: boolean;
  why: 'value changed' | 'undone' | 'reverted' | 'rejected by name' | 'user said so' | 'refused';
  /** The words or the line that show it. */
  words: string;
  /** It was tried and taken back, and nothing else came in its place. */
  isGivenUp?: boolean;
};

/** `own`: what the turn itself left. */
export type ReplaceCase = { prompt: string; record: TurnRecord; own: Known[]; known: Known[] };

export function findReplaced(one: ReplaceCase): Replacement[] {
  const found = new Map<number, Replacement>();
  for (const replacement of [
    ...byRevert(one),
    ...byValue(one),
    ...byRemoval(one),
    ...byTerm(one),
    ...byWord(one),
    ...byRefusal(one),
  ]) {
    const before = found.get(replacement.older);
    if (!before || (!before.isCertain && replacement.isCertain)) found.set(replacement.older, replacement);
  }
  return [...found.values()];
}

/** `git revert`, `git checkout -- file`: by the commit that it holds, or by one of its files. */
const REVERTS = /\bgit\s+(?:-C \S+\s+)?(?:revert|restore|checkout\s+(?:\S+\s+)?--)\s([^;&|\n]*)/g;

function byRevert({ record, own, known }: ReplaceCase): Replacement[] {
  const reverted = record.steps.flatMap((step) =>
    step.kind === 'ran' && step.isOk
      ? [...step.command.matchAll(REVERTS)].map(([whole, named = '']) => ({ whole, named }))
      : [],
  );
  return known.flatMap((memory) => {
    if (memory.type === 'discovery' || memory.type === 'decision') return [];
    const by = reverted.find(
      ({ named }) => holdsCommit(memory, named) || (memory.ago <= 5 && namesFile(memory, named)),
    );
    if (!by) return [];
    const isCertain = holdsCommit(memory, by.named);
    return [{ ...replacement(memory, own, 'reverted', by.whole, isCertain), isGivenUp: isCertain }];
  });
}

const holdsCommit = ({ facts }: Known, named: string) =>
  facts.some((fact) => {
    const hash = /^Commit ([0-9a-f]{7,40}):/.exec(fact)?.[1];
    return hash !== undefined && named.includes(hash.slice(0, 7));
  });

const namesFile = ({ files, added }: Known, named: string) =>
  added.length > 0 && files.some((file) => named.split(/\s+/).some((word) => word !== '' && file.endsWith(word)));

/** A line that an older turn wrote, or that it names the value of, is the same but for a value. No language at all. */
function byValue({ record, own, known }: ReplaceCase): Replacement[] {
  const changes = changedLines(record);
  if (changes.length === 0) return [];
  return known.flatMap((memory) => {
    const mine = changes.filter(({ before }) => memory.added.includes(before));
    const read = changes.filter(({ file }) => memory.files.includes(file));
    const change =
      mine.find((one) => namesOld(memory.title, one)) ??
      mine.find((one) => namesOld(memory.facts.join('\n'), one)) ??
      read.find((one) => namesOld([memory.title, ...memory.facts].join('\n'), one) && sharesWord(memory, one)) ??
      mine.find(({ before }) => sharesWord(memory, { before }));
    if (!change) return [];
    const words = `${change.before} → ${change.after}`;
    return [replacement(memory, own, 'value changed', words, mine.includes(change) && namesOld(memory.title, change))];
  });
}

/** A number of two digits, or a text in quotes: a single digit stands anywhere. */
const valuesOf = (line: string): string[] => line.match(/\d[\d._,]*\d|(["'`])(?:(?!\1).){2,60}\1/g)?.map(bare) ?? [];
const bare = (value: string) => value.replace(/["'`_,]/g, '').toLowerCase();

function namesOld(said: string, { before, after }: ChangedLine): boolean {
  const still = new Set(valuesOf(after));
  const gone = valuesOf(before).filter((value) => !still.has(value));
  const text = said.toLowerCase().replace(/[_,]/g, '');
  return gone.some((value) => new RegExp(`(?<![\\d.])${quote(value)}(?![\\d])`).test(text));
}

const quote = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** A piece of a name in the line is a word of the memory. */
function sharesWord({ title, facts }: Known, { before }: { before: string }): boolean {
  const said = new Set([title, ...facts].flatMap(contentWords));
  return piecesOf(before).some((piece) => said.has(piece));
}

const piecesOf = (line: string): string[] =>
  (line.match(/\p{Lu}?\p{Ll}{3,}|\p{Lu}{3,}/gu) ?? []).map((piece) => piece.toLowerCase());

/** Most of what its turn had added is gone again. */
const MOST_GONE = 0.6;
const REFUSED_GONE = 0.3;

function byRemoval({ prompt, record, own, known }: ReplaceCase): Replacement[] {
  const { added, removed } = lineChanges(record);
  if (removed.size === 0) return [];
  const isRefusal = uses(prompt, 'refuse');
  return known.flatMap((memory) => {
    const isRefused = isRefusal && memory.ago <= 2;
    const lines = memory.added.filter((line) => line.length > 3);
    const gone = lines.filter((line) => removed.has(line) && !added.has(line));
    if (gone.length === 0 || gone.length < lines.length * (isRefused ? REFUSED_GONE : MOST_GONE)) return [];
    const isCertain = isRefused || gone.length === lines.length;
    const isGivenUp = isCertain && (isRefused || [...added].every((line) => memory.removed.includes(line)));
    return [{ ...replacement(memory, own, 'undone', gone[0] ?? '', isCertain), isGivenUp }];
  });
}

/** What it is named by stood in the lines that its turn added; those are gone, and no line that came has it. */
function byTerm({ record, own, known }: ReplaceCase): Replacement[] {
  const { added, removed } = lineChanges(record);
  const now = [...added].join('\n').toLowerCase();
  return known.flatMap((memory) => {
    const gone = memory.added.filter((line) => removed.has(line));
    if (gone.length === 0) return [];
    for (const term of [memory.title, ...memory.facts].flatMap(termsOf)) {
      const line = now.includes(term) ? undefined : gone.find((one) => one.toLowerCase().includes(term));
      if (line !== undefined) return [replacement(memory, own, 'undone', line, false)];
    }
    return [];
  });
}

/** Names of code, and words that only somebody who means the thing uses. */
const termsOf = (title: string): string[] =>
  (title.match(/[\p{L}_][\p{L}\p{N}_.]{4,}/gu) ?? []).map((term) => term.toLowerCase().replace(/\.+$/, ''));

/** What is laid down or done now against what was before: about the same, with another number or with a no to it. */
function byWord({ own, known }: ReplaceCase): Replacement[] {
  const olders = known.map(readOlder);
  return own.flatMap((newer) => {
    const said = isLaidDown(newer)
      ? [newer.title, ...newer.facts.slice(0, 4)].filter((one) => !uses(one, 'fail'))
      : [newer.title];
    const sentences = said.map(readSentence);
    const why = newer.by === 'user' ? 'user said so' : 'rejected by name';
    return olders.flatMap((older): Replacement[] => {
      const found = otherwise(newer, sentences, older);
      return found ? [{ older: older.memory.id, newer: newer.id, why, ...found }] : [];
    });
  });
}

type Older = { memory: Known; inTitle: Set<string>; words: Set<string> };
type Sentence = { text: string; words: string[]; denied: string[] };
type Said = Pick<Replacement, 'words' | 'isCertain'> | null;

const readOlder = (memory: Known): Older => ({
  memory,
  inTitle: new Set(contentWords(memory.title)),
  words: new Set([memory.title, ...memory.facts.slice(0, 3)].flatMap(contentWords)),
});

const readSentence = (text: string): Sentence => ({
  text,
  words: contentWords(text),
  denied: denied(text).flatMap(contentWords),
});

const isLaidDown = ({ type, by }: Known) => type === 'decision' && by === 'user';

/** A rule is reversed by the user alone, and not for this once. */
function otherwise(newer: Known, sentences: Sentence[], older: Older): Said {
  const { isRule, title } = older.memory;
  if (isRule && newer.isRule) return reversesRule(newer.title, title) ? { words: newer.title, isCertain: true } : null;
  if (isLaidDown(newer)) return isRule && uses(newer.title, 'once') ? null : saysOtherwise(newer, sentences, older);
  return isRule ? null : doneOtherwise(newer, sentences, older);
}

/** About the same: what one forbids the other names, the number is another, or "from now on" only the last word is. */
export function reversesRule(newer: string, older: string): boolean {
  const [now, then] = [wordsOfRule(newer), wordsOfRule(older)];
  const shared = now.words.filter((word) => then.words.includes(word));
  const fewer = Math.min(now.words.length, then.words.length);
  if (shared.length === 0 || shared.length < fewer / 3) return false;
  if (shared.some((word) => now.denied.has(word) !== then.denied.has(word))) return true;
  if (shared.length < 2 || shared.length < fewer / 2) return false;
  if (hasOtherNumber(newer, { title: older, facts: [] })) return true;
  return shared.length === fewer - 1 && uses(newer, 'change') && now.words.at(-1) !== then.words.at(-1);
}

function wordsOfRule(rule: string): { words: string[]; denied: Set<string> } {
  const words = [...new Set(contentWords(rule))].filter((word) => !uses(word, 'rule'));
  return { words, denied: new Set(denied(rule).flatMap(contentWords)) };
}

const sharesFile = (newer: Known, memory: Known) => newer.files.some((file) => memory.files.includes(file));

/** The name of a piece of work says no to a word in the name of an older one, in the same file. */
function doneOtherwise(newer: Known, [title]: Sentence[], { memory, inTitle }: Older): Said {
  if (newer.type === 'discovery' || !sharesFile(newer, memory)) return null;
  return title?.denied.some((word) => inTitle.has(word)) ? { words: title.text, isCertain: false } : null;
}

function saysOtherwise(newer: Known, sentences: Sentence[], { memory, inTitle, words: older }: Older): Said {
  const isNear = sharesFile(newer, memory);
  for (const { text, words, denied: gone } of sentences) {
    const shared = words.filter((word) => older.has(word));
    if (gone.some((word) => inTitle.has(word)))
      return { words: text, isCertain: shared.length >= 3 && isNear && memory.ago <= 3 };
    if (shared.length >= 2 && shared.length >= words.length / 3 && hasOtherNumber(text, memory))
      return { words: text, isCertain: isNear && hasOtherNumber(text, { ...memory, facts: [] }) };
  }
  return null;
}

/** A word of it stands right behind (or, where a language puts it so, before) a word that says no to it. */
export function isRefused(title: string, sentence: string): boolean {
  const inTitle = new Set(contentWords(title));
  return readSentence(sentence).denied.some((word) => inTitle.has(word));
}

/** Both name a number in the same unit, or one of them in none, and not the same one. */
function hasOtherNumber(sentence: string, { title, facts }: Pick<Known, 'title' | 'facts'>): boolean {
  const now = numbersOf(sentence);
  const then = [title, ...facts.slice(0, 2)].flatMap(numbersOf);
  const isOfKind = (one: string, other: string) => one === other || one === '' || other === '';
  return (
    now.some(({ unit, value }) => then.some((one) => isOfKind(one.unit, unit) && one.value !== value)) &&
    !now.every(({ value }) => then.some((one) => one.value === value))
  );
}

const numbersOf = (text: string) =>
  [...text.matchAll(/(\d[\d.,:]*\d|\d)\s?([\p{L}%]{0,12})/gu)].map(([, value = '', unit = '']) => ({
    value,
    unit: unit.toLowerCase().replace(/s$/, ''),
  }));

function replacement(
  memory: Known,
  own: Known[],
  why: Replacement['why'],
  words: string,
  isCertain: boolean,
): Replacement {
  const newer = own.find((one) => sharesFile(one, memory)) ?? own[0];
  return { older: memory.id, newer: newer?.id ?? null, why, words, isCertain };
}

/** The user says no to what the turn before did, whatever comes of it now. */
function byRefusal({ prompt, own, known }: ReplaceCase): Replacement[] {
  if (!begins(prompt, 'refuse')) return [];
  const [words = ''] = sentencesOf(prompt);
  return known
    .filter(({ ago, by, type }) => ago === 1 && by === 'agent' && type !== 'discovery')
    .map((memory) => replacement(memory, own, 'refused', words, false));
}
