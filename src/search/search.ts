// The search that people and agents use: what is relevant, without repeats, the newer before what it replaced, a page at a time.
import type { Database } from 'bun:sqlite';
import { formatRef, type MemoryRef, parseRef } from '../core/memory.ts';
import type { Memory, ReplacedBy } from '../core/shapes/memory.ts';
import type { SearchHit } from '../core/shapes/search.ts';
import { type Committed, readCommitted } from '../memory/git-log.ts';
import { readMemories, readReplacedBy, readRows } from '../memory/read.ts';
import { type Regard, readRegards } from '../memory/trusted.ts';
import { listTurnObservations, readTurnKeys } from '../memory/turn-keys.ts';
import { lazily } from '../secrets/span.ts';
import { listDocumentTexts } from '../store/documents.ts';
import { readFirst } from '../store/read.ts';
import { isFromOutside, readRecord, type TurnRecord } from '../turns/record.ts';
import { behindNewer, isNewerWord, isRepeat, newerFirst, readTopics, type Topic } from './alike.ts';
import { type Condition, type Filters, toCondition } from './filters.ts';
import { type Candidate, type Finder, type Found, onlyRelevant, readCandidates, type Scored } from './find.ts';
import { findPassage, linesGoneSince, readWanted } from './snippets.ts';
import { readTurnOf } from './turn-of.ts';

type MemorySearch = {
  query: string;
  filters: Filters;
  order: 'relevance' | 'date';
  limit: number;
  offset: number;
  why: boolean;
  asker?: Asker;
  /** Of the passages of the first rows: so many characters each. */
  rooms?: readonly number[];
  /** Nobody asked: what was said since the turn first read something from outside is left out. */
  isUnasked?: boolean;
};

/** A session that asks: what it has need not be said again, and what it just asked is no answer. */
export type Asker = { sessionId: number; given: string };

type FoundMemories = { results: SearchHit[]; total: number; note: string | null };

/** So many of the best are compared with each other. */
const COMPARED = 20;
/** Every observation is shorter; of a record, whose rest is output and hunks, its beginning tells whether it is another's again. */
const COMPARED_TEXT = 3000;

/** One row: a memory, and what is folded into it. */
type Item = Pick<Scored, 'candidate' | 'score' | 'parts' | 'coverage' | 'words'> & {
  ref: MemoryRef;
  id: string;
  topic?: Topic | undefined;
  /** Of an observation. */
  regard?: Regard | undefined;
  /** The commit that it is, or that its change went into. */
  committed?: Committed | undefined;
  alike: string[];
  sameTurn: string[];
};

/** Without a query: everything that the filters let through, newest first. */
export async function searchMemories(finder: Finder, search: MemorySearch): Promise<FoundMemories> {
  if (search.query.trim() === '') return browse(finder.db, search);
  const found = await finder.find(search.query, search.filters);
  const { asker = { sessionId: 0, given: '' }, offset, limit, why } = search;
  const isOwnPrompt = ({ sessionId, isBare }: Candidate) => isBare === 1 && sessionId === asker.sessionId;
  const relevant = onlyRelevant(found).filter(({ candidate }) => !isOwnPrompt(candidate));
  const ordered = doubtedLast(newerWordFirst(foldRepeats(toItems(finder, relevant))));
  const items = replacedBehind(finder.db, foldTurns(finder.db, ordered));
  if (search.order === 'date') items.sort((one, other) => other.candidate.at - one.candidate.at);
  const hits = toHits(finder.db, items.slice(offset, offset + limit), why);
  const { rooms = ROOMS } = search;
  const first = Math.max(0, rooms.length - offset);
  const results = [...addSnippets(finder, hits.slice(0, first), { ...search, rooms, given: asker.given }), ...hits.slice(first)];
  return { results, total: items.length, note: explain(found, items.length, search) };
}

