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
import { renderAbove, renderBehind, renderLast, renderSaid, renderSession, renderStep } from './render.ts';
import { LONGEST_SENTENCE, type Part, type ReadPart, sentencesOf, wordsOf } from './sentences.ts';
import type { Surroundings } from './surroundings.ts';

/** `#123456 2026-01-02 10:30 discovery`, a file, the state behind the title, and the break. */
const AROUND_A_TITLE = 14;
/** The same below another of its turn. */
const AROUND_A_SHORT = 5;

export type Told = {
  observation: Observation;
  /** Of what it says beside its title. */
  sentences: string[];
  /** What else is told of its turn. */
  beside: Told[];
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
  /** What is told before the rest. */
  said: string[];
  readPart: ReadPart;
};

const LAST_VALUE = 60;
const LONGEST_TITLE = 160;
/** Of the last session, each piece of its work, what is pinned and what applies everywhere, whatever its words tell. */
const BONUS = 60;
const EVERYWHERE_VALUE = 8;
const STEP_VALUE = 8;
/** A session of the list, lowered with each that is newer. */
const SESSION_VALUE = 0.5;
const SESSION_STEP = 0.1;
/** Of all that is listed, one session may have so much. */
const SOURCE_SHARE = 0.4;
const LEAST_OF_SOURCE = 8;

export function choose(gathered: Gathered, options: ChooseOptions): Chosen {
  const { settings, freshness, tokens, surroundings, readPart } = options;
  const isOn = (section: ContextSection) => settings.contextSections.includes(section);
  const { kept, overtaken } = withoutOvertaken(gathered.observations, freshness);
  const last = isOn('summary') ? gathered.last : null;
  const valued = appraiseAll(kept, gathered, options);
  const turns = foldTurns(kept, gathered).map((all): Turn => {
    // What is pinned is told as that, whoever did it.
    const isDone = all.some(({ id, pinned }) => !pinned && last?.done.has(id));
    const placeOf = (isLine: boolean) => (isDone ? 'summary' : findSection(all, isLine, { isOn, surroundings }));
    return { all, isDone, placeOf, value: Math.max(...all.map(({ id }) => valued.get(id)?.value ?? 0)) };
  });
  const itemOf = createItem(gathered.pairs, readPart);
  const packed = pack([...listOthers({ ...gathered, last }, isOn, itemOf), ...turns.flatMap((turn) => itemsOf(turn, itemOf))], {
    tokens,
    mostLines: isOn('index') ? settings.contextIndex : 0,
    mostFull: settings.contextFull,
    known: options.said.flatMap(wordsOf),
    mostOfSource: Math.max(LEAST_OF_SOURCE, Math.ceil(settings.contextIndex * SOURCE_SHARE)),
  });
  const tell = (observation: Observation, section: ContextSection, beside: Observation[] = []): Told => ({
    observation,
    section,
    sentences: sentencesOf(observation).filter((_, at) => packed.get(String(observation.id))?.has(at)),
    beside: beside.map((one) => tell(one, section)),
    freshness: freshness.get(observation.id) ?? null,
    pair: gathered.pairs.get(observation.id) ?? null,
    ...(valued.get(observation.id) ?? { value: EVERYWHERE_VALUE, why: ['holds everywhere'] }),
  });
  return {
    last: packed.has('last') ? last : null,
    open: gathered.open.filter((_, at) => packed.has(`open ${at}`)),
    everywhere: gathered.everywhere.filter(({ id }) => packed.has(String(id))).map((one) => tell(one, 'everywhere')),
    observations: turns.flatMap(({ all, placeOf }) => {
      const [leader, ...beside] = all.filter(({ id }) => packed.has(String(id)));
      const section = leader && placeOf(beside.length === 0 && packed.get(String(leader.id))?.size === 0);
      return section ? [tell(leader, section, beside)] : [];
    }),
    sessions: gathered.sessions.filter(({ id }) => packed.has(`session ${id}`)),
    leftOut: [...gathered.leftOut, ...overtaken, ...listNotPacked(kept, packed)],
  };
}

/** What is told of one turn, or of what is of none: the first above the others. */
type Turn = {
  all: Observation[];
  /** In the last session. */
  isDone: boolean;
  placeOf: (isLine: boolean) => ContextSection | null;
  value: number;
};

/** A long turn is told in parts. */
const MOST_OF_TURN = 4;

/** What was done in a turn stands above what was decided in it: that says why. */
function foldTurns(observations: Observation[], { turns, pairs }: Gathered): Observation[][] {
  const isAlone = ({ id, pinned }: Observation) => pinned || pairs.get(id)?.above;
  const isWork = ({ type, outcome }: Observation) => type !== 'decision' && outcome !== 'ruled-out';
  const folded = Map.groupBy(observations, (one) => (isAlone(one) ? null : turns.get(String(one.id))) ?? `#${one.id}`);
  const parted = [...folded.values()].flatMap((all) => [
    ...Map.groupBy(all, (one) => Math.floor(all.indexOf(one) / MOST_OF_TURN)).values(),
  ]);
  return parted.map((all) => {
    const first = all.find(isWork) ?? all[0];
    return [...all.filter((one) => one === first), ...all.filter((one) => one !== first)];
  });
}

