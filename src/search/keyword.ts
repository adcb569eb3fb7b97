// Search by words: every term of the query is looked up, what it tells is weighed in the scope that is asked, BM25 ranks the best.
import type { Database } from 'bun:sqlite';
import { camelPieces } from '../core/words.ts';
import { countDocuments, newestDocumentId } from '../store/documents.ts';
import { readAll, readFirst } from '../store/read.ts';
import type { Scope } from './filters.ts';
import { readQuery, type Term } from './query-words.ts';
import { isAccepted } from './vector-index.ts';

export type WordHit = {
  document: number;
  score: number;
  /** How much of what the query tells is in the document: 0 to 1. */
  coverage: number;
  words: string[];
};

/** title, subtitle, narrative, facts, concepts, files, prompt, neighbours, parts, whence. docs/retrieval.md tells how they were found. */
const COLUMN_WEIGHTS = [1.2, 1, 1, 1, 0.8, 0.8, 1, 0.3, 0.5, 0.8];
const NEIGHBOURS = 7;
const WEIGHTS = COLUMN_WEIGHTS.join(', ');
const OWN_WEIGHTS = COLUMN_WEIGHTS.with(NEIGHBOURS, 0).join(', ');

/** A term in more than this share of many documents costs much and tells little. */
const FREQUENT_SHARE = 0.05;
const MANY = 2000;
const VERY_MANY = 30_000;
const SMALL = 20_000;
/** So many are ranked: those whose terms tell most. */
const RANKED = 200;
/** That the words of a phrase stand together is worth a little more than the words. */
const PHRASE_WEIGHT = 4;
/** A word that no document has may be a piece of a name. */
const SHORTEST_PIECE = 3;
const PIECE_HITS = 50;
/** As sure as a word in a text of some length. */
const PIECE_PRESENCE = 0.5;
/** A word that a document says itself is covered, however long the document. */
const COVERED = 0.7;
/** BM25 gives a word at most this times its weight. */
const MOST_OF_A_WORD = 2.2;

type WordSearch = { query: string; scope: Scope; limit: number };

/** Best first. */
export function searchWords(db: Database, known: KnownWords, { query, scope, limit }: WordSearch): WordHit[] {
  const most = Math.max(MANY, Math.min(VERY_MANY, Math.floor(known.documents() * FREQUENT_SHARE)));
  const found = withoutFrequent(readQuery(query).map((term) => lookUp(db, known, { term, scope, most })));
  for (const word of found) if (word.isFrequent) word.documents = lookDeeper(db, word, scope);
  if (scope.count < A_FEW) levelUnknown(found);
  const told = found.reduce((sum, { weight }) => sum + weight, 0) || 1;
  const hits = new Map<number, WordHit>();
  const add = (document: number, { term, weight }: Looked, presence: number, covered: number) => {
    const hit = hits.get(document) ?? { document, score: 0, coverage: 0, words: [] };
    hit.score += weight * presence;
    hit.coverage += (weight * covered) / told;
    hit.words.push(term.text);
    hits.set(document, hit);
  };
  const promising = JSON.stringify(choosePromising(found, RANKED + limit));
  for (const word of found) {
    for (const [document, score, own] of rankOne(db, word.term, promising)) {
      const presence = Math.min(1, score / (word.indexWeight * MOST_OF_A_WORD));
      add(document, word, presence, own > 0 ? Math.max(COVERED, presence) : presence);
    }
    for (const document of word.pieces) add(document, word, PIECE_PRESENCE, PIECE_PRESENCE);
  }
  const ranked = [...hits.values()].sort((one, other) => other.score - one.score || other.document - one.document);
  return ranked.slice(0, limit);
}

/** Where a few are all there is, each of them may say what everybody says: words that nobody has must not outweigh that. */
const A_FEW = 20;