function browse(db: Database, { filters, limit, offset }: MemorySearch): FoundMemories {
  const condition = toCondition(filters);
  const total = countMatching(db, condition);
  const documents = db
    .query<unknown, [Record<string, string | number>]>(
      `SELECT d.id FROM documents d WHERE ${condition.sql} ORDER BY d.at DESC, d.id DESC LIMIT $limit + 0 OFFSET $offset`,
    )
    .values({ ...condition.values, limit, offset })
    .map(([id]) => id as number);
  const byId = new Map(readCandidates(db, documents, condition).map((item) => [item.document, item]));
  const parts = { keyword: 0, meaning: 0, neighbours: 0, recency: 0, type: 0 };
  const items = documents
    .flatMap((document) => byId.get(document) ?? [])
    .map((one) => toItem({ candidate: one, score: 0, parts, coverage: 0, words: [] }));
  return { results: toHits(db, items, false), total, note: total === 0 ? sayNothing(db, filters) : null };
}

const countMatching = (db: Database, { sql, values }: Condition): number =>
  readFirst<{ n: number }>(db, `SELECT count(*) AS n FROM documents d WHERE ${sql}`, values)?.n ?? 0;

const sayNothing = (db: Database, { projectIds }: Filters): string =>
  countMatching(db, toCondition({ projectIds })) === 0
    ? 'Nothing is remembered here yet.'
    : 'Nothing of what is remembered fits these filters.';

function toItem(scored: Omit<Scored, 'likeness'>): Item {
  const ref = { kind: scored.candidate.kind, id: scored.candidate.ref };
  return { ...scored, ref, id: formatRef(ref), alike: [], sameTurn: [] };
}

function toItems({ db, known }: Finder, scored: Scored[]): Item[] {
  const compared = scored.slice(0, COMPARED).map(({ candidate }) => candidate.document);
  const topics = readTopics(new Map(listDocumentTexts(db, compared).map(({ id, text }) => [id, text.slice(0, COMPARED_TEXT)])), known);
  const observations = scored.flatMap(({ candidate }) => (candidate.kind === 'observation' ? [candidate.ref] : []));
  const [regards, commits] = [readRegards(db, observations), readCommitted(db, observations)];
  return scored.map((one) => {
    const { document, kind, ref } = one.candidate;
    const item = { ...toItem(one), topic: topics.get(document) };
    return kind === 'observation' ? { ...item, regard: regards.get(ref), committed: commits.get(ref) } : item;
  });
}

/** What people marked as incorrect or blocked, and what reads like instructions, is found after all else. */
const doubtedLast = (items: Item[]): Item[] => [...items.filter((item) => !isDoubted(item)), ...items.filter(isDoubted)];

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
    else if (isCommit(item) === isCommit(first) ? item.candidate.at > first.candidate.at : isCommit(first)) {
      kept[place] = { ...item, score: first.score, parts: first.parts, alike: [...first.alike, first.id] };
    } else first.alike.push(item.id);
  }
  return kept;
}

const isCommit = ({ committed }: Item) => committed?.isCommit === true;

const isSameChange = (one: Item, other: Item) =>
  one.committed !== undefined && one.committed.hash === other.committed?.hash && isCommit(one) !== isCommit(other);

const isSameKind = ({ candidate: one }: Item, { candidate: other }: Item) => one.kind === other.kind && one.projectId === other.projectId;

const newerWordFirst = (items: Item[]): Item[] => [
  ...newerFirst(items.slice(0, COMPARED), ({ candidate }) => candidate.at, isOlderWord),
  ...items.slice(COMPARED),
];

