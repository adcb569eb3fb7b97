// The one search: words and meaning side by side, fused into one order of documents.
import type { Database } from 'bun:sqlite';
import { newestDocumentId } from '../store/index/documents.ts';
import { type Candidate, readCandidates } from './candidates.ts';
import { type Condition, createScopes, type Filters, toCondition } from './filters.ts';
import { fuse, type Scored } from './fuse.ts';
import type { SearchableModel } from './indexer.ts';
import { searchWords, type WordHit } from './keyword.ts';
import { createKnownWords, type KnownWords } from './known-words.ts';
import { findMeaning, isRead, type Meaning, understands } from './meaning.ts';
import { type Accept, isAccepted } from './vectors/accept.ts';

export type Finder = {
  find: (query: string, filters: Filters) => Promise<Found>;
  known: KnownWords;
  db: Database;
};

export type Found = {
  /** Best first: all that may be meant, also what is hardly relevant. */
  scored: (Scored & Evidence)[];
  /** More documents have the words than were looked at. */
  isCut: boolean;
  /** False when it was searched by words alone. */
  hasMeaning: boolean;
  /** A model reads the language of the question. */
  isRead: boolean;
  /** Why the meaning was not looked at. */
  problem: string | null;
};

export type Evidence = {
  /** How much of what the query tells the words of the document cover: 0 to 1. */
  coverage: number;
  /** How near its meaning is: 0.1 is usual, 0.5 is about the same. Null: nobody knows yet. */
  likeness: number | null;
  /** The words of the query that it has. */
  words: string[];
};

export type FinderDeps = {
  db: Database;
  /** Best first; none when the memory is searched by words alone. */
  models: () => SearchableModel[];
  clock: () => number;
};

/** Taken from each list, however deep somebody pages: what is fused must not change from page to page. */
const WIDTH = 200;
/** Of so many of the best, what stands beside them is looked at. */
const WITH_NEIGHBOURS = 60;
const SAMPLE = 256;

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
      const words = searchWords(db, known, { query, scope, limit: WIDTH });
      const sample = onlyPresent(db, takeSample(newestDocumentId(db), accept));
      const able = models().filter(({ embedder }) => understands(embedder.id, query));
      const meaning = await findMeaning(able, { query, accept, limit: WIDTH, sample });
      const signals = collect(db, condition, words, meaning);
      const hits = new Map(words.map((hit) => [hit.document, hit]));
      const scored = fuse(signals.candidates, { ...signals, now: clock() }).map((item) => ({
        ...item,
        coverage: hits.get(item.candidate.document)?.coverage ?? 0,
        likeness: signals.meaning.get(item.candidate.document)?.likeness ?? (meaning.isWhole ? 0 : null),
        words: hits.get(item.candidate.document)?.words ?? [],
      }));
      const isCut = words.length === WIDTH;
      return {
        scored,
        isCut,
        hasMeaning: meaning.near.size > 0,
        isRead: isRead(able, query),
        problem: meaning.problem,
      };
    },
  };
}

type Collected = { candidates: Candidate[]; words: Map<number, number>; meaning: Meaning['near'] };

/** The union of both lists and what stands beside the best of it, each with both signals. */
function collect(db: Database, condition: Condition, hits: WordHit[], meaning: Meaning): Collected {
  const words = new Map(hits.map(({ document, score }) => [document, score]));
  const known = new Map(meaning.near);
  const learn = (documents: number[]) => {
    const unknown = documents.filter((document) => !known.has(document));
    for (const [document, nearness] of meaning.of(unknown)) known.set(document, nearness);
  };
  const documents = [...new Set([...words.keys(), ...known.keys()])];
  learn(documents);
  const candidates = readCandidates(db, documents, condition);
  const best = fuse(candidates, { words, meaning: known, now: 0 }).slice(0, WITH_NEIGHBOURS);
  const present = new Set(documents);
  const beside = best
    .flatMap(({ candidate }) => [candidate.before, candidate.after])
    .filter((document) => document !== null && !present.has(document));
  const more = readCandidates(db, [...new Set(beside)] as number[], condition);
  learn(more.map(({ document }) => document));
  return { candidates: [...candidates, ...more], words, meaning: known };
}

/** Those that went have no vector, and would count as having nothing in common with any question. */
const onlyPresent = (db: Database, documents: number[]) =>
  db
    .query<unknown, [string]>('SELECT id FROM documents WHERE id IN (SELECT value FROM json_each(?))')
    .values(JSON.stringify(documents))
    .map(([id]) => id as number);

/** Evenly over all that is accepted: the same question always sees the same sample. */
function takeSample(newest: number, accept: Accept | undefined): number[] {
  const ids: number[] = [];
  const last = accept ? Math.min(newest, accept.length * 8 - 1) : newest;
  const step = Math.max(1, last / SAMPLE);
  for (let at = 1; at <= last && ids.length < SAMPLE; at += step) {
    let id = Math.floor(at);
    // What lies before the last find was looked at already: a project may be all at the end.
    if (id <= (ids.at(-1) ?? 0)) continue;
    if (accept) while (id <= last && !isAccepted(accept, id)) id++;
    if (id <= last) ids.push(id);
  }
  return ids;
}