function levelUnknown(found: Looked[]): void {
  const isHere = ({ documents, pieces }: Looked) => documents.length + pieces.length > 0;
  const most = found.filter(isHere).reduce((best, { weight }) => Math.max(best, weight), 0);
  for (const word of found) if (!isHere(word) && camelPieces(word.term.text).length === 0) word.weight = Math.min(word.weight, most);
}

type Looked = {
  term: Term;
  /** In the scope; of a frequent term the newest. */
  documents: number[];
  /** In the scope, those with a name that it is a piece of. */
  pieces: number[];
  isFrequent: boolean;
  /** What it tells in the scope: what everybody says there tells nothing. */
  weight: number;
  /** What the index takes it to tell, over all documents. */
  indexWeight: number;
};

/** Of a small scope everything: its documents may all be older than the newest that have the word. */
function lookDeeper(db: Database, { term, documents }: Looked, { accept, count }: Scope): number[] {
  if (!accept || count > SMALL) return documents;
  const ids: number[] = [];
  for (let id = 0; id < accept.length * 8; id++) if (isAccepted(accept, id)) ids.push(id);
  return db
    .query<unknown, [string, string]>('SELECT rowid FROM words WHERE words MATCH ? AND +rowid IN (SELECT value FROM json_each(?))')
    .values(term.expression, JSON.stringify(ids))
    .map(([id]) => id as number);
}

type LookUp = { term: Term; scope: Scope; most: number };

function lookUp(db: Database, known: KnownWords, { term, scope, most }: LookUp): Looked {
  const all = db
    .query<unknown, [string, number]>('SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ? + 0')
    .values(term.expression, most + 1)
    .map(([id]) => id as number);
  const isFrequent = all.length > most;
  const { accept } = scope;
  const documents = accept ? all.filter((id) => isAccepted(accept, id)) : all;
  const everywhere = isFrequent ? estimateFrequency(all, known.documents()) : all.length;
  const here = isFrequent ? (everywhere * documents.length) / all.length : documents.length;
  return {
    term,
    documents,
    pieces: all.length === 0 && term.stem !== null ? findPieces(db, term.text, scope) : [],
    isFrequent,
    weight: term.stem === null ? PHRASE_WEIGHT : surprise(scope.count, here),
    indexWeight: indexWeight(known.documents(), everywhere),
  };
}

/** The newest that have it lie in a share of the ids: so do all of them, about. */
function estimateFrequency(newestFirst: number[], documents: number): number {
  const [newest = 0, oldest = 0] = [newestFirst[0], newestFirst.at(-1)];
  return Math.max(newestFirst.length, Math.min(documents, (newestFirst.length * newest) / Math.max(1, newest - oldest)));
}

/** As FTS5 has it: hardly anything for what is in most documents. */
function indexWeight(all: number, those: number): number {
  const weight = Math.log((all - those + 0.5) / (those + 0.5));
  return weight > 0 ? weight : 1e-6;
}

/** The two that tell most stay, whatever they are. */
function withoutFrequent(found: Looked[]): Looked[] {
  const best = new Set([...found].sort((one, other) => other.weight - one.weight).slice(0, 2));
  return found.filter((word) => !word.isFrequent || best.has(word));
}

/** The documents whose terms tell most together: no document can score more than that. */
function choosePromising(found: Looked[], count: number): number[] {
  const sums = new Map<number, number>();
  for (const { documents, weight } of found) {
    for (const document of documents) sums.set(document, (sums.get(document) ?? 0) + weight);
  }
  if (sums.size <= count) return [...sums.keys()];
  const floor = Float64Array.from(sums.values()).sort().at(-count) ?? 0;
  const chosen = [...sums].filter(([, sum]) => sum >= floor);
  // Many may stand on the floor: the newest of them. What has more of the words stays, however old it is.
  const ranked = chosen.length > 2 * count ? chosen.sort(([a, one], [b, other]) => other - one || b - a).slice(0, 2 * count) : chosen;
  return ranked.map(([document]) => document);
}

