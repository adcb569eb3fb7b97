// The search that people and agents use: what is relevant, without repeats, the newer before what it replaced, a page at a time.
import { formatRef, type MemoryRef } from '../core/memory.ts';
import type { ScoreParts, SearchHit } from '../core/search.ts';
import { type Committed, readCommitted } from '../store/commits/commits.ts';
import { listDocumentTexts } from '../store/index/documents.ts';
import { readRows } from '../store/memories/memories.ts';
import { readReplacedBy } from '../store/memories/replaced-by.ts';
import { readTurnKeys } from '../store/memories/turn-keys.ts';
import { type Regard, readRegards } from '../store/trust/trusted.ts';
import { type Candidate, listCandidates, readCandidates } from './candidates.ts';
import { type Filters, toCondition } from './filters.ts';
import type { Evidence, Finder, Found } from './find.ts';
import type { Scored } from './fuse.ts';
import { onlyRelevant } from './relevance.ts';
import { readSnippets } from './snippets.ts';
import { behindNewer, isNewerWord, isRepeat, newerFirst, readTopics, type Topic } from './topics.ts';

export type MemorySearch = {
  query: string;
  filters: Filters;
  order: 'relevance' | 'date';
  limit: number;
  offset: number;
  why: boolean;
};

export type FoundMemories = { results: SearchHit[]; total: number; note: string | null };

/** So many of the best are compared with each other. */
const COMPARED = 20;

type Item = Scored &
  Evidence & {
    at: number;
    topic: Topic | null;
    /** Of an observation. */
    regard: Regard | null;
    /** The commit that it is, or that its change went into. */
    committed: Committed | null;
    alike: Candidate[];
    sameTurn: Candidate[];
  };

/** Without a query: everything that the filters let through, newest first. */
export async function searchMemories(finder: Finder, search: MemorySearch): Promise<FoundMemories> {
  if (search.query.trim() === '') return browse(finder, search);
  const found = await finder.find(search.query, search.filters);
  const relevant = onlyRelevant(found);
  const folded = foldTurns(finder, doubtedLast(orderByTopic(foldRepeats(withTopics(finder, relevant)))));
  const items = replacedBehind(finder, folded);
  if (search.order === 'date') items.sort((one, other) => other.at - one.at);
  const page = items.slice(search.offset, search.offset + search.limit);
  const results = withSnippets(finder, search, toHits(finder, page, search.why));
  return { results, total: items.length, note: explain(found, items.length, search) };
}

function browse(finder: Finder, { filters, limit, offset }: MemorySearch): FoundMemories {
  const condition = toCondition(filters);
  const { documents, total } = listCandidates(finder.db, condition, { limit, offset });
  const byId = new Map(readCandidates(finder.db, documents, condition).map((item) => [item.document, item]));
  const items = documents
    .flatMap((document) => byId.get(document) ?? [])
    .map((candidate): Item => ({ ...NO_SCORE, candidate, at: candidate.at }));
  return { results: toHits(finder, items, false), total, note: total === 0 ? sayNothing(finder, filters) : null };
}

const NO_SCORE: Omit<Item, 'candidate' | 'at'> = {
  score: 0,
  parts: { keyword: 0, meaning: 0, neighbours: 0, recency: 0, type: 0 },
  coverage: 0,
  likeness: 0,
  words: [],
  topic: null,
  regard: null,
  committed: null,
  alike: [],
  sameTurn: [],
};

function sayNothing({ db }: Finder, { projectIds }: Filters): string {
  const { total } = listCandidates(db, toCondition({ projectIds }), { limit: 1, offset: 0 });
  return total === 0 ? 'Nothing is remembered here yet.' : 'Nothing of what is remembered fits these filters.';
}

