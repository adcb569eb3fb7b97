// The one search: words and meaning side by side, fused into one order of documents. Each part of a score is a number of its own, so that
// an answer can be explained.
import type { Database } from 'bun:sqlite';
import type { MemoryKind, MemoryRef } from '../core/memory.ts';
import { hasCjk } from '../core/words.ts';
import { newestDocumentId } from '../store/documents.ts';
import { readAll } from '../store/read.ts';
import { type Condition, createScopes, type Filters, toCondition } from './filters.ts';
import type { SearchableModel } from './indexer.ts';
import { createKnownWords, type KnownWords, searchWords, type WordHit } from './keyword.ts';
import { findMeaning, isRead, type Meaning, understands } from './meaning.ts';
import { type Accept, isAccepted } from './vector-index.ts';

export type Finder = {
  find: (query: string, filters: Filters) => Promise<Found>;
  known: KnownWords;
  db: Database;
};

export type Found = {
  /** Best first: all that may be meant, also what is hardly relevant. */
  scored: Scored[];
  /** More documents have the words than were looked at. */
  isCut: boolean;
  /** False when it was searched by words alone. */
  hasMeaning: boolean;
  /** A model reads the language of the question. */
  isRead: boolean;
  /** How many documents were searched. */
  documents: number;
  /** Why the meaning was not looked at. */
  problem: string | null;
};

export type Scored = {
  candidate: Candidate;
  score: number;
  parts: { keyword: number; meaning: number; neighbours: number; recency: number; type: number };
  /** How much of what the query tells the words of the document cover: 0 to 1. */
  coverage: number;
  /** How near its meaning is: 0.1 is usual, 0.5 is about the same. Null: nobody knows yet. */
  likeness: number | null;
  /** The words of the query that it has. */
  words: string[];
};

type FinderDeps = {
  db: Database;
  /** Best first; none when the memory is searched by words alone. */
  models: () => SearchableModel[];
  clock: () => number;
};

/** Taken from each list, however deep somebody pages: what is fused must not change from page to page. */
const WIDTH = 200;

export function createFinder({ db, models, clock }: FinderDeps): Finder {
  const known = createKnownWords(db);
  const scopes = createScopes(db);

  return {
    db,
    known,
    async find(query, filters) {
      known.renew();
      const condition = toCondition(filters);
      const scope = condition.isEmpty ? { accept: undefined, count: known.documents() } : scopes(filters, condition);
      const { accept } = scope;
      const hits = searchWords(db, known, { query, scope, limit: WIDTH });
      const able = models().filter(({ embedder }) => understands(embedder.id, query));
      const meaning = await findMeaning(able, { query, accept, limit: WIDTH, sample: able.length === 0 ? [] : takeSample(db, accept) });
      return {
        scored: fuse(collect(db, condition, hits, meaning), clock()),
        isCut: hits.length === WIDTH,
        hasMeaning: meaning.near.size > 0,
        isRead: isRead(able, query),
        documents: scope.count,
        problem: meaning.problem,
      };
    },
  };
}

/** The one memory that answers a query best, or none. */
export async function findBest(finder: Finder, query: string, filters: Filters): Promise<MemoryRef | null> {
  const best = onlyRelevant(await finder.find(query, filters))[0]?.candidate;
  return best ? { kind: best.kind, id: best.ref } : null;
}

const SAMPLE = 256;

/** Documents evenly over all that is accepted, to learn what is usual: the same question always sees the same sample. */
function takeSample(db: Database, accept: Accept | undefined): number[] {
  const ids: number[] = [];
  const newest = newestDocumentId(db);
  const last = accept ? Math.min(newest, accept.length * 8 - 1) : newest;
  const step = Math.max(1, last / SAMPLE);
  for (let at = 1; at <= last && ids.length < SAMPLE; at += step) {
    let id = Math.floor(at);
    // What lies before the last find was looked at already: a project may be all at the end.
    if (id <= (ids.at(-1) ?? 0)) continue;
    if (accept) while (id <= last && !isAccepted(accept, id)) id++;
    if (id <= last) ids.push(id);
  }
  // Those that went have no vector, and would count as having nothing in common with any question.
  const present = db.query<unknown, [string]>('SELECT id FROM documents WHERE id IN (SELECT value FROM json_each(?))');
  return present.values(JSON.stringify(ids)).map(([id]) => id as number);
}

