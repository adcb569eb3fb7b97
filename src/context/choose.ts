// What a session is told of all that could be: by value for each token, within the budget, without what the code has overtaken.
import type { ContextSection, LeftOut } from '../core/context.ts';
import { type Freshness, isOutdated } from '../core/freshness.ts';
import { estimateTokens } from '../core/tokens.ts';
import type { Observation } from '../store/memories/observations.ts';
import { fullCost, lineCost } from './cost.ts';
import { type Gathered, leaveOut } from './gather.ts';
import { type Item, type Packed, pack } from './pack.ts';
import type { Pair } from './pair-replaced.ts';
import { renderAbove, renderBehind, renderFull, renderSession, renderStep, renderSummary } from './render.ts';
import type { ContextSettings } from './settings.ts';
import type { Surroundings } from './surroundings.ts';
import { appraise, discount, type Valued } from './value.ts';

export type Told = {
  observation: Observation;
  level: 'line' | 'full';
  freshness: Freshness | null;
  /** What goes with it because one may replace the other. */
  pair: Pair | null;
} & Valued;

export type Chosen = {
  summary: Gathered['summary'];
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

const SUMMARY_VALUE = 60;
const EVERYWHERE_VALUE = 8;
const STEP_VALUE = 4;
/** A session of the list, lowered with each that is newer. */
const SESSION_VALUE = 1.5;
const SESSION_STEP = 0.1;
/** Of all that is listed, one session may have so much. */
const SOURCE_SHARE = 0.4;
const LEAST_OF_SOURCE = 8;

export function choose(gathered: Gathered, options: ChooseOptions): Chosen {
  const { settings, freshness, tokens } = options;
  const isOn = (section: ContextSection) => settings.contextSections.includes(section);
  const { kept, overtaken } = withoutOvertaken(gathered.observations, freshness);
  const newestAt = (kept.find(({ origin }) => origin !== 'commit') ?? kept[0])?.at ?? 0;
  const { meanwhile, pairs } = gathered;
  const valued = new Map(kept.map((one) => [one.id, valueNow(one, { newestAt, meanwhile }, options)]));
  const items: Item[] = [
    ...(gathered.summary && isOn('summary') ? [only('summary', SUMMARY_VALUE, summaryLines(gathered, isOn))] : []),
    ...(isOn('open') ? gathered.open.map((step, at) => only(`open ${at}`, STEP_VALUE, renderStep(step))) : []),
    ...(isOn('everywhere')
      ? gathered.everywhere.map((one) =>
          only(`all ${one.id}`, EVERYWHERE_VALUE, [...renderFull(one, null), ...renderBehind(pairs.get(one.id))]),
        )
      : []),
    ...kept.map((one) => itemOf(one, valued.get(one.id)?.value ?? 0, { isOn, pair: pairs.get(one.id) })),
    ...(isOn('sessions')
      ? gathered.sessions.map((one, at) =>
          only(`session ${one.id}`, SESSION_VALUE - at * SESSION_STEP, [renderSession(one)]),
        )
      : []),
  ];
  const { packed } = pack(items, {
    tokens,
    mostLines: isOn('index') ? settings.contextIndex : 0,
    mostFull: isOn('useful') ? settings.contextFull : 0,
    mostOfSource: Math.max(LEAST_OF_SOURCE, Math.ceil(settings.contextIndex * SOURCE_SHARE)),
  });
  const tell = (observation: Observation, level: Told['level']): Told => ({
    observation,
    level,
    freshness: freshness.get(observation.id) ?? null,
    pair: pairs.get(observation.id) ?? null,
    ...(valued.get(observation.id) ?? { value: EVERYWHERE_VALUE, why: ['holds everywhere'] }),
  });
  return {
    summary: packed.has('summary') ? gathered.summary : null,
    open: gathered.open.filter((_, at) => packed.has(`open ${at}`)),
    everywhere: gathered.everywhere.filter(({ id }) => packed.has(`all ${id}`)).map((one) => tell(one, 'full')),
    observations: kept.flatMap((one) => {
      const level = packed.get(String(one.id));
      return level ? [tell(one, level)] : [];
    }),
    sessions: gathered.sessions.filter(({ id }) => packed.has(`session ${id}`)),
    leftOut: [...gathered.leftOut, ...overtaken, ...listNotPacked(kept, packed)],
  };
}

type IsOn = (section: ContextSection) => boolean;

const summaryLines = ({ summary }: Gathered, isOn: IsOn) =>
  summary ? renderSummary(summary, { withSteps: !isOn('open') }) : [];

/** Told as a whole or not at all, and not counted as one of the observations. */
const only = (id: string, value: number, lines: string[]): Item => ({
  id,
  value,
  lineTokens: null,
  fullTokens: estimateTokens(lines.join('\n')) + 1,
  source: id,
  isCounted: false,
});

/** What goes with it costs its lines; what a prompt may replace is one itself. */
function itemOf(observation: Observation, value: number, { isOn, pair }: { isOn: IsOn; pair: Pair | undefined }): Item {
  const more = pair ? estimateTokens([...renderAbove(pair), ...renderBehind(pair)].join('\n')) : 0;
  return {
    id: String(observation.id),
    value,
    lineTokens: isOn('index') || pair?.above ? lineCost(observation) + more : null,
    fullTokens: isOn('useful') && !pair?.above ? fullCost(observation) + more : null,
    // What the user said is no part of what an agent said in the same session.
    source: `session ${observation.sessionId}${observation.origin === 'user' ? ', the user' : ''}`,
    // A person wants it told: no limit but the budget holds.
    isCounted: !observation.pinned,
  };
}

type Times = { newestAt: number; meanwhile: ReadonlySet<number> };

function valueNow(observation: Observation, times: Times, { surroundings, freshness }: ChooseOptions): Valued {
  const isNews = times.meanwhile.has(observation.id);
  const valued = appraise(observation, { surroundings, newestAt: times.newestAt, isNews });
  const state = freshness.get(observation.id);
  return state ? { ...valued, value: discount(valued.value, state) } : valued;
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
