// How much of a day's truths an observer told, and how much of what it told was asked for. Pure.
import type { ObservationDraft, Observed } from '../../src/core/observation.ts';
import { ACCEPTED_TYPES, KINDS, type Kind, type Truth, type Truths, type Words } from './days/truth.ts';
import { mentions, saysGivenUp } from './days/words.ts';

/** One batch given to the observer and what came of it; a lone SessionEnd belongs to the turn before it. */
export type Told = {
  session: number;
  turn: number;
  /** Every event the observer could know of, earlier turns included. */
  knownIds: Set<string>;
  hasPrompt: boolean;
  edited: boolean;
  stopped: boolean;
  observed: Observed;
};

/** expected/found count truths, right/wrong count what was told. Acceptable and one duplicate a day count nowhere. */
export type Tally = { expected: number; found: number; right: number; wrong: number };
export type Tallies = Record<Kind, Tally>;

export type Missed = { kind: Kind; what: string };
export type FalseOne = { kind: Kind; title: string; why: string };
export type DayScore = { day: string; tallies: Tallies; missed: Missed[]; falseOnes: FalseOne[]; faults: string[] };

type ObservedKind = Exclude<Kind, 'nextSteps'>;
const OBSERVED_KINDS = KINDS.filter((kind): kind is ObservedKind => kind !== 'nextSteps');

