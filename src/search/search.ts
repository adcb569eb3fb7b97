// The search that people and agents use: what is relevant, without repeats, the newer before what it superseded, a page at a time.
import { formatRef, type MemoryRef } from '../core/memory.ts';
import type { ScoreParts, SearchHit } from '../core/search.ts';
import { listDocumentTexts } from '../store/documents.ts';
import { readRows } from '../store/memories.ts';
import { type Candidate, listCandidates, readCandidates } from './candidates.ts';
import { type Filters, toCondition } from './filters.ts';
import type { Evidence, Finder, Found } from './find.ts';
import type { Scored } from './fuse.ts';
import { onlyRelevant } from './relevance.ts';
import { isRepeat, newerFirst, readTopics, replaces, type Topic } from './topics.ts';

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
    alike: Candidate[];
    supersededBy: Candidate | null;
  };

/** Without a query: everything that the filters let through, newest first. */
export async function searchMemories(finder: Finder, search: MemorySearch): Promise<FoundMemories> {
  if (search.query.trim() === '') return browse(finder, search);
  const found = await finder.find(search.query, search.filters);
  const relevant = onlyRelevant(found);
  const items = orderByTopic(foldRepeats(withTopics(finder, relevant)));
  if (search.order === 'date') items.sort((one, other) => other.at - one.at);
  const page = items.slice(search.offset, search.offset + search.limit);
  return { results: toHits(finder, page, search.why), total: items.length, note: explain(found, items.length, search) };
}

function browse(finder: Finder, { filters, limit, offset }: MemorySearch): FoundMemories {
  const condition = toCondition(filters);
  const { documents, total } = listCandidates(finder.db, condition, { limit, offset });
  const byId = new Map(readCandidates(finder.db, documents, condition).map((item) => [item.document, item]));
  const items = documents
    .flatMap((document) => byId.get(document) ?? [])
    .map((candidate): Item => ({ ...NO_SCORE, candidate, at: candidate.at }));
  return { results: toHits(finder, items, false), total, note: total === 0 ? NOTHING_HERE : null };
}

const NO_SCORE: Omit<Item, 'candidate' | 'at'> = {
  score: 0,
  parts: { keyword: 0, meaning: 0, neighbours: 0, recency: 0, type: 0 },
  coverage: 0,
  likeness: 0,
  words: [],
  topic: null,
  alike: [],
  supersededBy: null,
};
const NOTHING_HERE = 'Nothing is remembered here yet, or the filters leave nothing.';

function withTopics(finder: Finder, scored: Found['scored']): Item[] {
  const compared = scored.slice(0, COMPARED).map(({ candidate }) => candidate.document);
  const texts = new Map(listDocumentTexts(finder.db, compared).map(({ id, text }) => [id, text]));
  const topics = readTopics(texts, finder.known);
  return scored.map((item) => {
    const topic = topics.get(item.candidate.document) ?? null;
    return { ...item, at: item.candidate.at, topic, alike: [], supersededBy: null };
  });
}

/** Of those that say the same, the newest stays in the place of the best. */
function foldRepeats(items: Item[]): Item[] {
  const kept: Item[] = [];
  for (const item of items) {
    const place = kept.findIndex(
      (other) => isSameKind(item, other) && item.topic && other.topic && isRepeat(item.topic, other.topic),
    );
    const first = kept[place];
    if (!first) kept.push(item);
    else if (item.at > first.at) {
      kept[place] = { ...item, score: first.score, parts: first.parts, alike: [...first.alike, first.candidate] };
    } else first.alike.push(item.candidate);
  }
  return kept;
}

const isSameKind = (one: Item, other: Item) =>
  one.candidate.kind === other.candidate.kind && one.candidate.projectId === other.candidate.projectId;

function orderByTopic(items: Item[]): Item[] {
  const compared = items.slice(0, COMPARED);
  const ordered = newerFirst(compared, isSuperseded).map(({ item, supersededBy }) => ({
    ...item,
    supersededBy: supersededBy?.candidate ?? null,
  }));
  return [...ordered, ...items.slice(COMPARED)];
}

/**
 * Observations alone: what was asked, or done in a turn, is not superseded by the next time. A deed does not supersede the decision that
 * it carries out, nor a fact another that answers the question less; and within a session one leads to the next, unless it takes something back.
 */
function isSuperseded(older: Item, newer: Item): boolean {
  if (older.candidate.kind !== 'observation' || !isSameKind(older, newer) || !older.topic || !newer.topic) return false;
  if (older.candidate.type === 'decision' && newer.candidate.type !== 'decision') return false;
  if (newer.coverage < older.coverage - SAME_COVERAGE) return false;
  if (older.candidate.sessionId === newer.candidate.sessionId && !newer.topic.changesMind) return false;
  return replaces(newer.topic, older.topic);
}
const SAME_COVERAGE = 0.05;

function toHits(finder: Finder, items: Item[], why: boolean): SearchHit[] {
  const rows = readRows(
    finder.db,
    items.map(({ candidate }) => refOf(candidate)),
  );
  return items.flatMap((item) => {
    const row = rows.get(formatRef(refOf(item.candidate)));
    if (!row) return [];
    const newer = item.supersededBy && formatRef(refOf(item.supersededBy));
    return {
      ...row,
      supersededBy: row.supersededBy ?? newer,
      score: round(item.score),
      alike: item.alike.map((candidate) => formatRef(refOf(candidate))),
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
