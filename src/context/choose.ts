// What is added to the context of a session of all that could be: by its value here and now for each token, within the budget, without what
// the code has overtaken.
import type { ContextSection } from '../core/context.ts';
import { type Freshness, isOutdated } from '../core/evidence.ts';
import type { ObservationType } from '../core/observation.ts';
import type { LeftOut } from '../core/shapes/context.ts';
import { estimateTokens } from '../core/text.ts';
import type { Observation } from '../memory/observations.ts';
import { type ContextSettings, type Gathered, leaveOut } from './gather.ts';
import { type Item, type Packed, pack } from './pack.ts';
import type { Pair } from './pair-replaced.ts';
import { renderAbove, renderBehind, renderFull, renderLast, renderSaid, renderSession, renderStep } from './render.ts';
import type { Surroundings } from './surroundings.ts';

/** `#123456 2026-01-02 10:30 discovery`, the state behind the title, and the break. */
const AROUND_A_TITLE = 16;
/** The date and the file above a line of the index, in the mean. */
const ABOVE_A_LINE = 4;
const AROUND_A_TEXT = 2;

const lineCost = ({ title }: Observation) => tokensOf(title, 160) + AROUND_A_TITLE + ABOVE_A_LINE;

function fullCost({ title, subtitle, narrative, facts, filesModified, filesRead }: Observation): number {
  const files = filesModified.length > 0 ? filesModified : filesRead;
  const texts = [
    tokensOf(narrative ?? subtitle, 400),
    ...facts.slice(0, 5).map((fact) => tokensOf(fact, 240)),
    tokensOf(files.slice(0, 8).join(', '), 300),
  ];
  const below = texts.reduce((sum, tokens) => sum + (tokens > 0 ? tokens + AROUND_A_TEXT : 0), 0);
  return tokensOf(title, 160) + AROUND_A_TITLE + below;
}

const tokensOf = (text: string | null, most: number) => (text ? estimateTokens(text.slice(0, most)) : 0);

export type Told = {
  observation: Observation;
  level: 'line' | 'full';
  section: ContextSection;
  freshness: Freshness | null;
  /** What goes with it because one may replace the other. */
  pair: Pair | null;
} & Valued;

export type Chosen = {
  last: Gathered['last'];
  open: Gathered['open'];
  everywhere: Told[];
  /** Newest first. */
  observations: Told[];
  sessions: Gathered['sessions'];
  leftOut: LeftOut[];
};

export type ChooseOptions = {
  settings: ContextSettings;
  surroundings: Surroundings;
  /** Of those that were looked at so far. */
  freshness: Map<number, Freshness>;
  /** What the frame leaves of the budget. */
  tokens: number;
};

const LAST_VALUE = 60;
/** For each piece of work of the last session, over its own value. */
const DONE_VALUE = 20;
const EVERYWHERE_VALUE = 8;
const STEP_VALUE = 4;
/** A session of the list, lowered with each that is newer. */
const SESSION_VALUE = 1.5;
const SESSION_STEP = 0.1;
/** Of all that is listed, one session may have so much. */
const SOURCE_SHARE = 0.4;
const LEAST_OF_SOURCE = 8;

export function choose(gathered: Gathered, options: ChooseOptions): Chosen {
  const { settings, freshness, tokens, surroundings } = options;
  const isOn = (section: ContextSection) => settings.contextSections.includes(section);
  const when = <T>(section: ContextSection, list: T[]): T[] => (isOn(section) ? list : []);
  const { kept, overtaken } = withoutOvertaken(gathered.observations, freshness);
  const newestAt = (kept.find(({ origin }) => origin !== 'commit') ?? kept[0])?.at ?? 0;
  const { meanwhile, pairs } = gathered;
  const last = isOn('summary') ? gathered.last : null;
  // What is pinned is told in full, whoever did it.
  const isDone = ({ id, pinned }: Observation) => !pinned && last?.done.has(id) === true;
  const placeOf: PlaceOf = (one, level) => (isDone(one) && level === 'line' ? 'summary' : findSection(one, level, { isOn, surroundings }));
  const valued = new Map(
    kept.map((one): [number, Valued] => {
      const { value, why } = appraise(one, { surroundings, newestAt, isNews: meanwhile.has(one.id) });
      const state = freshness.get(one.id);
      return [one.id, { why, value: state ? discount(value, state) : value }];
    }),
  );
  const items: Item[] = [
    ...(last ? [itemOnly('last', LAST_VALUE, [renderLast(last, false), ...last.said.map(renderSaid)])] : []),
    ...when('open', gathered.open).map((step, at) => itemOnly(`open ${at}`, STEP_VALUE, [renderStep(step)])),
    ...when('everywhere', gathered.everywhere).map((one) =>
      itemOnly(`all ${one.id}`, EVERYWHERE_VALUE, [...renderFull(one, null), ...renderBehind(pairs.get(one.id))]),
    ),
    ...kept.map((one) => {
      const value = (valued.get(one.id)?.value ?? 0) + (isDone(one) ? DONE_VALUE : 0);
      return { ...itemOf(one, placeOf, isDone(one), pairs.get(one.id)), value };
    }),
    ...when('sessions', gathered.sessions).map((one, at) =>
      itemOnly(`session ${one.id}`, SESSION_VALUE - at * SESSION_STEP, [renderSession(one)]),
    ),
  ];
  const packed = pack(items, {
    tokens,
    mostLines: isOn('index') ? settings.contextIndex : 0,
    mostFull: settings.contextFull,
    mostOfSource: Math.max(LEAST_OF_SOURCE, Math.ceil(settings.contextIndex * SOURCE_SHARE)),
  });
  const tell = (observation: Observation, level: Told['level'], section: ContextSection): Told => ({
    observation,
    level,
    section,
    freshness: freshness.get(observation.id) ?? null,
    pair: pairs.get(observation.id) ?? null,
    ...(valued.get(observation.id) ?? { value: EVERYWHERE_VALUE, why: ['holds everywhere'] }),
  });
  return {
    last: packed.has('last') ? last : null,
    open: gathered.open.filter((_, at) => packed.has(`open ${at}`)),
    everywhere: gathered.everywhere.filter(({ id }) => packed.has(`all ${id}`)).map((one) => tell(one, 'full', 'everywhere')),
    observations: kept.flatMap((one) => {
      const level = packed.get(String(one.id));
      const section = level && placeOf(one, level);
      return section ? [tell(one, level, section)] : [];
    }),
    sessions: gathered.sessions.filter(({ id }) => packed.has(`session ${id}`)),
    leftOut: [...gathered.leftOut, ...overtaken, ...listNotPacked(kept, packed)],
  };
}