/** Observations alone: what was asked, or done in a turn, is no older word on the next time; nor a fact on one that answers less. */
function isOlderWord(older: Item, newer: Item): boolean {
  if (older.candidate.kind !== 'observation' || !isSameKind(older, newer)) return false;
  // Not against what a person decided, nor for what could not be given itself.
  if (older.regard?.isKept || newer.regard?.holds === false) return false;
  if (newer.coverage < older.coverage - SAME_COVERAGE || !older.topic || !newer.topic) return false;
  return isNewerWord({ ...newer.candidate, topic: newer.topic }, { ...older.candidate, topic: older.topic });
}
const SAME_COVERAGE = 0.05;

/**
 * What speaks for a turn: an observation that says nearly as much as the best of it, or any where no record tells what came of the prompt;
 * else the record. A summary only by itself.
 */
const NEARLY = 0.6;

/** A turn, its summary and its observations are one result, in the place of the best of them. What is doubted stays behind. */
function foldTurns(db: Database, items: Item[]): Item[] {
  const turns = readTurnKeys(db, refsOf(items));
  const groups = Map.groupBy(items, (item) => (isDoubted(item) ? item : (turns.get(item.id) ?? item)));
  return [...groups.values()].flatMap((group) => {
    const [best] = group;
    if (!best) return [];
    const least = group.some(({ candidate }) => candidate.isBare) ? 0 : best.score * NEARLY;
    const speaks =
      group.find(({ ref, score }) => ref.kind === 'observation' && score >= least) ??
      group.find(({ ref }) => ref.kind === 'prompt') ??
      best;
    return [{ ...speaks, score: best.score, parts: best.parts, sameTurn: group.filter((item) => item !== speaks).map(({ id }) => id) }];
  });
}

/** What replaces another or a part of it, or may do so, comes before it, also as one of a turn. */
function replacedBehind(db: Database, items: Item[]): Item[] {
  const byId = new Map(items.flatMap((item) => [item.id, ...item.sameTurn, ...item.alike].map((id) => [id, item])));
  const marks = new Map([...markParts(db, items.slice(0, COMPARED)), ...readReplacedBy(db, refsOf(items))]);
  return behindNewer(items, ({ id }) => byId.get(marks.get(id)?.id ?? ''));
}

function toHits(db: Database, items: Item[], why: boolean): SearchHit[] {
  const rows = readRows(db, refsOf(items));
  const partly = markParts(db, items);
  return items.flatMap(({ id, score, parts, words, alike, sameTurn }) => {
    const row = rows.get(id);
    if (!row) return [];
    // The same names, each with a number.
    const rounded = Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, round(part)])) as Scored['parts'];
    const replacedBy = row.replacedBy ?? partly.get(id) ?? null;
    return { ...row, replacedBy, score: round(score), alike, sameTurn, ...(why ? { why: { ...rounded, words } } : {}) };
  });
}

/** A record is a snapshot: it still says what a memory of its turn no longer does. What the turn itself replaced is told there. */
function markParts(db: Database, items: Item[]): Map<string, ReplacedBy> {
  const whole = items.filter(({ ref }) => ref.kind !== 'observation');
  const turns = readTurnKeys(db, refsOf(whole));
  const observations = listTurnObservations(db, [...new Set(turns.values())]);
  const marks = readReplacedBy(
    db,
    [...observations.values()].flat().map((id) => ({ kind: 'observation', id })),
  );
  return new Map(
    whole.flatMap(({ id }) => {
      const own = observations.get(turns.get(id) ?? '') ?? [];
      const mark = own.map((one) => marks.get(String(one))).find((one) => one && !own.includes(Number(one.id)));
      return mark ? [[id, { ...mark, isCertain: false }] as const] : [];
    }),
  );
}

const refsOf = (items: Item[]): MemoryRef[] => items.map(({ ref }) => ref);

const round = (value: number) => Math.round(value * 1000) / 1000;