type Places = { isOn: (section: ContextSection) => boolean; surroundings: Surroundings };

/** Where it stands; null where nothing of the kind is wanted. */
function findSection(turn: Observation[], isLine: boolean, { isOn, surroundings }: Places): ContextSection | null {
  if (isOn('here') && turn.some((one) => isAtHand(one, surroundings))) return 'here';
  if (isOn('decisions') && turn.some(({ type }) => type === 'decision')) return 'decisions';
  if (isLine && isOn('index')) return 'index';
  return isOn('useful') ? 'useful' : null;
}

/** What is no observation of the project: told as a whole or not at all, and not counted. */
function listOthers({ last, open, everywhere, sessions }: Gathered, isOn: Places['isOn'], itemOf: ItemOf): Item[] {
  const only = (id: string, value: number, lines: string[], said: string): Item => ({
    ...{ id, value, bonus: 0, source: id, isCounted: false, under: null, sentences: () => [] },
    head: { tokens: estimateTokens(lines.join('\n')) + 1, words: wordsOf(said) },
  });
  // Its name is left out where its work says it.
  const saying = last?.said.map(({ title }) => title).join('\n') ?? '';
  return [
    ...(last ? [{ ...only('last', LAST_VALUE, [renderLast(last, false), ...last.said.map(renderSaid)], saying), bonus: BONUS }] : []),
    ...(isOn('open') ? open.map((step, at) => only(`open ${at}`, STEP_VALUE, [renderStep(step)], step.text)) : []),
    ...(isOn('everywhere') ? everywhere : []).map((one) => ({
      ...itemOf(one, null),
      ...{ value: EVERYWHERE_VALUE, bonus: BONUS, isCounted: false },
    })),
    ...(isOn('sessions') ? sessions : []).map((one, at) =>
      only(`session ${one.id}`, SESSION_VALUE - at * SESSION_STEP, [renderSession(one)], one.title ?? ''),
    ),
  ];
}

function itemsOf({ all, isDone, placeOf, value }: Turn, itemOf: ItemOf): Item[] {
  if (!placeOf(true) && !placeOf(false)) return [];
  const [first] = all;
  return all.map((one) => {
    const isFirst = one === first;
    const item = itemOf(one, isFirst || !first ? null : first);
    // What another of the turn is named by is told as that, under its own id.
    const titles = all.filter((other) => other !== one).map((other) => new Set(itemOf(other, null).head.words));
    const isTitle = ({ words }: Part) => titles.some((title) => words.every((word) => title.has(word)));
    const sentences = () => item.sentences().map((part) => (isTitle(part) ? { ...part, words: [] } : part));
    return { ...item, sentences, value, bonus: isFirst && (isDone || one.pinned) ? BONUS : 0, isCounted: item.isCounted && !isDone };
  });
}

type ItemOf = (observation: Observation, under: Observation | null) => Omit<Item, 'value' | 'bonus'>;

/** What goes with it costs its lines; what a prompt may replace is one itself. */
const createItem =
  (pairs: Gathered['pairs'], readPart: ReadPart): ItemOf =>
  (observation, under) => {
    const { id, title, sessionId, author, origin, pinned } = observation;
    const pair = pairs.get(id);
    const more = pair ? estimateTokens([...renderAbove(pair), ...renderBehind(pair)].join('\n')) : 0;
    const { tokens, words } = readPart(title ?? '', LONGEST_TITLE);
    return {
      id: String(id),
      head: { tokens: tokens + (under ? AROUND_A_SHORT : AROUND_A_TITLE) + more, words },
      sentences: () => (pair?.above ? [] : sentencesOf(observation).map((text) => readPart(text, LONGEST_SENTENCE))),
      under: under && String(under.id),
      // What the user said is no part of what an agent said in the same session.
      source: `${sessionId ?? author ?? 'noted'}${origin === 'user' ? ', the user' : ''}`,
      // A person wants it told: no limit but the budget holds.
      isCounted: !pinned,
    };
  };

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

function appraiseAll(kept: Observation[], { meanwhile }: Gathered, { surroundings, freshness }: ChooseOptions): Map<number, Valued> {
  const newestAt = (kept.find(({ origin }) => origin !== 'commit') ?? kept[0])?.at ?? 0;
  return new Map(
    kept.map((one) => {
      const { value, why } = appraise(one, { surroundings, newestAt, isNews: meanwhile.has(one.id) });
      const state = freshness.get(one.id);
      return [one.id, { why, value: state ? discount(value, state) : value }];
    }),
  );
}

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
