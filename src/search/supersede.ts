// When a newer observation stands in the place of an older one. What is marked is told to nobody, so the rules rather miss one.
import type { ObservationType, Origin, Outcome } from '../core/observation.ts';
import { stemWord } from './query-words.ts';
import { isStopWord } from './stop-words.ts';
import { isRepeat, likeness, replaces, type Topic } from './topics.ts';

/** What search knows of a hit. */
export type Stated = { type: string; sessionId: number; topic: Topic };

/**
 * A deed does not supersede the decision that it carries out; and within a session one leads to the next, unless it takes something
 * back.
 */
function mayFollow(older: Stated, newer: Stated): boolean {
  if (older.type === 'decision' && newer.type !== 'decision') return false;
  return older.sessionId !== newer.sessionId || newer.topic.changesMind;
}

/** Among the hits of one question: their order depends on it, and a mark beside them. */
export const isReplaced = (older: Stated, newer: Stated) =>
  mayFollow(older, newer) && replaces(newer.topic, older.topic);

/** All that is compared before a mark is stored. */
export type Statement = Stated & {
  type: ObservationType;
  title: string;
  /** Title and all below it. */
  text: string;
  filesModified: string[];
  outcome: Outcome | null;
  origin: Origin;
};

/** The newer one holds instead of the older, for every session from now on. */
export function standsFor(older: Statement, newer: Statement): boolean {
  if (!mayFollow(older, newer) || !maySpeakFor(older, newer) || isElsewhere(older, newer)) return false;
  if (isRepeat(newer.topic, older.topic)) return older.type === newer.type && !differs(older, newer);
  return isAmended(older, newer) || isTakenBack(older, newer) || isRestated(older, newer) || hasNewValue(older, newer);
}

/** What was ruled out stays ruled out, and what a person said is superseded by what a person said, or by what says that it amends it. */
function maySpeakFor(older: Statement, newer: Statement): boolean {
  const isFailure = ({ outcome }: Statement) => outcome === 'ruled-out' || outcome === 'failed';
  if (isFailure(older) || isFailure(newer)) return older.outcome === newer.outcome;
  return older.origin !== 'user' || newer.origin === 'user' || AMENDMENT.test(newer.text);
}

/** Both changed files, and none of them is the same. */
const isElsewhere = (older: Statement, newer: Statement) =>
  older.filesModified.length > 0 &&
  newer.filesModified.length > 0 &&
  !older.filesModified.some((file) => newer.filesModified.includes(file));

/** Whoever amends a rule says so, up front. */
const AMENDMENT =
  /\b(?:amend(?:s|ed|ing|ment)?|supersed\w+|overrul\w+|overturn\w*|revised|revoked?|rescind\w*|retract\w*)\b/i;
const HEAD_LENGTH = 240;

function isAmended(older: Statement, newer: Statement): boolean {
  if (!AMENDMENT.test(newer.text.slice(0, HEAD_LENGTH)) || alike(older, newer) < AMENDED) return false;
  const missing = missingOf(older, newer);
  // Of a sentence all must be spoken of; of a longer text at least what it is about.
  if (stemsOf(older.text).size <= SENTENCE) return missing.length === 0;
  const isOther = (stem: string) => missing.includes(stem);
  return !(qualifiersOf(older.title).some(isOther) && missingOf(newer, older).length > 0);
}
const AMENDED = 0.3;
const SENTENCE = 8;

/** `instead of SQLite`, `no longer cached`, `replaced moment`, `reverted the cap`: it names what it takes back. */
const TAKEN_BACK =
  /\b(?:instead of|rather than|in place of|no longer|not any ?more|replac(?:e|es|ed|ing)|revert(?:s|ed|ing)?|drop(?:s|ped)|remov(?:e|es|ed|ing)|switch(?:ed|ing)? (?:away )?from|mov(?:e|ed|ing) away from|undid|undone)\b([^.;\n]{0,80})/gi;
const FROM_NOW_ON =
  /\b(?:from now on|as of now|going forward|after all|chang\w+ (?:our|my|their) minds?|reconsider\w*)\b/i;

function isTakenBack(older: Statement, newer: Statement): boolean {
  if (alike(older, newer) < TAKEN_BACK_ALIKE || missingOf(older, newer).length > 0) return false;
  const head = stemsOf(older.title);
  if (head.size < FEWEST) return false;
  const named = [...newer.text.slice(0, LONGEST).matchAll(TAKEN_BACK)].some(([, after = '']) =>
    [...stemsOf(after)].slice(0, OBJECT).some((stem) => head.has(stem)),
  );
  return named || FROM_NOW_ON.test(newer.text.slice(0, LONGEST));
}
const TAKEN_BACK_ALIKE = 0.3;
const LONGEST = 4000;
const OBJECT = 4;
const FEWEST = 2;