function explain({ problem, scored, isCut, isRead }: Found, relevant: number, { query, offset, limit }: MemorySearch): string | null {
  if (problem) return `Searched by words alone: ${problem}`;
  if (relevant === 0 && TIME.test(query)) return `Nothing relevant by its words. ${TIME_HINT}`;
  if (relevant === 0 && !isRead) return `Nothing relevant by its words. ${ENGLISH_HINT}`;
  if (relevant === 0 && scored.length === 0) return 'Nothing relevant: no memory has any of these words or their meaning.';
  if (relevant === 0) return 'Nothing relevant: what comes nearest is about something else.';
  const isEnd = offset + limit >= relevant;
  return isCut && isEnd && offset > 0 ? `These are the best ${relevant}. A filter or more words show what is behind them.` : null;
}

const ENGLISH_HINT = 'The meaning is read in English alone: ask a second time in English.';

/** A time is a filter, not something that memories say. */
const TIME = /\b(?:today|yesterday|(?:this|last) (?:week|month)|\d+ (?:days?|weeks?|months?) ago|still open)\b/i;
const TIME_HINT = 'To look at a time: since=yesterday (--since), or `claude-mem recap`.';

/** Before words that came from outside. */
const UNTRUSTED = '[untrusted source] ';
/** docs/retrieval.md: how these were found. The first answers most often, each below it less. */
const ROOMS = [400, 400, 300, 200, 100];
/** For whoever has some of them already: more of the first of those, and the first two of the others. */
const MORE = [200];
const OTHERS = [300, 100];

type Snippets = {
  query: string;
  /** What the asker was given before, with the ids as they are written there; '' for nothing. */
  given: string;
  rooms: readonly number[];
  /** Nobody asked: what was said since the turn first read something from outside may repeat it, and is left out. */
  isUnasked?: boolean | undefined;
};

/** The rows, those with something to show with it. One whose turn the asker has is marked, and shows what it was not given. */
function addSnippets({ db, known }: Pick<Finder, 'db' | 'known'>, rows: SearchHit[], asked: Snippets): SearchHit[] {
  if (rows.length === 0) return [];
  const wanted = readWanted(asked.query, known);
  const ids = new Set(asked.given.match(/(?<=^#)\w+/gm));
  const isGiven = ({ id, sameTurn }: SearchHit) => [id, ...sameTurn].some((one) => ids.has(one));
  const [more, others] = rows.some(isGiven) ? [[...MORE], [...OTHERS]] : [[], [...asked.rooms]];
  const memories = lazily(() =>
    readMemories(
      db,
      rows.flatMap(({ id }) => parseRef(id) ?? []),
    ),
  );
  return rows.map((row) => {
    const room = (isGiven(row) ? more : others).shift() ?? 0;
    const marked = isGiven(row) ? { ...row, isGiven: true as const } : row;
    const ref = parseRef(row.id);
    if (room === 0 || !ref) return marked;
    const turn = readTurnOf(db, ref);
    const record = turn ? readRecord(turn.record) : readOwn(memories().get(row.id));
    const passage = findPassage(asked.isUnasked ? beforeOutside(record) : record, wanted, {
      ...{ prompt: turn?.prompt ?? '', title: row.title, room },
      given: isGiven(row) ? asked.given : '',
      isGone: turn ? linesGoneSince(db, turn) : undefined,
    });
    return passage ? { ...marked, snippet: `${passage.isUntrusted ? UNTRUSTED : ''}${passage.text}` } : marked;
  });
}

/** What was said since may repeat what was read there. */
export function beforeOutside(record: TurnRecord): TurnRecord {
  const first = record.steps.findIndex(isFromOutside);
  return first < 0 ? record : { steps: record.steps.slice(0, first), closing: '' };
}

/** Without a record the memory has only its own words. */
function readOwn(memory: Memory | undefined): TurnRecord {
  const { summary } = memory ?? {};
  const texts = [memory?.subtitle, memory?.narrative, ...(memory?.facts ?? []), summary?.learned, summary?.completed, summary?.nextSteps];
  return { steps: [], closing: texts.filter((text) => typeof text === 'string' && text !== '').join('\n\n') };
}
