// The note with a prompt, by search, for a session that did not ask: sure, current, trusted.
import type { Database } from 'bun:sqlite';
import { listRecentSessions } from '../capture/sessions.ts';
import type { Freshness } from '../core/evidence.ts';
import { formatRef, type MemoryRef, parseRef } from '../core/memory.ts';
import { plainLine } from '../core/plain-line.ts';
import { renderRanked } from '../core/render.ts';
import type { SearchHit } from '../core/shapes/search.ts';
import { parseWhen } from '../core/time.ts';
import { readBranch } from '../git/identity.ts';
import { readTellableByIds } from '../memory/for-context.ts';
import { readCommitted } from '../memory/git-log.ts';
import { listGiven } from '../memory/injections.ts';
import type { Observation } from '../memory/observations.ts';
import { listOpenSteps } from '../memory/open-steps.ts';
import { readRows } from '../memory/read.ts';
import { listHeld } from '../memory/trusted.ts';
import { listTurnObservations, readTurnKeys } from '../memory/turn-keys.ts';
import { isQuestion } from '../observe/sentences.ts';
import { findGlobalProject, findWholeOf } from '../projects/projects.ts';
import { createFinder, type Finder, type Found } from '../search/find.ts';
import { readRecap } from '../search/rollup.ts';
import { searchMemories } from '../search/search.ts';
import { fillNote } from './known-notes.ts';
import { createOverturned } from './overturned.ts';
import { observed, type Piece, recordPiece, stepPiece } from './page.ts';
import { inPairs, type Pair } from './pair-replaced.ts';
import { amendingWords, judgeSure, type Question, readQuestion, sharesWord, subjectOf } from './question.ts';
import { markOf, renderAbove, renderFull, renderHead, sayDoubt } from './render.ts';
import { isAboutAny } from './surroundings.ts';
import type { TellDeps } from './tell.ts';

type Asking = {
  projectId: number;
  root: string;
  /** It is given nothing of its own, and nothing twice; 0 for nobody's. */
  sessionId: number;
  /** A path, absolute or relative to the root, of which nothing is given. */
  isExcluded: (path: string) => boolean;
};
/** [] when there is nothing to say. */
export type PromptNote = (query: Asking & { prompt: string }) => Promise<Piece[]>;

type Deps = TellDeps & { clock: () => number; finder: Finder };

/** Each says what it is and what answers (docs/context.md). */
const MOST_CHARACTERS = 2500;
/** Of what is left to do, and of what was done: each is a line. */
const MOST_LINES = 6;

export function createPromptNote(deps: Deps): PromptNote {
  const { db } = deps;
  const byWords = createFinder({ db, models: () => [], clock: deps.clock });
  return async (query) => {
    const question = readQuestion(query.prompt);
    if (question === null) return [];
    const { text, kind } = question;
    const lines = kind === 'any' ? [] : listLines(deps, question, query);
    const isAnswered = lines.length > 0 && subjectOf(text) === '';
    const more = [findWholeOf(db, query.projectId), findGlobalProject(db)].flatMap((project) => project?.id ?? []);
    const wanted = { text, decisionsFirst: kind === 'why', projectIds: [query.projectId, ...more] };
    const results = isAnswered ? [] : await findResults({ ...deps, byWords }, query, wanted);
    return fillNote([...lines, ...results], { subject: 'this request', section: 'recall' }, MOST_CHARACTERS);
  };
}

/** What is left to do, or what was done: of the subject that the question names, else all of it. */
function listLines(deps: Deps, question: Question, { projectId, sessionId }: Asking): Piece[][] {
  const isWanted = sharesWord(subjectOf(question.text));
  if (question.kind === 'open')
    return listOpenSteps(deps.db, { projectIds: [projectId], limit: MOST_STEPS })
      .filter(({ text }) => isWanted(text))
      .slice(0, MOST_LINES)
      .map((step) => [stepPiece(step, 'recall')]);
  if (question.kind !== 'recap') return [];
  return (
    recap(deps, question, { projectId, sessionId })
      .filter(({ title, replacedBy }) => replacedBy === null && isWanted(title))
      .sort((one, other) => Number(one.isByOthers ?? false) - Number(other.isByOthers ?? false) || other.at - one.at)
      .slice(0, MOST_LINES)
      // The title says so already.
      .flatMap((row) => rowPiece(row.id, renderRanked([{ ...row, isByOthers: undefined }]), ['what was done']))
  );
}

/** So many of the newest are looked at. */
const MOST_STEPS = 50;

