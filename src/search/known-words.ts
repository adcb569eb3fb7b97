// How many documents have a word: asked of the index, and kept for a while.
import type { Database } from 'bun:sqlite';
import { countDocuments, newestDocumentId } from '../store/documents.ts';

export type KnownWords = {
  /** Once before a search: what is kept may be out of date. */
  renew: () => void;
  /** How many documents there are. */
  documents: () => number;
  /** In how many a stem occurs. */
  frequency: (stem: string) => number;
  /** What a stem tells, in bits of surprise: the rarer, the more. Never below a little. */
  weight: (stem: string) => number;
  /** The same by the formula of the index. */
  indexWeight: (stem: string) => number;
  phraseWeight: (expression: string) => number;
  /** The same among the documents of some projects. */
  weightWithin: (stem: string, expression: string, projectIds: number[]) => number;
};

const KEPT_MS = 60_000;
const MOST_KEPT = 20_000;
/** Below it nothing is worth keeping: the answers change with every document. */
const SETTLED = 5000;
/** What so many documents have is counted no further: it is common in any project. */
const COMMON = 3000;

export function createKnownWords(db: Database): KnownWords {
  let kept = new Map<string, number>();
  let since = 0;
  let newest = -1;
  let documents = 0;

  const renew = () => {
    const now = performance.now();
    const latest = newestDocumentId(db);
    if (latest === newest || (now - since < KEPT_MS && documents >= SETTLED && kept.size < MOST_KEPT)) return;
    [since, newest, kept] = [now, latest, new Map()];
    documents = countDocuments(db);
  };

  const frequency = (stem: string) => count(stem, () => countStem(db, stem));

  const count = (key: string, ask: () => number) => {
    const known = kept.get(key);
    if (known !== undefined) return known;
    const n = ask();
    kept.set(key, n);
    return n;
  };

  const weight = (stem: string) => surprise(documents, frequency(stem));

  return {
    renew,
    documents: () => documents,
    frequency,
    weight,
    indexWeight: (stem) => indexWeightOf(documents, frequency(stem)),
    phraseWeight: (expression) =>
      indexWeightOf(
        documents,
        count(expression, () => countPhrase(db, expression)),
      ),
    weightWithin(stem, expression, projectIds) {
      if (frequency(stem) > COMMON) return weight(stem);
      const projects = JSON.stringify(projectIds);
      const all = count(`${projects} `, () => countWithin(db, projects));
      const those = count(`${projects} ${stem}`, () => countMatches(db, expression, projects));
      return surprise(all, those);
    },
  };
}

const surprise = (all: number, those: number) => Math.max(0.02, Math.log((all - those + 0.5) / (those + 0.5)));

/** As FTS5 has it: hardly anything for what is in most documents. */
const indexWeightOf = (all: number, those: number) => {
  const weight = Math.log((all - those + 0.5) / (those + 0.5));
  return weight > 0 ? weight : 1e-6;
};

function countStem(db: Database, stem: string): number {
  return db.query<{ n: number }, [string]>('SELECT doc AS n FROM words_known WHERE term = ?').get(stem)?.n ?? 0;
}

function countPhrase(db: Database, expression: string): number {
  return (
    db.query<{ n: number }, [string]>('SELECT count(*) AS n FROM words WHERE words MATCH ?').get(expression)?.n ?? 0
  );
}

function countWithin(db: Database, projects: string): number {
  const sql = 'SELECT count(*) AS n FROM documents WHERE project_id IN (SELECT value FROM json_each(?))';
  return db.query<{ n: number }, [string]>(sql).get(projects)?.n ?? 0;
}

function countMatches(db: Database, expression: string, projects: string): number {
  const sql = `SELECT count(*) AS n FROM words CROSS JOIN documents d ON d.id = words.rowid
    WHERE words MATCH ? AND d.project_id IN (SELECT value FROM json_each(?))`;
  return db.query<{ n: number }, [string, string]>(sql).get(expression, projects)?.n ?? 0;
}
