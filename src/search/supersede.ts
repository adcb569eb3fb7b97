// When a newer observation stands in the place of an older one. What is marked is told to nobody, so the rules rather miss one.
import type { ObservationType, Origin, Outcome } from '../core/observation.ts';
import { stemWord } from './query-words.ts';
import { objectOf, takesBack } from './taken-back.ts';
import { namesOf, qualifiersOf, readFrame, stemsOf } from './title-words.ts';
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
  if (namesAnother(older, newer)) return false;
  if (isRepeat(newer.topic, older.topic) && older.type === newer.type && saysTheSame(older, newer)) return true;
  return (
    isAmended(older, newer) || isTakenBack(older, newer) || isRestated(older, newer) || isSaidOtherwise(older, newer)
  );
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

/** `Region eu-1`, `region eu-2`: each names one that the other does not, up front. */
function namesAnother(older: Statement, newer: Statement): boolean {
  const [was, now] = [headOf(older), headOf(newer)];
  // Below the title a number is seldom a name.
  const listNames = ({ title }: Statement, head: string) => [
    ...namesOf(title),
    ...[...namesOf(head)].filter((name) => !/^\d/.test(name)),
  ];
  const isAlone = (names: string[], others: Set<string>) => names.some((name) => !others.has(name));
  return isAlone(listNames(older, was), namesOf(now)) && isAlone(listNames(newer, now), namesOf(was));
}

/** Whoever amends a rule says so, up front. */
const AMENDMENT =
  /\b(?:amend(?:s|ed|ing|ment)?|supersed\w+|overrul\w+|overturn\w*|revised|revoked?|rescind\w*|retract\w*)\b/i;
const HEAD_LENGTH = 240;
/** No word of it is cut in two. */
const headOf = ({ text }: Statement) =>
  text.length <= HEAD_LENGTH ? text : text.slice(0, HEAD_LENGTH).replace(/\S+$/, '');

function isAmended(older: Statement, newer: Statement): boolean {
  if (!AMENDMENT.test(headOf(newer)) || alike(older, newer) < AMENDED) return false;
  if (amendsAnother(older, newer)) return false;
  const missing = missingOf(older, newer);
  // Of a sentence all must be spoken of; of a longer text at least what it is about.
  if (stemsOf(older.text).size <= SENTENCE) return missing.length === 0;
  const isOther = (stem: string) => missing.includes(stem);
  return !(qualifiersOf(older.title).some(isOther) && missingOf(newer, older).length > 0);
}
const AMENDED = 0.3;
const SENTENCE = 8;

/** `Amended the banner that says …`: that is what was amended. */
function amendsAnother(older: Statement, newer: Statement): boolean {
  const [, object] = AMENDED_OBJECT.exec(newer.title) ?? [];
  return object !== undefined && objectOf(object).some((stem) => !stemsOf(older.text).has(stem));
}
const AMENDED_OBJECT = /^(?:amend|revis|revok|overturn|overrul|retract|rescind)\w*\s+(?:the|our|a|an)\s+(.*)/i;

/** It names what it takes back. */
const isTakenBack = (older: Statement, newer: Statement) =>
  alike(older, newer) >= TAKEN_BACK_ALIKE && missingOf(older, newer).length === 0 && takesBack(older.title, newer);
const TAKEN_BACK_ALIKE = 0.3;

/** The newer one says all that the older was about, at some length: decisions and findings are stated again, deeds are done again. */
function isRestated(older: Statement, newer: Statement): boolean {
  if (older.type !== newer.type || Math.min(older.topic.profile.size, newer.topic.profile.size) < AT_LENGTH)
    return false;
  const isStatement = older.type === 'decision' || older.type === 'discovery';
  if (alike(older, newer) < (isStatement ? RESTATED : DONE_AGAIN) || missingOf(older, newer).length > 0) return false;
  return !isTurned(older.title, newer.title);
}
const RESTATED = 0.6;
const DONE_AGAIN = 0.8;
const AT_LENGTH = 12;

/** The same sentence with another value, or denied: what was decided or found before is no longer so. */
function isSaidOtherwise(older: Statement, newer: Statement): boolean {
  if (older.type !== newer.type || (older.type !== 'decision' && older.type !== 'discovery')) return false;
  const isLong = stemsOf(older.text).size > SENTENCE;
  if (stemsOf(older.title).size < FEWEST || (isLong && alike(older, newer) < SAME_SUBJECT)) return false;
  const [was, now] = [readFrame(older.title), readFrame(newer.title)];
  const changed = was.values.filter((value, at) => value !== now.values[at]);
  // Of two values that differ one may be what tells the cases apart: `404 after 3 attempts`, `503 after 5 attempts`.
  if (isEqual(was.frame, now.frame)) return changed.length === 1;
  return changed.length === 0 && (isDenial(was.frame, now.frame) || isDenial(now.frame, was.frame));
}
const SAME_SUBJECT = 0.3;
const FEWEST = 2;

/** `The endpoint is cached`, `The endpoint is not cached`; but what holds when something is not so is another case. */
function isDenial(plain: string[], denied: string[]): boolean {
  const at = denied.findIndex((word) => word === 'not' || word === 'never');
  if (at === -1 || denied.slice(0, at).some((word) => CONDITION.has(word))) return false;
  const from = /^(?:do|doe|did)$/.test(denied[at - 1] ?? '') ? at - 1 : at;
  return isEqual(plain, denied.toSpliced(from, at + 1 - from));
}
const CONDITION = new Set('when if unless while until where whenever that which who because'.split(' ').map(stemWord));

/** Words that turn a sentence into another one though they are idle elsewhere: `before` and `after`, `on` and `off`, `not`. */
const TURNS =
  /\b(?:not|no|nor|never|none|nobody|cannot|before|after|on|off|out|over|under|up|down|above|below|if|when|until|unless|while|with|without|against|only|once|more|less|most|least|all|any|each|few|other|own|during|through|between|from|to)\b|n['’]t\b/gi;

const turnsOf = (title: string) => [...new Set([...title.matchAll(TURNS)].map(([word]) => word.toLowerCase()))].sort();

/** Each has such a word of its own, or the newer one has one that denies, or holds for some cases only. */
function isTurned(was: string, now: string): boolean {
  const [before, after] = [turnsOf(was), turnsOf(now)];
  const added = after.filter((word) => !before.includes(word));
  return added.some((word) => NARROWS.test(word)) || (added.length > 0 && before.some((word) => !after.includes(word)));
}
const NARROWS = /^(?:not|no|nor|never|none|nobody|cannot|n['’]t|if|when|until|unless|while|without|only)$/;

const isEqual = (one: string[], other: string[]) =>
  one.length === other.length && one.every((word, at) => word === other[at]);

const alike = (older: Statement, newer: Statement) => likeness(older.topic.profile, newer.topic.profile);

/** What the title of one is about and the other does not speak of. */
function missingOf(one: Statement, other: Statement): string[] {
  const spoken = stemsOf(other.text);
  return [...stemsOf(one.title)].filter((stem) => !spoken.has(stem));
}

/** But for a word that one of them adds; `of users` and `of sessions` are two. */
function saysTheSame(older: Statement, newer: Statement): boolean {
  if (missingOf(older, newer).length > 0 && missingOf(newer, older).length > 0) return false;
  const [was, now] = [readFrame(older.title), readFrame(newer.title)];
  const isSame = (read: (title: string) => string[]) => isEqual(read(older.title), read(newer.title));
  return isEqual(was.values, now.values) && isSame((title) => [...namesOf(title)].sort()) && isSame(turnsOf);
}