function recap({ db, clock }: Deps, { when }: Question, { projectId, sessionId }: Pick<Asking, 'projectId' | 'sessionId'>) {
  const now = clock();
  const [last] = when === 'last' ? listRecentSessions(db, { projectId, except: sessionId, since: 0, limit: 1 }) : [];
  const since = last ? last.startedAt : parseWhen(when === 'week' ? 'last week' : 'yesterday', 'since', now);
  const until = when === 'yesterday' ? parseWhen('yesterday', 'until', now) : now;
  const [project] = readRecap(db, { projectIds: [projectId], since, until, now }).projects;
  return [...(project?.decided ?? []), ...(project?.done ?? [])];
}

function rowPiece(id: string, lines: string[], why: string[]): Piece[][] {
  const ref = parseRef(id);
  return ref ? [[recordPiece('recall', ref, lines.join('\n'), { why })]] : [];
}

type Wanted = {
  text: string;
  /** What was decided goes before what was done. */
  decisionsFirst?: boolean;
  projectIds: number[];
};

/** Of the passages of the first, which mostly answer, and of what is beside them. */
const ROOMS = [400, 400, 300, 150, 150, 150];
const LONGEST = 400;
/** So many say what they are about in their own words, too. */
const IN_FULL = 2;
/** So many may say that one of these is no longer so. */
const COMPARED = 10;
/** Beside the best, what is nearly as good. */
const BESIDE = 0.4;

/** Best first, each with what stands behind it. */
async function findResults(
  deps: Deps & { byWords: Finder },
  asking: Asking,
  { text, decisionsFirst, projectIds }: Wanted,
): Promise<Piece[][]> {
  const { db, finder, byWords } = deps;
  const filters = { projectIds, exceptSession: asking.sessionId || undefined };
  const found = onlyHeld(db, await finder.find(text, filters));
  const isSure = judgeSure(text, found);
  if (isSure === null) return [];
  const page = {
    query: text,
    filters,
    order: 'relevance',
    limit: COMPARED,
    offset: 0,
    why: true,
    rooms: ROOMS,
    isUnasked: true,
  } as const;
  const all = (await searchMemories({ ...finder, find: async () => found }, page)).results;
  const results = all.slice(0, ROOMS.length);
  // One that is sure shows what the prompt is about; the others are what search has beside it.
  if (!results.some(isSure)) return [];
  const given = listGiven(db, asking.sessionId);
  const best = results[0]?.score ?? 0;
  // What a person said, and nothing came of that tells more, speaks for itself.
  const isTold = (hit: SearchHit) => Boolean(hit.snippet) || (isSure(hit) && !isQuestion(hit.title));
  const fresh = results.filter((hit) => !given.has(hit.id) && hit.score >= best * BESIDE && isTold(hit));
  if (decisionsFirst) fresh.sort((one, other) => Number(isDecision(other)) - Number(isDecision(one)));
  if (fresh.length === 0) return [];
  const amending = onlyHeld(db, await byWords.find([...amendingWords()].join(' '), filters));
  const later = { question: text, hits: all, amending: [...readRows(db, refsOf(amending).slice(0, MOST_AMENDING)).values()] };
  return writeHits(deps, doubtOlder(fresh, createOverturned(finder, later)), asking);
}

/** What was said before another took it back is given behind that one, if at all. */
const doubtOlder = (hits: SearchHit[], overturnedBy: (older: SearchHit) => SearchHit['replacedBy']): SearchHit[] =>
  hits.map((older) => ({ ...older, replacedBy: older.replacedBy ?? overturnedBy(older) }));

const isDecision = ({ type }: SearchHit) => type === 'decision';

/** Of what says that it changes something that was agreed on. */
const MOST_AMENDING = 20;

const refsOf = ({ scored }: Found): MemoryRef[] => scored.map(({ candidate }) => ({ kind: candidate.kind, id: candidate.ref }));

/** What nobody may be given must not stand before what may. Commits that say nothing are nobody's answer. */
function onlyHeld(db: Database, found: Found): Found {
  const refs = refsOf(found);
  const held = listHeld(db, refs);
  const commits = readCommitted(db, observationIds(refs));
  const isKept = (ref: MemoryRef) => held.has(formatRef(ref)) && !(ref.kind === 'observation' && commits.get(ref.id)?.isRoutine);
  return { ...found, scored: found.scored.filter(({ candidate }) => isKept({ kind: candidate.kind, id: candidate.ref })) };
}

const observationIds = (refs: MemoryRef[]) => refs.flatMap(({ kind, id }) => (kind === 'observation' ? [id] : []));

