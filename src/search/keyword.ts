// Search by words: an OR of quoted terms, scored by BM25 with a weight for each column.
import type { Database } from 'bun:sqlite';
import type { Condition } from './filters.ts';
import type { KnownWords } from './known-words.ts';
import { readQuery, type Term } from './query-words.ts';

export type WordHit = {
  document: number;
  score: number;
  /** How much of what the query tells is in the document: 0 to 1. */
  coverage: number;
  words: string[];
};

/** title, subtitle, narrative, facts, concepts, files, prompt, neighbours, parts, whence. docs/retrieval.md tells how they were found. */
const WEIGHTS = [1.2, 1, 1, 1, 0.8, 0.8, 1, 0.3, 0.5, 0.5].join(', ');

/** A term in more than this share of many documents costs much and tells little. */
const FREQUENT_SHARE = 0.05;
const MANY = 2000;
/** A word that no document has may be a piece of a name. */
const SHORTEST_PIECE = 3;
const PIECE_HITS = 50;
const PHRASE_WEIGHT = 2;
/** As sure as a word in a text of some length. */
const PIECE_PRESENCE = 0.5;
/** BM25 gives a word at most this times its weight. */
const MOST_OF_A_WORD = 2.2;

export type WordSearch = { query: string; condition: Condition; projectIds: number[] | null; limit: number };

/** Best first. */
export function searchWords(db: Database, known: KnownWords, search: WordSearch): WordHit[] {
  const { condition, projectIds, limit } = search;
  const terms = readQuery(search.query).map((term) => weigh(term, known, projectIds));
  const rare = withoutFrequent(terms, Math.max(MANY, known.documents() * FREQUENT_SHARE));
  if (rare.length === 0) return [];
  const told = rare.reduce((sum, { weight }) => sum + weight, 0) || 1;
  const hits = new Map<number, WordHit>();
  const add = (document: number, { term, weight }: Weighed, presence: number) => {
    const hit = hits.get(document) ?? { document, score: 0, coverage: 0, words: [] };
    hit.score += weight * presence;
    hit.coverage += (weight * presence) / told;
    hit.words.push(term.text);
    hits.set(document, hit);
  };
  const found = match(db, rare, condition, limit);
  for (const word of rare) {
    for (const { document, score } of matchOne(db, word.term, found)) {
      add(document, word, score / (word.indexWeight * MOST_OF_A_WORD));
    }
    if (word.frequency > 0 || word.term.stem === null) continue;
    for (const document of matchPieces(db, word.term.text, condition)) add(document, word, PIECE_PRESENCE);
  }
  const ranked = [...hits.values()].sort((one, other) => other.score - one.score || other.document - one.document);
  return ranked.slice(0, limit);
}

type Weighed = {
  term: Term;
  frequency: number;
  /** What it tells among the documents of the projects that are asked. */
  weight: number;
  /** What the index takes it to tell, over all projects: what is said everywhere in this one tells nothing here. */
  indexWeight: number;
};

function weigh(term: Term, known: KnownWords, projectIds: number[] | null): Weighed {
  // A phrase says again what its words say: that they stand together is worth a little more.
  if (term.stem === null)
    return { term, frequency: 0, weight: PHRASE_WEIGHT, indexWeight: known.phraseWeight(term.expression) };
  const weight = projectIds ? known.weightWithin(term.stem, term.expression, projectIds) : known.weight(term.stem);
  return { term, frequency: known.frequency(term.stem), weight, indexWeight: known.indexWeight(term.stem) };
}

/** The rarest two stay, whatever they are. */
function withoutFrequent(terms: Weighed[], most: number): Weighed[] {
  const byRarity = [...terms].sort((one, other) => one.frequency - other.frequency);
  const kept = new Set(byRarity.filter((term, at) => term.frequency <= most || at < 2));
  return terms.filter((term) => kept.has(term));
}

function match(db: Database, terms: Weighed[], condition: Condition, limit: number) {
  return db
    .query<{ document: number; score: number }, [Record<string, string | number>]>(
      `SELECT words.rowid AS document, -bm25(words, ${WEIGHTS}) AS score
       FROM words ${condition.isEmpty ? '' : 'CROSS JOIN documents d ON d.id = words.rowid'}
       WHERE words MATCH $match AND ${condition.sql} ORDER BY score DESC, words.rowid DESC LIMIT $limit`,
    )
    .all({ ...condition.values, match: terms.map(({ term }) => term.expression).join(' OR '), limit });
}

/** What one term gives to each of some documents. (`+rowid`: else SQLite would ask the index anew for each of them.) */
function matchOne(db: Database, { expression }: Term, among: { document: number }[]) {
  return db
    .query<{ document: number; score: number }, [{ match: string; among: string }]>(
      `SELECT rowid AS document, -bm25(words, ${WEIGHTS}) AS score FROM words
       WHERE words MATCH $match AND +rowid IN (SELECT value FROM json_each($among))`,
    )
    .all({ match: expression, among: JSON.stringify(among.map(({ document }) => document)) });
}

/** Documents with a name that has this text inside. */
function matchPieces(db: Database, text: string, condition: Condition): number[] {
  const characters = [...text.toLowerCase()];
  if (characters.length < SHORTEST_PIECE) return [];
  const triples = new Set<string>();
  for (let at = 0; at + SHORTEST_PIECE <= characters.length; at++) {
    triples.add(`"${characters.slice(at, at + SHORTEST_PIECE).join('')}"`);
  }
  return db
    .query<{ id: number }, [Record<string, string | number>]>(
      `SELECT d.id FROM fragments CROSS JOIN documents d ON d.id = fragments.rowid
       WHERE fragments MATCH $match AND ${condition.sql} AND instr(lower(d.names), $text) > 0 LIMIT ${PIECE_HITS}`,
    )
    .all({ ...condition.values, match: [...triples].join(' AND '), text: text.toLowerCase() })
    .map(({ id }) => id);
}
