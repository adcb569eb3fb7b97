// Which sentences of a prompt are rules of the user: they hold from now on, and not for this turn only.
import { isInjection } from '../core/instruction-like.ts';
import { isInOtherLanguage } from '../search/stop-words.ts';
import table from './rule-weights.txt' with { type: 'text' };
import { contentWords, countWords, isQuestion } from './sentences.ts';
import { isDocument } from './turn.ts';
import { begins, type Use, uses, withoutLead } from './words.ts';

/** They do not age. `sentences`: of the prompt, without what was pasted (promptStatements). */
export const findRules = (prompt: string, sentences: string[]): string[] =>
  isDocument(prompt) ? [] : sentences.filter((text) => text.length <= LONGEST_RULE && isCertainRule(text));

/** An English sentence says by itself that it is for good; in other languages the weights decide. */
export const isCertainRule = (sentence: string): boolean =>
  weighRule(sentence) >= CERTAIN && (isForGood(sentence) || isInOtherLanguage(sentence));

/** "Always", "never", "from now on", "we use …", "every … must", or a ban as its first word. */
const isForGood = (sentence: string) =>
  uses(sentence, 'rule') ||
  uses(sentence, 'house') ||
  (uses(sentence, 'bind') && uses(sentence, 'scope')) ||
  begins(withoutLead(sentence), 'ban');

/**
 * The turn has done it: a number of it stands in the lines that came, or most of its words do and it does not say that it is for good.
 * That is a decision about these files.
 */
export function isCarriedOut(sentence: string, edits: { diff: string }[]): boolean {
  const lines = edits.flatMap(({ diff }) => diff.match(/^\+.*$/gm) ?? []);
  const came = lines.join('\n').toLowerCase();
  const numbers = sentence.match(/\d[\d.,:]*\d|\d/g) ?? [];
  const words = [...new Set(contentWords(sentence))];
  const back = words.filter((word) => came.includes(word));
  if (numbers.some((number) => came.includes(number))) return true;
  return !uses(sentence, 'rule') && back.length > 0 && back.length >= words.length / 2;
}

/** Log odds among sentences of working sessions, as far as the cues tell. docs/benchmarks.md has what other bounds find. */
const CERTAIN = -0.75;
/** What may be meant so: at most a decision, which a person can make a rule. */
export const MAYBE = -1.75;
const LONGEST_RULE = 300;
const LEAST_WORDS = 3;

/** Minus infinity for what cannot be one: a question, an instruction for this time, what steers an agent from outside. */
export function weighRule(sentence: string): number {
  if (isQuestion(sentence) || /[?？]/.test(sentence) || countWords(sentence) < LEAST_WORDS) return Number.NEGATIVE_INFINITY;
  if (uses(sentence, 'once') || uses(sentence, 'ask') || isReport(sentence) || isInjection(sentence)) return Number.NEGATIVE_INFINITY;
  return cuesOf(sentence).reduce((sum, cue) => sum + (WEIGHTS.get(cue) ?? 0), WEIGHTS.get('bias') ?? 0);
}

/** A certain thing, or what was named before, does something that is broken. */
function isReport(sentence: string): boolean {
  const bare = withoutLead(sentence);
  return uses(bare, 'fail') && (begins(bare, 'named') || begins(bare, 'point'));
}

/** Made by scripts/train-rules.ts: a cue and its weight on each line. */
const WEIGHTS = new Map(
  table
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line): [string, number] => {
      const [cue = '', weight] = line.split(' ');
      return [cue, Number(weight)];
    }),
);

/** What speaks for a rule. */
const FOR: Use[] = ['rule', 'bind', 'scope', 'house', 'taste', 'form', 'ban'];
/** And what is known beside it. */
const BESIDE: Use[] = ['task', 'report', 'fail', 'later', 'refuse', 'confirm', 'deny', 'choose', 'look', 'point', 'named'];

/** What speaks against one, and makes of what speaks for it something else: "it never ends". */
const AGAINST = ['^point', 'named', '^named', '^task', 'report'];

/** The same in all languages: which lists of words.txt it uses, which it begins with, how long it is, and its form. */
export function cuesOf(sentence: string): string[] {
  const bare = withoutLead(sentence);
  const used = [...FOR, ...BESIDE].flatMap((use): string[] => [
    ...(uses(bare, use) && use !== 'task' ? [use] : []),
    ...(begins(bare, use) ? [`^${use}`] : []),
  ]);
  const clauses = sentence.split(/[,;:–—，、；：]| - /u).slice(1);
  const isBut = clauses.map(withoutLead).some((clause) => begins(clause, 'deny') || begins(clause, 'ban'));
  const speakFor = FOR.filter((use) => used.includes(use)).length;
  const against = AGAINST.filter((cue) => used.includes(cue));
  return [
    ...used,
    ...against.flatMap((cue) => FOR.filter((use) => used.includes(use)).map((use) => `${cue}&${use}`)),
    ...(isBut ? ['but-not'] : []),
    ...(begins(bare, 'point') && !begins(bare, 'taste') ? ['other-subject'] : []),
    // English alone: things in general, and what is over.
    ...(isOfThings(bare) ? ['^plural'] : []),
    ...(/\b[a-z]{2,}ed\b/.test(sentence) ? ['past'] : []),
    `words<${LENGTHS.find((most) => countWords(sentence) < most) ?? 'more'}`,
    `for=${Math.min(speakFor, 4)}`,
  ];
}

const isOfThings = (bare: string) => /^\p{L}[\p{Ll}-]+s\b/u.test(bare);

const LENGTHS = [4, 8, 14, 24];