type Paired = { observation: Observation; pair: Pair | null };

/** As pieces, in their order: what may replace one stands before it, what was told with another comes once. */
async function writeHits({ db, checkFreshness }: Deps, hits: SearchHit[], { root, isExcluded }: Asking): Promise<Piece[][]> {
  const mayGive = (one: Observation) => !isAboutAny(one, isExcluded);
  const refs = hits.flatMap(({ id }) => parseRef(id) ?? []);
  const readWords = createWordsReader(db, refs, mayGive);
  const doubts = new Map(hits.map(({ id, replacedBy }) => [id, replacedBy]));
  const told = readTellableByIds(db, observationIds(refs)).filter(mayGive);
  const pairs = inPairs(
    db,
    told.map((one) => ({ replacedBy: doubts.get(String(one.id)) ?? undefined, ...one })),
  ).filter(({ observation }) => mayGive(observation));
  const all = pairs.flatMap(({ observation, pair }) => [observation, ...(pair?.behind ?? [])]);
  const freshness = root === '' ? new Map<number, Freshness>() : await checkFreshness(all, { root, branch: readBranch(root) });
  const shown: Shown = new Map(
    hits.map((hit, at): [string, ShownHit] => [hit.id, { words: readWords(hit), why: whyOf(hit), isFull: at < IN_FULL }]),
  );
  const given = new Set<Paired>();
  return hits.flatMap((hit) => {
    // A turn by itself, as search shows it.
    if (hit.kind !== 'observation') {
      const words = shown.get(hit.id)?.words ?? null;
      if (hit.replacedBy !== null || words === null) return [];
      return rowPiece(hit.id, [...renderRanked([{ ...hit, snippet: '' }]), ...(words ? [`  ${words}`] : [])], whyOf(hit));
    }
    const paired = pairs.find(({ observation, pair }) => [observation, ...(pair?.behind ?? [])].some((one) => String(one.id) === hit.id));
    if (!paired || given.has(paired)) return [];
    given.add(paired);
    return pairPieces(paired, shown, freshness);
  });
}

/** `words`: null where nothing of the turn may be quoted. */
type ShownHit = { words: string | null; why: string[]; isFull: boolean };
type Shown = Map<string, ShownHit>;

function pairPieces({ observation, pair }: Paired, shown: Shown, freshness: Map<number, Freshness>): Piece[][] {
  // That something was tried in vain is said because the code shows nothing of it; of a file that is gone the words still tell why.
  if (freshness.get(observation.id)?.word === 'reverted' && observation.outcome !== 'ruled-out') return [];
  const piece = (one: Observation, above: string[]): Piece => {
    const state = freshness.get(one.id) ?? null;
    const { words = null, why, isFull } = shown.get(String(one.id)) ?? { why: ['may replace what was found'], isFull: true };
    const own = isFull ? renderFull(one, state, words ? [words] : []) : [renderHead(one, state)];
    const passage = words ? [`  ${markOf(one)}${words}`] : [];
    return recordPiece('recall', observed(one.id), [...above, ...own, ...passage].join('\n'), { why, freshness: state });
  };
  return [[piece(observation, renderAbove(pair)), ...(pair?.behind ?? []).map((older) => piece(older, []))]];
}

const whyOf = ({ why }: SearchHit): string[] =>
  why && why.words.length > 0 ? [`words: ${why.words.slice(0, 6).join(', ')}`] : ['meaning'];

/**
 * The passage that search chose; null where it may not be given. The record of a turn tells all of it: also what one of its memories
 * may not tell any more, or what the agent read outside and said in other words, for which only its memories were looked through.
 */
function createWordsReader(db: Database, refs: MemoryRef[], mayGive: (one: Observation) => boolean): (hit: SearchHit) => string | null {
  const keys = readTurnKeys(db, refs);
  const ofTurns = listTurnObservations(db, [...new Set(keys.values())]);
  const told = new Map(
    readTellableByIds(db, [...ofTurns.values()].flat())
      .filter(mayGive)
      .map((one) => [one.id, one]),
  );
  return ({ id, snippet = '' }) => {
    const beside = ofTurns.get(keys.get(id) ?? '')?.filter((one) => String(one) !== id) ?? [];
    if (beside.some((one) => !told.has(one))) return null;
    if (snippet === '') return '';
    const doubt = beside.map((one) => told.get(one)?.replacedBy?.id).find(Boolean);
    return `${plainLine(snippet, LONGEST)}${doubt ? sayDoubt(doubt) : ''}`;
  };
}
