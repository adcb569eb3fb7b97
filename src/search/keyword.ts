// Search by words: an OR of quoted terms, scored by BM25 with a weight for each column.
import type { Database } from 'bun:sqlite';
import type { Condition } from './filters.ts';
import type { KnownWords } from './known-words.ts';
import { readQuery, type Term } from './query-words.ts';

export type WordHits = {
  /** Best first. */
  hits: WordHit[];
  /** The terms that were looked for, with what each tells. */
  terms: { text: string; weight: number }[];
};

export type WordHit = { document: number; score: number; words: string[] };

/** title, subtitle, narrative, facts, concepts, files, prompt, neighbours, parts, whence. docs/retrieval.md tells how they were found. */
const WEIGHTS = [1.2, 1, 1, 1, 0.8, 0.8, 1, 0.3, 0.5, 0.5].join(', ');

/** A term in more than this share of many documents costs much and tells little. */
const FREQUENT_SHARE = 0.05;
const MANY = 2000;
/** A word that no document has may be a piece of a name. */
const SHORTEST_PIECE = 3;
const PIECE_HITS = 50;
const PIECE_VALUE = 0.7;

export type WordSearch = { query: string; condition: Condition; projectIds: number[] | null; limit: number };

export function searchWords(db: Database, known: KnownWords, search: WordSearch): WordHits {
  const { condition, projectIds, limit } = search;
  const terms = readQuery(search.query).map((term) => weigh(term, known, projectIds));
  const rare = withoutFrequent(terms, Math.max(MANY, known.documents() * FREQUENT_SHARE));
  if (rare.length === 0) return { hits: [], terms: [] };
  const hits = new Map<number, WordHit>();
  const add = (document: number, score: number, word: string) => {
    const hit = hits.get(document) ?? { document, score: 0, words: [] };
    hit.score += score;
    hit.words.push(word);
    hits.set(document, hit);
  };
  const found = match(db, rare, condition, limit);
  for (const { term, correction } of rare) {
    for (const { document, score } of matchOne(db, term, found)) add(document, score * correction, term.text);
  }
  for (const { term } of rare.filter(({ frequency, term }) => frequency === 0 && term.stem !== null)) {
    const pieces = matchPieces(db, term.text, condition);
    const value = PIECE_VALUE * Math.log(1 + known.documents() / (pieces.length + 1));
    for (const document of pieces) add(document, value, term.text);
  }
  const ranked = [...hits.values()].sort((one, other) => other.score - one.score || other.document - one.document);
  const telling = rare.filter(({ term }) => term.stem !== null);
  return { hits: ranked.slice(0, limit), terms: telling.map(({ term, weight }) => ({ text: term.text, weight })) };
}

type Weighed = {
  term: Term;
  frequency: number;
  /** What it tells among the documents of the projects that are asked. */
  weight: number;
  /** The index weighs a word by all projects: what is said everywhere in this one tells nothing here. */
  correction: number;
};

function weigh(term: Term, known: KnownWords, projectIds: number[] | null): Weighed {
  // How rare a phrase is, the index finds out by itself.
  if (term.stem === null) return { term, frequency: 0, weight: 0, correction: 1 };
  const everywhere = known.weight(term.stem);
  const weight = projectIds ? known.weightWithin(term.stem, term.expression, projectIds) : everywhere;
  return { term, frequency: known.frequency(term.stem), weight, correction: weight / everywhere };
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

/** What one term gives to each of some documents. */
function matchOne(db: Database, { expression }: Term, among: { document: number }[]) {
  return db
    .query<{ document: number; score: number }, [{ match: string; among: string }]>(
      `SELECT rowid AS document, -bm25(words, ${WEIGHTS}) AS score FROM words
       WHERE words MATCH $match AND rowid IN (SELECT value FROM json_each($among))`,
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