export type Candidate = {
  document: number;
  kind: MemoryKind;
  ref: number;
  type: string;
  projectId: number;
  sessionId: number | null;
  at: number;
  /** Of a prompt: the documents just before and after it in its session. */
  before: number | null;
  after: number | null;
  /** 1: words of a person alone, without a record of what came of them. */
  isBare: number;
};

/** Those that a condition lets through, and that are still there. */
export function readCandidates(db: Database, documents: number[], condition: Condition): Candidate[] {
  const sql = `SELECT d.id AS document, d.kind, d.ref, d.type, d.project_id AS projectId, d.session_id AS sessionId, d.at,
      iif(d.kind = 'prompt', (SELECT max(id) FROM documents n WHERE n.session_id = d.session_id AND n.id < d.id), NULL) AS before,
      iif(d.kind = 'prompt', (SELECT min(id) FROM documents n WHERE n.session_id = d.session_id AND n.id > d.id), NULL) AS after,
      d.kind = 'prompt' AND NOT EXISTS (SELECT 1 FROM prompts p JOIN turns t USING (session_id, prompt_number)
        WHERE p.id = d.ref AND t.record <> '') AS isBare
    FROM json_each($documents) AS wanted CROSS JOIN documents d INDEXED BY documents_places ON d.id = wanted.value
    WHERE ${condition.sql}`;
  return readAll<Candidate>(db, sql, { ...condition.values, documents: JSON.stringify(documents) });
}

type Collected = { candidates: Candidate[]; hits: Map<number, WordHit>; meaning: Meaning };

/** The union of both lists, and what stands beside it in a session; the meaning of each is looked up. */
function collect(db: Database, condition: Condition, found: WordHit[], meaning: Meaning): Collected {
  const hits = new Map(found.map((hit) => [hit.document, hit]));
  const near = new Map(meaning.near);
  const read = (documents: number[]) => {
    const candidates = readCandidates(db, documents, condition);
    const unknown = candidates.map(({ document }) => document).filter((document) => !near.has(document));
    for (const [document, nearness] of meaning.of(unknown)) near.set(document, nearness);
    return candidates;
  };
  const documents = new Set([...hits.keys(), ...near.keys()]);
  const candidates = read([...documents]);
  const bare = candidates.filter(({ isBare }) => isBare).flatMap(({ before, after }) => [before, after]);
  const beside = bare.filter((document): document is number => document !== null && !documents.has(document));
  return { candidates: [...candidates, ...read([...new Set(beside)])], hits, meaning: { ...meaning, near } };
}

/** docs/retrieval.md tells how these were found, and what else was tried. */
const KEYWORD = 0.6;
const MEANING = 0.2;
/** Of the score of what was said before and after it. Only for words that stand alone: a record holds what it was about itself. */
const BEFORE = 0.3;
const AFTER = 0.15;
/** Of the mean of the best three of its session: a topic stays for a while. */
const SESSION = 0.2;
const SESSION_BEST = 3;
const RECENCY = 0.04;
const HALF_LIFE_MS = 60 * 86_400_000;
/** What somebody concluded goes before what somebody asked. */
const TYPE: Record<string, number> = { decision: 0.04, bugfix: 0.03, discovery: 0.02, prompt: -0.03 };