function withTopics(finder: Finder, scored: Found['scored']): Item[] {
  const compared = scored.slice(0, COMPARED).map(({ candidate }) => candidate.document);
  const texts = new Map(listDocumentTexts(finder.db, compared).map(({ id, text }) => [id, text]));
  const topics = readTopics(texts, finder.known);
  const observations = scored.flatMap(({ candidate }) => (candidate.kind === 'observation' ? [candidate.ref] : []));
  const regards = readRegards(finder.db, observations);
  const commits = readCommitted(finder.db, observations);
  return scored.map((item) => {
    const { document, at, kind, ref } = item.candidate;
    const isObservation = kind === 'observation';
    const regard = isObservation ? (regards.get(ref) ?? null) : null;
    const committed = isObservation ? (commits.get(ref) ?? null) : null;
    return { ...item, at, topic: topics.get(document) ?? null, regard, committed, alike: [], sameTurn: [] };
  });
}

/** What people marked as wrong or distrust, and what reads like instructions, is found after all else. */
function doubtedLast(items: Item[]): Item[] {
  return [...items.filter((item) => !isDoubted(item)), ...items.filter(isDoubted)];
}

const isDoubted = ({ regard }: Item) => regard?.isBehind === true;

/** Of those that say the same, the newest stays in the place of the best; of a commit and what a session tells of it, the latter. */
function foldRepeats(items: Item[]): Item[] {
  const kept: Item[] = [];
  for (const item of items) {
    const place = kept.findIndex(
      (other) =>
        isSameKind(item, other) &&
        item.regard?.isBehind === other.regard?.isBehind &&
        (isSameChange(item, other) || (item.topic && other.topic && isRepeat(item.topic, other.topic))),
    );
    const first = kept[place];
    if (!first) kept.push(item);
    else if (staysFor(item, first)) {
      kept[place] = { ...item, score: first.score, parts: first.parts, alike: [...first.alike, first.candidate] };
    } else first.alike.push(item.candidate);
  }
  return kept;
}

const isCommit = ({ committed }: Item) => committed?.isCommit === true;

const isSameChange = (one: Item, other: Item) =>
  one.committed !== null && one.committed.hash === other.committed?.hash && isCommit(one) !== isCommit(other);

const staysFor = (item: Item, first: Item) =>
  isCommit(item) === isCommit(first) ? item.at > first.at : isCommit(first);

const isSameKind = (one: Item, other: Item) =>
  one.candidate.kind === other.candidate.kind && one.candidate.projectId === other.candidate.projectId;

function orderByTopic(items: Item[]): Item[] {
  const compared = items.slice(0, COMPARED);
  const ordered = newerFirst(compared, isOlderWord);
  return [...ordered, ...items.slice(COMPARED)];
}

/** Observations alone: what was asked, or done in a turn, is no older word on the next time; nor a fact on one that answers less. */
function isOlderWord(older: Item, newer: Item): boolean {
  if (older.candidate.kind !== 'observation' || !isSameKind(older, newer)) return false;
  // Not against what a person decided, nor for what could not be given itself.
  if (older.regard?.isKept || newer.regard?.holds === false) return false;
  if (newer.coverage < older.coverage - SAME_COVERAGE || !older.topic || !newer.topic) return false;
  return isNewerWord(
    { type: newer.candidate.type, sessionId: newer.candidate.sessionId, topic: newer.topic },
    { type: older.candidate.type, sessionId: older.candidate.sessionId, topic: older.topic },
  );
}
const SAME_COVERAGE = 0.05;

/** What speaks for a turn: an observation that says nearly as much as the best of it, else its record. A summary only by itself. */
const NEARLY = 0.6;

const isNear = (item: Item, best: Item) => item.score >= best.score * NEARLY;

