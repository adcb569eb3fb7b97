// How many documents have a word: asked of the index, and kept for a while.
import type { Database } from 'bun:sqlite';

export type KnownWords = {
  /** How many documents there are. */
  documents: () => number;
  /** In how many a stem occurs. */
  frequency: (stem: string) => number;
  /** What a stem tells, in bits of surprise: the rarer, the more. Never below a little. */
  weight: (stem: string) => number;
  /** The same among the documents of some projects. */
  weightWithin: (stem: string, expression: string, projectIds: number[]) => number;
};

const KEPT_MS = 60_000;
const MOST_KEPT = 20_000;
/** Below it nothing is worth keeping: the answers change with every document. */
const SETTLED = 5000;
/** What so many documents have is counted no further: it is common in any project. */
const COMMON = 20_000;

export function createKnownWords(db: Database): KnownWords {
  let kept = new Map<string, number>();
  let since = 0;
  let documents = 0;

  const renew = () => {
    const now = performance.now();
    if (now - since < KEPT_MS && documents >= SETTLED && kept.size < MOST_KEPT) return;
    since = now;
    kept = new Map();
    documents = db.query<{ n: number }, []>('SELECT count(*) AS n FROM documents').get()?.n ?? 0;
  };

  const frequency = (stem: string) => {
    renew();
    const known = kept.get(stem);
    if (known !== undefined) return known;
    const row = db.query<{ n: number }, [string]>('SELECT doc AS n FROM words_known WHERE term = ?').get(stem);
    kept.set(stem, row?.n ?? 0);
    return row?.n ?? 0;
  };

  const countWithin = (key: string, count: () => number) => {
    const known = kept.get(key);
    if (known !== undefined) return known;
    const n = count();
    kept.set(key, n);
    return n;
  };

  const weight = (stem: string) => {
    const those = frequency(stem);
    return surprise(documents, those);
  };

  return {
    documents() {
      renew();
      return documents;
    },
    frequency,
    weight,
    weightWithin(stem, expression, projectIds) {
      if (frequency(stem) > COMMON) return weight(stem);
      const projects = JSON.stringify(projectIds);
      const all = countWithin(`${projects} `, () => countDocuments(db, projects));
      const those = countWithin(`${projects} ${stem}`, () => countMatches(db, expression, projects));
      return surprise(all, those);
    },
  };
}

const surprise = (all: number, those: number) => Math.max(0.02, Math.log((all - those + 0.5) / (those + 0.5)));

function countDocuments(db: Database, projects: string): number {
  const sql = 'SELECT count(*) AS n FROM documents WHERE project_id IN (SELECT value FROM json_each(?))';
  return db.query<{ n: number }, [string]>(sql).get(projects)?.n ?? 0;
}

function countMatches(db: Database, expression: string, projects: string): number {
  const sql = `SELECT count(*) AS n FROM words CROSS JOIN documents d ON d.id = words.rowid
    WHERE words MATCH ? AND d.project_id IN (SELECT value FROM json_each(?))`;
  return db.query<{ n: number }, [string, string]>(sql).get(expression, projects)?.n ?? 0;
}