type PlaceOf = (one: Observation, level: Told['level']) => ContextSection | null;
type Places = { isOn: (section: ContextSection) => boolean; surroundings: Surroundings };

/** Where it stands; null where nothing of the kind is wanted. */
function findSection(observation: Observation, level: Told['level'], { isOn, surroundings }: Places) {
  if (level === 'line') return isOn('index') ? 'index' : null;
  if (isOn('here') && isAtHand(observation, surroundings)) return 'here';
  if (isOn('decisions') && observation.type === 'decision') return 'decisions';
  return isOn('useful') ? 'useful' : null;
}

/** Told as a whole or not at all, and not counted as one of the observations. */
const itemOnly = (id: string, value: number, lines: string[]): Item => ({
  id,
  value,
  lineTokens: null,
  fullTokens: estimateTokens(lines.join('\n')) + 1,
  source: id,
  isCounted: false,
});

/** What goes with it costs its lines; what a prompt may replace is one itself. */
function itemOf(observation: Observation, placeOf: PlaceOf, isDone: boolean, pair: Pair | undefined): Omit<Item, 'value'> {
  const more = pair ? estimateTokens([...renderAbove(pair), ...renderBehind(pair)].join('\n')) : 0;
  return {
    id: String(observation.id),
    lineTokens: placeOf(observation, 'line') || pair?.above ? lineCost(observation) + more : null,
    // What the last session did is listed as that.
    fullTokens: placeOf(observation, 'full') && !pair?.above && !isDone ? fullCost(observation) + more : null,
    // What the user said is no part of what an agent said in the same session.
    source: `session ${observation.sessionId}${observation.origin === 'user' ? ', the user' : ''}`,
    // A person wants it told: no limit but the budget holds.
    isCounted: !observation.pinned && !isDone,
  };
}

/** Gone and reverted ones are left out where something newer about the same files is known. Newest first. */
function withoutOvertaken(observations: Observation[], freshness: Map<number, Freshness>) {
  const newerFiles = new Set<string>();
  const kept: Observation[] = [];
  const overtaken: LeftOut[] = [];
  for (const one of observations) {
    const state = freshness.get(one.id);
    const isOvertaken = !one.pinned && state && isOutdated(state) && filesOf(one).some((file) => newerFiles.has(file));
    if (isOvertaken) overtaken.push(leaveOut(one, `${state.word}, and something newer is known`));
    else kept.push(one);
    for (const file of filesOf(one)) newerFiles.add(file);
  }
  return { kept, overtaken };
}

const filesOf = ({ filesModified, filesRead }: Observation) => (filesModified.length > 0 ? filesModified : filesRead);

const listNotPacked = (kept: Observation[], packed: Packed): LeftOut[] =>
  kept.filter(({ id }) => !packed.has(String(id))).map((one) => leaveOut(one, 'worth less for its tokens'));

type Valued = { value: number; why: string[] };

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
function appraise(
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
const isAtHand = (observation: Observation, surroundings: Surroundings): boolean =>
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
function discount(value: number, freshness: Freshness): number {
  if (isOutdated(freshness)) return value / 4;
  if (freshness.word === 'elsewhere') return value / 2;
  return freshness.word === 'changed' ? value * 0.8 : value;
}