const MAX_TITLE = 120;
const MAX_STEP = 300;
const RAW_JSON = /[{[]\s*"|"\s*:\s*["{[\d]|\\"/;

export function scoreDay(day: string, truths: Truths, told: Told[]): DayScore {
  const score: DayScore = { day, tallies: emptyTallies(), missed: [], falseOnes: [], faults: findFaults(told) };
  const observations = told.flatMap((one) => one.observed.observations);
  const taken = new Set<number>();
  for (const kind of OBSERVED_KINDS) findTruths(score, kind, truths[kind], observations, taken);
  judgeTheRest(score, truths, observations, taken);
  scoreNextSteps(score, truths, told);
  return score;
}

/** An observation stands for at most one truth of each kind, so one that repeats the whole turn gains nothing. */
function findTruths(score: DayScore, kind: ObservedKind, truths: Truth[], all: ObservationDraft[], taken: Set<number>) {
  const pairs = pairUp(truths.length, all.length, (truth, thing) => tells(kind, truths[truth], all[thing]));
  score.tallies[kind].expected = truths.length;
  score.tallies[kind].found = pairs.size;
  score.tallies[kind].right = pairs.size;
  for (const thing of pairs.values()) taken.add(thing);
  for (const [index, truth] of truths.entries()) if (!pairs.has(index)) score.missed.push({ kind, what: truth.what });
}

function tells(kind: ObservedKind, truth: Truth | undefined, observation: ObservationDraft | undefined): boolean {
  if (!truth || !observation) return false;
  const text = textOf(observation);
  if (!mentions(text, truth.mustMention)) return false;
  if (!(truth.types ?? ACCEPTED_TYPES[kind]).includes(observation.type)) return false;
  return kind !== 'deadEnds' || observation.outcome === 'ruled-out' || saysGivenUp(text);
}

/** Largest one-to-one pairing: truth index → thing index. `fits(truth, thing)` says whether they may pair. */
function pairUp(truths: number, things: number, fits: (truth: number, thing: number) => boolean): Map<number, number> {
  const truthOf = new Map<number, number>();
  const place = (truth: number, seen: Set<number>): boolean => {
    for (let thing = 0; thing < things; thing += 1) {
      if (seen.has(thing) || !fits(truth, thing)) continue;
      seen.add(thing);
      const holder = truthOf.get(thing);
      if (holder !== undefined && !place(holder, seen)) continue;
      truthOf.set(thing, truth);
      return true;
    }
    return false;
  };
  for (let truth = 0; truth < truths; truth += 1) place(truth, new Set());
  return new Map([...truthOf].map(([thing, truth]) => [truth, thing]));
}

function judgeTheRest(score: DayScore, truths: Truths, all: ObservationDraft[], taken: Set<number>) {
  let freeDuplicates = 1;
  for (const [index, observation] of all.entries()) {
    if (taken.has(index) || isAcceptable(truths, observation)) continue;
    const again = OBSERVED_KINDS.flatMap((kind) => truths[kind].filter((truth) => tells(kind, truth, observation)))[0];
    if (again && freeDuplicates > 0) {
      freeDuplicates -= 1;
      continue;
    }
    const kind = kindOf(observation);
    score.tallies[kind].wrong += 1;
    score.falseOnes.push({
      kind,
      title: observation.title ?? '(no title)',
      why: again ? `again: ${again.what}` : whyFalse(truths, observation),
    });
  }
}

function isAcceptable(truths: Truths, observation: ObservationDraft): boolean {
  const text = textOf(observation);
  return truths.acceptable.some((one) => mentions(text, one.mustMention) && (one.types?.includes(observation.type) ?? true));
}

function whyFalse(truths: Truths, observation: ObservationDraft): string {
  const text = textOf(observation);
  const near = OBSERVED_KINDS.flatMap((kind) => truths[kind]).filter((truth) => mentions(text, truth.mustMention));
  if (near.length === 0) return 'nobody asked for it';
  return `typed ${observation.type}, but about: ${near.map((truth) => truth.what).join('; ')}`;
}

/** Where a false observation counts: by what it claims to be. */
function kindOf(observation: ObservationDraft): ObservedKind {
  if (observation.outcome === 'ruled-out') return 'deadEnds';
  if (observation.type === 'decision') return 'decisions';
  return observation.type === 'bugfix' ? 'fixes' : 'others';
}

function textOf({ title, subtitle, narrative, facts }: ObservationDraft): string {
  return [title, subtitle, narrative, ...facts.map((fact) => fact.text)].filter((part) => part !== null).join('\n');
}

function scoreNextSteps(score: DayScore, truths: Truths, told: Told[]) {
  const tally = score.tallies.nextSteps;
  const turns = told.filter((one) => one.hasPrompt);
  for (const step of truths.nextSteps) {
    const summary = turns.find((one) => one.session === step.after[0] && one.turn === step.after[1])?.observed.summary;
    tally.expected += 1;
    if (splitItems(summary?.nextSteps ?? null).some((item) => isStep(item, step.mustMention))) tally.found += 1;
    else score.missed.push({ kind: 'nextSteps', what: step.what });
  }
  for (const item of turns.flatMap((one) => splitItems(one.observed.summary?.nextSteps ?? null))) {
    if (truths.nextSteps.some((step) => isStep(item, step.mustMention))) tally.right += 1;
    else if (!truths.acceptable.some((one) => isStep(item, one.mustMention))) {
      tally.wrong += 1;
      score.falseOnes.push({ kind: 'nextSteps', title: item, why: 'nothing of this is open' });
    }
  }
}

/** A closing message copied whole is no list of steps. */
const isStep = (item: string, words: Words): boolean => item.length <= MAX_STEP && mentions(item, words);

/** The items of a summary's next steps: a line each, or parted by semicolons. */
function splitItems(nextSteps: string | null): string[] {
  const items = (nextSteps ?? '').split(/\n|;\s/).map((item) => item.replace(/^[\s\-*•\d.)[\]]+/, '').trim());
  return items.filter((item) => item !== '' && !/^(none|nothing)\b/i.test(item));
}

function findFaults(told: Told[]): string[] {
  return told.flatMap((one) => {
    const found = [...one.observed.observations.flatMap((o) => checkObservation(o, one.knownIds)), ...checkSummary(one)];
    return found.map((fault) => `session ${one.session} turn ${one.turn}: ${fault}`);
  });
}

function checkObservation(observation: ObservationDraft, knownIds: Set<string>): string[] {
  const title = observation.title ?? '';
  const faults: string[] = [];
  if (title.trim() === '') faults.push('observation without a title');
  if (RAW_JSON.test(title)) faults.push(`raw JSON in the title: ${title}`);
  if (title.length > MAX_TITLE) faults.push(`title of ${title.length} characters: ${title}`);
  for (const fact of observation.facts) {
    if (fact.sources.length === 0) faults.push(`fact without a source: ${fact.text}`);
    if (fact.sources.some((id) => !knownIds.has(id))) faults.push(`fact with an unknown source: ${fact.text}`);
  }
  return faults;
}

/** Every turn that ended has a summary; one that changed files says which, and what was completed. */
function checkSummary({ hasPrompt, edited, stopped, observed: { summary } }: Told): string[] {
  if (!hasPrompt) return [];
  if (summary === null) return ['no summary'];
  const faults: string[] = [];
  if (isEmpty(summary.request)) faults.push('summary without a request');
  if (edited && summary.filesEdited.length === 0) faults.push('summary without the edited files');
  if (edited && stopped && isEmpty(summary.completed)) faults.push('summary without what was completed');
  return faults;
}

const isEmpty = (text: string | null): boolean => (text ?? '').trim() === '';

function emptyTallies(): Tallies {
  const empty = (): Tally => ({ expected: 0, found: 0, right: 0, wrong: 0 });
  return { decisions: empty(), fixes: empty(), deadEnds: empty(), nextSteps: empty(), others: empty() };
}

export function addUp(scores: DayScore[]): Tallies {
  const sum = emptyTallies();
  for (const { tallies } of scores) for (const kind of KINDS) addTally(sum[kind], tallies[kind]);
  return sum;
}

export function totalOf(tallies: Tallies): Tally {
  const total: Tally = { expected: 0, found: 0, right: 0, wrong: 0 };
  for (const kind of KINDS) addTally(total, tallies[kind]);
  return total;
}

function addTally(sum: Tally, one: Tally) {
  sum.expected += one.expected;
  sum.found += one.found;
  sum.right += one.right;
  sum.wrong += one.wrong;
}

/** null when there was nothing to find. */
export function recallOf({ found, expected }: Tally): number | null {
  return expected === 0 ? null : found / expected;
}

/** null when nothing was told. */
export function precisionOf({ right, wrong }: Tally): number | null {
  return right + wrong === 0 ? null : right / (right + wrong);
}
