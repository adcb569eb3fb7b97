// What an observation is worth to a session that starts here and now, and why.
import { type Freshness, isOutdated } from '../core/evidence.ts';
import type { ObservationType } from '../core/observation.ts';
import type { Observation } from '../memory/observations.ts';
import type { Surroundings } from './surroundings.ts';

export type Valued = { value: number; why: string[] };

/** What the code cannot tell by itself comes first. */
const OF_TYPE: Record<ObservationType, number> = {
  decision: 5,
  bugfix: 4,
  discovery: 3,
  feature: 3,
  refactor: 2,
  change: 1,
};
/** To be made on these says nothing. */
const EVERYBODYS = /^(?:main|master|trunk|develop|dev)$/;
const PINNED = 100;
const RULED_OUT = 2;
const PITFALL = 2;
const TOUCHED = 4;
const COMMITTED = 2;
const SAME_BRANCH = 3;
/** Of the newest; half of it is left after a week. */
const RECENT = 4;
const HALF_LIFE_MS = 7 * 86_400_000;
const UNPROVEN = -1;
/** The code tells most of it, and a session's own memory more. */
const COMMIT = -2;
/** Without a word of why. */
const BARE_COMMIT = -3;
/** It happened while nobody was there. */
const NEWS = 2;
const LEAST = 0.1;

/** Age is counted from the newest memory, not from now: the same memories are worth the same tomorrow. */
export function appraise(
  observation: Observation,
  { surroundings, newestAt, isNews }: { surroundings: Surroundings; newestAt: number; isNews: boolean },
): Valued {
  const { type, outcome, pinned, branch, concepts, origin, at } = observation;
  const reasons: [string, number][] = [[type, OF_TYPE[type]]];
  if (origin === 'commit') reasons.push(['a commit', observation.narrative === null ? BARE_COMMIT : COMMIT]);
  if (isNews) reasons.push(['since the last session', NEWS]);
  if (pinned) reasons.push(['pinned', PINNED]);
  if (outcome === 'ruled-out') reasons.push(['ruled out', RULED_OUT]);
  if (concepts.includes('gotcha')) reasons.push(['pitfall', PITFALL]);
  if (outcome === 'unverified' && type === 'bugfix') reasons.push(['unproven', UNPROVEN]);
  const file = findTouched(observation, surroundings);
  if (file) reasons.push(file);
  if (isOfBranch(observation, surroundings)) reasons.push([`branch ${branch}`, SAME_BRANCH]);
  const recency = RECENT * 0.5 ** (Math.max(0, newestAt - at) / HALF_LIFE_MS);
  if (recency >= RECENT / 2) reasons.push(['recent', 0]);
  const value = reasons.reduce((sum, [, worth]) => sum + worth, recency);
  return { value: Math.max(LEAST, value), why: reasons.map(([name]) => name) };
}

/** It is about this branch, or the files that are being worked on. */
export const isAtHand = (observation: Observation, surroundings: Surroundings): boolean =>
  isOfBranch(observation, surroundings) || findTouched(observation, surroundings)?.[1] === TOUCHED;

const isOfBranch = ({ branch }: Observation, surroundings: Surroundings) =>
  branch !== null && branch === surroundings.branch && !EVERYBODYS.test(branch);

function findTouched({ filesModified, filesRead }: Observation, { dirty, recent }: Surroundings): [string, number] | null {
  const files = [...filesModified, ...filesRead];
  const changed = files.find((file) => dirty.has(file));
  if (changed) return [`touched ${changed}`, TOUCHED];
  const committed = files.find((file) => recent.has(file));
  return committed ? [`committed ${committed}`, COMMITTED] : null;
}

/** What the code bears out is worth more than what it does not. */
export function discount(value: number, freshness: Freshness): number {
  if (isOutdated(freshness)) return value / 4;
  if (freshness.word === 'elsewhere') return value / 2;
  return freshness.word === 'changed' ? value * 0.8 : value;
}