/** The newer one says all that the older was about, at some length: decisions and findings are stated again, deeds are done again. */
function isRestated(older: Statement, newer: Statement): boolean {
  if (older.type !== newer.type || Math.min(older.topic.profile.size, newer.topic.profile.size) < AT_LENGTH)
    return false;
  const isStatement = older.type === 'decision' || older.type === 'discovery';
  return alike(older, newer) >= (isStatement ? RESTATED : DONE_AGAIN) && missingOf(older, newer).length === 0;
}
const RESTATED = 0.6;
const DONE_AGAIN = 0.8;
const AT_LENGTH = 12;

/** `The page size is 50`, `The page size is 100`: the same sentence with another value. */
function hasNewValue(older: Statement, newer: Statement): boolean {
  if (older.type !== newer.type || (older.type !== 'decision' && older.type !== 'discovery')) return false;
  const [was, now] = [readValues(older.title), readValues(newer.title)];
  if (was.frame !== now.frame || was.values.length !== now.values.length || was.size < FEWEST) return false;
  const changed = was.values.filter(({ number }, at) => number !== now.values[at]?.number);
  const isElse = stemsOf(older.text).size > SENTENCE && alike(older, newer) < SAME_SUBJECT;
  return changed.length > 0 && changed.every(({ isValue }) => isValue) && !isElse;
}
const SAME_SUBJECT = 0.3;

/** What comes before a number that can change, and what after: a ticket, a status or a version is a name. */
const NUMBER =
  /(?<before>\b(?:is|are|be|to|at|than|after|every|within|by|least|most|exactly|under|over|only|keep|keeps|stays?|holds?|times?) |[=:≤≥<>] ?)?(?<![\p{L}\p{N}#._/-])(?<number>\d[\d.,_]*)(?<after> ?(?:%|ms|s|sec|seconds?|min|minutes?|h|hours?|days?|weeks?|[kmgt]i?b|bytes?|tokens?|items?|rows?|times|attempts?|retries|tries|characters?|lines?|workers?|threads?|requests?)\b)?/giu;

function readValues(title: string) {
  const values: { number: string; isValue: boolean }[] = [];
  const rest = title.replace(NUMBER, (...found) => {
    // The last argument holds the named groups.
    const { before, number, after } = found.at(-1) as { before?: string; number: string; after?: string };
    values.push({ number: number.replace(/[.,]+$/, ''), isValue: before !== undefined || after !== undefined });
    return `${before ?? ''} 0 `;
  });
  const frame = wordsOf(rest).map(stemWord);
  return { values, frame: frame.join(' '), size: frame.length };
}

const alike = (older: Statement, newer: Statement) => likeness(older.topic.profile, newer.topic.profile);

/** What the title of one is about and the other does not speak of. */
function missingOf(one: Statement, other: Statement): string[] {
  const spoken = stemsOf(other.text);
  return [...stemsOf(one.title)].filter((stem) => !spoken.has(stem));
}

/** A repeat but for a word: `of users`, `of sessions`. */
const differs = (older: Statement, newer: Statement) =>
  missingOf(older, newer).length > 0 && missingOf(newer, older).length > 0;

/** Words that say which of several is meant. */
const QUALIFIER =
  /\b(?:for|of|in|on|per|under|from|when)\s+((?:the|a|an|our|every|each|all|both)\s+)?([\p{L}\p{N}_-]+)/giu;

const qualifiersOf = (title: string) => [...title.matchAll(QUALIFIER)].flatMap(([, , word = '']) => [...stemsOf(word)]);

const stemsOf = (text: string) => new Set(wordsOf(text.slice(0, LONGEST)).map(stemWord));

/** Words that tell: without numbers, which are values, and without those that only say that something is new. */
function wordsOf(text: string): string[] {
  return (text.match(/[\p{L}\p{N}]+/gu) ?? [])
    .map((word) => word.toLowerCase())
    .filter((word) => word.length > 1 && !/^\d/.test(word) && !isStopWord(word) && !SAYS_NEW.has(word));
}

const SAYS_NEW = new Set(
  'amended amendment amends superseding supersedes now new newly changed changes decision decided rule policy agreed settled final finally use uses using used keep always never'.split(
    ' ',
  ),
);