/**
 * What one term gives to each of some documents, with and without its neighbours. (`+rowid`: else SQLite would ask the
 * index anew for each of them.)
 */
function rankOne(db: Database, { expression }: Term, among: string): [document: number, score: number, own: number][] {
  return db
    .query<unknown, [string, string]>(
      `SELECT rowid, -bm25(words, ${WEIGHTS}), -bm25(words, ${OWN_WEIGHTS}) FROM words
       WHERE words MATCH ? AND +rowid IN (SELECT value FROM json_each(?))`,
    )
    .values(expression, among) as [number, number, number][];
}

/** Documents with a name that has this text inside. */
function findPieces(db: Database, text: string, { accept }: Scope): number[] {
  const piece = text.toLowerCase();
  const characters = [...piece];
  if (characters.length < SHORTEST_PIECE) return [];
  const triples = new Set<string>();
  for (let at = 0; at + SHORTEST_PIECE <= characters.length; at++) {
    triples.add(`"${characters.slice(at, at + SHORTEST_PIECE).join('')}"`);
  }
  return (
    readAll<{ id: number; names: string }>(
      db,
      `SELECT d.id, d.names FROM fragments CROSS JOIN documents d ON d.id = fragments.rowid
       WHERE fragments MATCH ? ORDER BY fragments.rowid DESC LIMIT 1000`,
      [...triples].join(' AND '),
    )
      // SQLite's own lower() knows the letters from A to Z alone.
      .filter(({ id, names }) => (!accept || isAccepted(accept, id)) && names.toLowerCase().includes(piece))
      .map(({ id }) => id)
      .slice(0, PIECE_HITS)
  );
}

export type KnownWords = {
  /** Once before a search: what is kept may be out of date. */
  renew: () => void;
  /** How many documents there are. */
  documents: () => number;
  /** In how many a stem occurs. */
  frequency: (stem: string) => number;
  /** Looks up many at once, which takes a third of the time. */
  learn: (stems: string[]) => void;
  /** What a stem tells: the rarer, the more. */
  weight: (stem: string) => number;
};

/** Below so many documents every one of them changes the picture; above, a tenth more. */
const SETTLED = 5000;
const GROWN = 1.1;
const MOST_KEPT = 50_000;

export function createKnownWords(db: Database): KnownWords {
  let kept = new Map<string, number>();
  let newest = -1;
  let documents = 0;

  const frequency = (stem: string) => {
    const known = kept.get(stem);
    if (known !== undefined) return known;
    const row = readFirst<{ n: number }>(db, 'SELECT doc AS n FROM words_known WHERE term = ?', stem);
    kept.set(stem, row?.n ?? 0);
    return row?.n ?? 0;
  };

  const learn = (stems: string[]) => {
    const asked = stems.filter((stem) => !kept.has(stem));
    if (asked.length === 0) return;
    for (const stem of asked) kept.set(stem, 0);
    const rows = db.query<unknown, [string]>(
      'SELECT w.term, w.doc FROM json_each(?) AS asked CROSS JOIN words_known w ON w.term = asked.value',
    );
    for (const [stem, count] of rows.values(JSON.stringify(asked)) as [string, number][]) kept.set(stem, count);
  };

  return {
    learn,
    renew() {
      const latest = newestDocumentId(db);
      const isSettled = documents >= SETTLED && latest < newest * GROWN && kept.size < MOST_KEPT;
      if (isSettled) return;
      [newest, kept] = [latest, new Map()];
      documents = countDocuments(db);
    },
    documents: () => documents,
    frequency,
    weight: (stem) => surprise(documents, frequency(stem)),
  };
}

/** What it tells that a document is one of `those` among `all`. Never nothing. */
const surprise = (all: number, those: number) => Math.max(0.02, Math.log((Math.max(0, all - those) + 0.5) / (those + 0.5)));
