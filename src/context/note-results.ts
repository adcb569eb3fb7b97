// The results of a search that may be given to a session that did not ask: sure, current, trusted, and not given before.
import type { Database } from 'bun:sqlite';
import { type Freshness, formatFreshness } from '../core/freshness.ts';
import { formatDate } from '../core/local-time.ts';
import { formatRef, type MemoryRef, parseRef } from '../core/memory.ts';
import { describeOutcome } from '../core/outcome.ts';
import { plainLine } from '../core/plain-line.ts';
import { describeReplaced, renderRanked } from '../core/render-index.ts';
import type { SearchHit } from '../core/search.ts';
import { readBranch } from '../git/identity.ts';
import type { Filters } from '../search/filters.ts';
import type { Finder, Found } from '../search/find.ts';
import { searchMemories } from '../search/search.ts';
import { UNTRUSTED } from '../search/snippets.ts';
import { readCommitted } from '../store/commits/commits.ts';
import type { Observation } from '../store/memories/observations.ts';
import { listTurnObservations, readTurnKeys } from '../store/memories/turn-keys.ts';
import { readTellableByIds } from '../store/trust/tellable-observations.ts';
import { listHeld } from '../store/trust/trusted.ts';
import type { Piece } from './page.ts';
import { inPairs, type Pair } from './pair-replaced.ts';
import { markOf, renderAbove, renderFull, sourceOf } from './render.ts';
import type { Judge } from './sure.ts';
import { NOWHERE } from './surroundings.ts';
import type { TellDeps } from './tell.ts';

export type ResultQuery = {
  text: string;
  /** Whether there is something to say. */
  judge: Judge;
  /** What was decided goes before what was done. */
  decisionsFirst?: boolean;
  filters: Filters;
  /** By id as it is written: what the session has already. */
  given: ReadonlySet<string>;
  root: string;
  isExcluded: (path: string) => boolean;
  most: number;
  /** With what was tried in the same turns, and did not help. */
  withRuledOut?: boolean;
};

type Deps = TellDeps & { finder: Finder };

/** So many of the first: some of them may not be given. */
const LOOKED_AT = 4;
/** Beside the best, what is nearly as good. */
const BESIDE = 0.65;

/** Best first, each with what stands behind it. One search. */
export async function findResults(deps: Deps, query: ResultQuery): Promise<Piece[][]> {
  const { text, filters, given, most } = query;
  const { db, finder } = deps;
  const found = onlyHeld(db, await finder.find(text, filters));
  const isSure = query.judge(text, found);
  if (isSure === null) return [];
  const again = { ...finder, find: async () => found };
  const page = { query: text, filters, order: 'relevance', limit: LOOKED_AT, offset: 0, why: true } as const;
  const { results } = await searchMemories(again, page);
  // One that is sure shows what the prompt is about; the others are what search has beside it.
  if (!results.some(isSure)) return [];
  const best = results[0]?.score ?? 0;
  const fresh = results.filter(({ id, score }) => !given.has(id) && score >= best * BESIDE);
  if (query.decisionsFirst) fresh.sort((one, other) => Number(isDecision(other)) - Number(isDecision(one)));
  const told = (await describe(deps, fresh, query)).slice(0, most);
  return query.withRuledOut ? [...told, ...listRuledOut(db, told.flat())] : told;
}

const isDecision = ({ type }: SearchHit) => type === 'decision';
const idOf = ({ kind, ref }: Found['scored'][number]['candidate']) => formatRef({ kind, id: ref });

/** What nobody may be given must not stand before what may. Commits that say nothing are nobody's answer. */
function onlyHeld(db: Database, found: Found): Found {
  const refs = found.scored.map(({ candidate }) => ({ kind: candidate.kind, id: candidate.ref }));
  const held = listHeld(db, refs);
  const observations = refs.flatMap(({ kind, id }) => (kind === 'observation' ? [id] : []));
  const commits = readCommitted(db, observations);
  const isRoutine = ({ kind, id }: MemoryRef) => kind === 'observation' && commits.get(id)?.isRoutine === true;
  const kept = new Set(refs.filter((ref) => held.has(formatRef(ref)) && !isRoutine(ref)).map(formatRef));
  return { ...found, scored: found.scored.filter(({ candidate }) => kept.has(idOf(candidate))) };
}

/** As pieces, in their order: what may replace one stands before it, what was told with another comes once. */
async function describe(deps: Deps, hits: SearchHit[], { root, isExcluded }: ResultQuery): Promise<Piece[][]> {
  const { db, checkFreshness } = deps;
  const mayGive = ({ filesModified, filesRead }: Observation) => ![...filesModified, ...filesRead].some(isExcluded);
  const turns = readTurnStates(db, hits, mayGive);
  const pairs = inPairs(db, readTellableByIds(db, idsOf(hits)).filter(mayGive));
  const all = pairs.flatMap(({ observation, pair }) => [observation, ...(pair?.behind ?? [])]);
  const freshness =
    root === ''
      ? new Map<number, Freshness>()
      : await checkFreshness(all, { ...NOWHERE, root, branch: readBranch(root) });
  const shown = new Map(hits.map((hit) => [hit.id, { hit, turn: turns.get(hit.id) ?? CLEAN }]));
  const given = new Set<Paired>();
  return hits.flatMap((hit) => {
    if (hit.kind !== 'observation') return turnPieces(hit, turns.get(hit.id) ?? CLEAN);
    const paired = pairs.find((one) => isIn(one, hit.id));
    if (!paired || given.has(paired)) return [];
    given.add(paired);
    return pairPieces(paired, { shown, freshness });
  });
}