/** A turn, its summary and its observations are one result, in the place of the best of them. What is doubted stays behind, with its mark. */
function foldTurns(finder: Finder, items: Item[]): Item[] {
  const turns = readTurnKeys(
    finder.db,
    items.map(({ candidate }) => refOf(candidate)),
  );
  const turnOf = (item: Item) => (isDoubted(item) ? undefined : turns.get(formatRef(refOf(item.candidate))));
  const groups = Map.groupBy(items, (item) => turnOf(item) ?? item);
  return [...groups.values()].flatMap((group) => {
    const [best] = group;
    if (!best) return [];
    const speaks =
      group.find((item) => item.candidate.kind === 'observation' && isNear(item, best)) ??
      group.find(({ candidate }) => candidate.kind === 'prompt') ??
      best;
    const sameTurn = group.filter((item) => item !== speaks).map(({ candidate }) => candidate);
    return [{ ...speaks, score: best.score, parts: best.parts, sameTurn }];
  });
}

/** What replaces another, or may do so, comes before it, also as one of a turn. */
function replacedBehind({ db }: Finder, items: Item[]): Item[] {
  const idsOf = ({ candidate, sameTurn, alike }: Item) => [candidate, ...sameTurn, ...alike].map(refOf).map(formatRef);
  const byId = new Map(items.flatMap((item) => idsOf(item).map((id) => [id, item])));
  const marks = readReplacedBy(
    db,
    items.map(({ candidate }) => refOf(candidate)),
  );
  return behindNewer(items, ({ candidate }) => byId.get(marks.get(formatRef(refOf(candidate)))?.id ?? ''));
}

/** So many rows carry the words that answer. */
const WITH_SNIPPET = 5;

function withSnippets(finder: Finder, { query, offset }: MemorySearch, hits: SearchHit[]): SearchHit[] {
  const first = hits.slice(0, Math.max(0, WITH_SNIPPET - offset));
  const snippets = readSnippets(finder, query, first);
  return hits.map((hit, at) => (snippets[at] ? { ...hit, snippet: snippets[at] } : hit));
}

function toHits(finder: Finder, items: Item[], why: boolean): SearchHit[] {
  const rows = readRows(
    finder.db,
    items.map(({ candidate }) => refOf(candidate)),
  );
  return items.flatMap((item) => {
    const row = rows.get(formatRef(refOf(item.candidate)));
    if (!row) return [];
    return {
      ...row,
      score: round(item.score),
      alike: item.alike.map((candidate) => formatRef(refOf(candidate))),
      sameTurn: item.sameTurn.map((candidate) => formatRef(refOf(candidate))),
      ...(why ? { why: explainScore(item) } : {}),
    };
  });
}

const refOf = ({ kind, ref }: Candidate): MemoryRef => ({ kind, id: ref });

function explainScore({ parts, words }: Item): ScoreParts {
  const { keyword, meaning, neighbours, recency, type } = parts;
  return {
    keyword: round(keyword),
    meaning: round(meaning),
    neighbours: round(neighbours),
    recency: round(recency),
    type: round(type),
    words,
  };
}

const round = (value: number) => Math.round(value * 1000) / 1000;

function explain(
  { problem, scored, isCut }: Found,
  relevant: number,
  { query, offset, limit }: MemorySearch,
): string | null {
  if (problem) return `Searched by words alone: ${problem}`;
  if (relevant === 0 && TIME.test(query)) return `Nothing relevant by its words. ${TIME_HINT}`;
  if (relevant === 0 && scored.length === 0)
    return 'Nothing relevant: no memory has any of these words or their meaning.';
  if (relevant === 0) return 'Nothing relevant: what comes nearest is about something else.';
  const isEnd = offset + limit >= relevant;
  return isCut && isEnd && offset > 0
    ? `These are the best ${relevant}. A filter or more words show what is behind them.`
    : null;
}

/** A time is a filter, not something that memories say. */
const TIME = /\b(?:today|yesterday|(?:this|last) (?:week|month)|\d+ (?:days?|weeks?|months?) ago|still open)\b/i;
const TIME_HINT = 'To look at a time: since=yesterday (--since), or `claude-mem recap`.';