/** Best first. */
function fuse({ candidates, hits, meaning }: Collected, now: number): Scored[] {
  let best = Number.MIN_VALUE;
  for (const { score } of hits.values()) best = Math.max(best, score);
  const keyword = (document: number) => (KEYWORD * (hits.get(document)?.score ?? 0)) / best;
  const near = (document: number) => MEANING * (meaning.near.get(document)?.standing ?? 0);
  const own = (document: number | null) => (document === null ? 0 : Math.max(0, keyword(document) + near(document)));
  const beside = ({ isBare, before, after }: Candidate) => (isBare ? BEFORE * own(before) + AFTER * own(after) : 0);
  const sessions = new Map(
    [...Map.groupBy(candidates, ({ sessionId }) => sessionId)].map(([session, items]) => {
      const scores = items.map((item) => keyword(item.document) + near(item.document) + beside(item));
      const top = scores.sort((one, other) => other - one).slice(0, SESSION_BEST);
      return [session, Math.max(0, top.reduce((sum, score) => sum + score, 0) / SESSION_BEST)];
    }),
  );
  return candidates
    .map((candidate) => {
      const { document, sessionId, at, type, isBare } = candidate;
      const parts = {
        keyword: keyword(document),
        meaning: near(document),
        neighbours: isBare ? beside(candidate) + SESSION * (sessions.get(sessionId) ?? 0) : 0,
        recency: RECENCY * 0.5 ** (Math.max(0, now - at) / HALF_LIFE_MS),
        type: TYPE[type] ?? 0,
      };
      const { coverage = 0, words = [] } = hits.get(document) ?? {};
      const likeness = meaning.near.get(document)?.likeness ?? (meaning.isWhole ? 0 : null);
      return { candidate, score: Object.values(parts).reduce((sum, part) => sum + part, 0), parts, coverage, likeness, words };
    })
    .sort((one, other) => other.score - one.score || other.candidate.document - one.candidate.document);
}

/** docs/retrieval.md: how many answers pass, and how many questions about something else do not. */
const CONVINCING = 0.35;
const WORTH_SHOWING = 0.15;
/** Where something answers well, what hardly does is noise. */
const BESIDE_THE_BEST = 0.2;
/** Half of the query's words count as much as a likeness of a quarter. */
const COVERAGE = 0.5;
/** Where words are all there is, a tenth of the query's convinces. */
const COVERAGE_ALONE = 4;

/** What is worth showing, if anything convinces; else nothing: what neither the words nor the meaning bear out is no answer. */
export function onlyRelevant({ scored, hasMeaning, isRead: isUnderstood, documents }: Found): Scored[] {
  const evidence = ({ coverage, likeness }: Scored) =>
    hasMeaning && likeness !== null ? likeness + COVERAGE * coverage : COVERAGE_ALONE * coverage;
  const best = scored.reduce((most, item) => Math.max(most, evidence(item)), 0);
  if (isUnderstood ? best < CONVINCING : !scored.some((item) => isMet(item, documents))) return [];
  const least = Math.max(WORTH_SHOWING, best * BESIDE_THE_BEST);
  return scored.filter((item) => evidence(item) >= least);
}

/**
 * To models of English all German is alike. Where none reads the question, two of its words must meet in a memory, or
 * one that is so much of it. One word meets by chance where there is much to meet: among so few documents it says enough.
 */
const MUCH_OF_IT = 1 / 3;
const A_FEW = 500;

const isMet = ({ coverage, words }: Scored, documents: number) =>
  coverage >= MUCH_OF_IT || countApart(words) >= (documents > A_FEW ? 2 : 1);

/** A name and its pieces are one word, and so are the pairs of a run of characters. */
function countApart(words: string[]): number {
  const apart: string[] = [];
  for (const word of words.map((one) => one.toLowerCase())) {
    const isSame = (other: string) =>
      hasCjk(word) ? [...word].some((one) => other.includes(one)) : other.includes(word) || word.includes(other);
    const known = apart.findIndex(isSame);
    if (known < 0) apart.push(word);
    else if (hasCjk(word)) apart[known] += word;
  }
  return apart.length;
}