/** Of the turns of what is given, a line for each. */
function listRuledOut(db: Database, pieces: Piece[]): Piece[][] {
  const refs = pieces.flatMap(({ record }) =>
    record && record.ref.kind !== 'session' ? [record.ref as MemoryRef] : [],
  );
  const turns = listTurnObservations(db, [...new Set(readTurnKeys(db, refs).values())]);
  const isGiven = new Set(refs.map(formatRef));
  return readTellableByIds(db, [...turns.values()].flat())
    .filter(({ id, outcome }) => outcome === 'ruled-out' && !isGiven.has(String(id)))
    .map((one) => {
      const own = headOf(one, null);
      const ref = { kind: 'observation', id: one.id } as const;
      return [{ text: own, section: 'recall', record: { ref, own, freshness: null, why: ['did not help'], value: 0 } }];
    });
}

type Paired = { observation: Observation; pair: Pair | null };

const isIn = ({ observation, pair }: Paired, id: string) =>
  [observation, ...(pair?.behind ?? [])].some((one) => String(one.id) === id);

const idsOf = (hits: SearchHit[]) => hits.flatMap(({ id, kind }) => (kind === 'observation' ? [Number(id)] : []));

/** gone: something of the turn is no longer so, or may not be given. doubt: something of it may be replaced by this. */
type TurnState = { isGone: boolean; doubt: string | null };
const CLEAN: TurnState = { isGone: false, doubt: null };

/** By id as it is written. The record of a turn tells all of it: also what one of its memories may not tell any more. */
function readTurnStates(
  db: Database,
  hits: SearchHit[],
  mayGive: (one: Observation) => boolean,
): Map<string, TurnState> {
  const keys = readTurnKeys(
    db,
    hits.flatMap(({ id }) => parseRef(id) ?? []),
  );
  const ofTurns = listTurnObservations(db, [...new Set(keys.values())]);
  const told = new Map(
    readTellableByIds(db, [...ofTurns.values()].flat())
      .filter(mayGive)
      .map((one) => [one.id, one]),
  );
  return new Map(
    hits.map(({ id }) => {
      const beside = ofTurns.get(keys.get(id) ?? '')?.filter((one) => String(one) !== id) ?? [];
      const doubt = beside.map((one) => told.get(one)?.replacedBy?.id ?? null).find((newer) => newer !== null);
      return [id, { isGone: beside.some((one) => !told.has(one)), doubt: doubt ?? null }];
    }),
  );
}

/** A turn by itself, as search shows it. */
function turnPieces(hit: SearchHit, turn: TurnState): Piece[][] {
  const words = wordsOf(hit, turn);
  if (hit.replacedBy !== null || words === '') return [];
  const own = [...renderRanked([{ ...hit, snippet: '' }]), words].join('\n');
  const ref = parseRef(hit.id);
  return [[{ text: own, section: 'recall', record: ref && { ref, own, freshness: null, why: whyOf(hit), value: 0 } }]];
}

type Shown = {
  shown: Map<string, { hit: SearchHit; turn: TurnState }>;
  freshness: Map<number, Freshness>;
};

function pairPieces({ observation, pair }: Paired, { shown, freshness }: Shown): Piece[][] {
  const piece = (one: Observation, above: string[]): Piece => {
    const state = freshness.get(one.id) ?? null;
    const found = shown.get(String(one.id));
    const words = found && wordsOf(found.hit, found.turn);
    const below = words
      ? [`${words.slice(0, 2)}${markOf(one)}${words.slice(2)}`]
      : renderFull(one, state).slice(1, OWN_LINES);
    const own = [...above, headOf(one, state), ...below].join('\n');
    const why = found ? whyOf(found.hit) : ['may replace what was found'];
    const ref = { kind: 'observation', id: one.id } as const;
    return {
      text: own,
      section: 'recall',
      record: { ref, own, freshness: state && formatFreshness(state), why, value: 0 },
    };
  };
  const state = freshness.get(observation.id);
  // That something was tried in vain is said because the code shows nothing of it; of a file that is gone the words still tell why.
  if (state?.word === 'reverted' && observation.outcome !== 'ruled-out') return [];
  const above = pair ? renderAbove(pair) : [];
  return [[piece(observation, above), ...(pair?.behind ?? []).map((older) => piece(older, []))]];
}

/** Of what has no passage: what it says itself, in so many lines with its head. */
const OWN_LINES = 4;
const TITLE = 110;
const PASSAGE = 420;

function headOf(observation: Observation, freshness: Freshness | null): string {
  const { id, at, type, title, tokens, outcome, replacedBy } = observation;
  const state = [`~${tokens}`, ...(freshness ? [formatFreshness(freshness)] : []), sourceOf(observation)].join(', ');
  const marks = [describeOutcome(outcome, type), replacedBy ? describeReplaced(replacedBy) : null];
  const said = marks.flatMap((mark) => (mark === null ? [] : [` [${mark}]`]));
  return `#${id} ${formatDate(at)} ${type} ${plainLine(title?.trim() || 'untitled', TITLE)} (${state})${said.join('')}`;
}

/** The passage that search chose; '' where it may not be given. */
function wordsOf({ snippet = '' }: SearchHit, { isGone, doubt }: TurnState): string {
  if (isGone || snippet === '' || snippet.startsWith(UNTRUSTED)) return '';
  return `  ${plainLine(snippet, PASSAGE)}${doubt === null ? '' : ` [some of it may be replaced by #${doubt}]`}`;
}

const whyOf = ({ why }: SearchHit): string[] =>
  why && why.words.length > 0 ? [`words: ${why.words.slice(0, 6).join(', ')}`] : ['meaning'];
