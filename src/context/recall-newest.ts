// Whether a conclusion still holds: a newer decision that says the same again, or that it amends what was decided, stands in its place.

import type { Finder, Found } from '../search/find.ts';
import { namesOf } from '../search/title-words.ts';
import { readTellableByIds } from '../store/trust/tellable-observations.ts';

export type Conclusion = { text: string; at: number; sessionId: number };
export type Place = { projectIds: number[]; exceptSession: number | undefined };

/** It says again nearly all of it. */
const SAME = 0.95;
/** It is about the same, and says that something has changed. */
const AMENDED = 0.6;
const COVERAGE = 0.5;
/** Where words are all there is: how much of the conclusion it says. */
const SAME_WORDS = 0.45;
const AMENDED_WORDS = 0.15;

/** Whoever amends a decision says so. */
const AMENDS =
  /\b(?:amend(?:s|ed|ing|ment)?|supersed\w+|overrul\w+|overturn\w*|revis(?:es|ed|ing|ion)|revok\w+|rescind\w*|retract\w*|revert(?:s|ed|ing)?|no longer|from now on|instead of|replac(?:es|ed|ing))\b/i;

/** The session of the newest such decision; null when the conclusion is the last word. */
export async function findNewer(
  finder: Finder,
  conclusion: Conclusion,
  { projectIds, exceptSession }: Place,
): Promise<number | null> {
  const found = await finder.find(conclusion.text, { projectIds, exceptSession, since: conclusion.at + 1 });
  const near = found.scored.filter(
    (item) =>
      item.candidate.kind === 'observation' &&
      item.candidate.type === 'decision' &&
      item.candidate.sessionId !== conclusion.sessionId &&
      isNear(item, found),
  );
  const told = new Map(
    readTellableByIds(
      finder.db,
      near.map(({ candidate }) => candidate.ref),
    ).map((one) => [one.id, one]),
  );
  const standing = near.filter((item) => {
    const one = told.get(item.candidate.ref);
    return (
      one &&
      // Others stand in the place of nothing that was said here.
      !one.isByOthers &&
      !namesAnother(conclusion.text, one.title ?? '') &&
      (isSame(item, found) || AMENDS.test([one.title, one.narrative, ...one.facts].join('\n')))
    );
  });
  const newest = standing.reduce<Item | null>(
    (last, item) => (last && last.candidate.at >= item.candidate.at ? last : item),
    null,
  );
  return newest?.candidate.sessionId ?? null;
}

/** What holds for `eu-2` is no news of `eu-1`. */
function namesAnother(text: string, title: string): boolean {
  const [said, named] = [namesOf(text), namesOf(title)];
  return said.size > 0 && named.size > 0 && said.isDisjointFrom(named);
}

type Item = Found['scored'][number];

const evidence = ({ likeness, coverage }: Item) => (likeness ?? 0) + COVERAGE * coverage;
const isNear = (item: Item, { hasMeaning }: Found) =>
  hasMeaning ? evidence(item) >= AMENDED : item.coverage >= AMENDED_WORDS;
const isSame = (item: Item, { hasMeaning }: Found) =>
  hasMeaning ? evidence(item) >= SAME : item.coverage >= SAME_WORDS;
