// What must hold of documents and their words at any time, counted anew from what is stored.
import type { Database } from 'bun:sqlite';
import { expect } from 'bun:test';

export type Document = {
  id: number;
  kind: string;
  ref: number;
  sessionId: number | null;
  projectId: number;
  headline: string;
  neighbours: string | null;
};

export const listDocuments = (db: Database) =>
  db
    .query<Document, []>(
      `SELECT id, kind, ref, session_id AS sessionId, project_id AS projectId, headline, neighbours FROM documents ORDER BY id`,
    )
    .all();

export function checkDocuments(db: Database): void {
  // 1: also against the content that it stands for.
  for (const table of ['words', 'fragments']) {
    db.run(`INSERT INTO ${table}(${table}, rank) VALUES ('integrity-check', 1)`);
  }
  const documents = listDocuments(db);
  expect(documents.map(({ kind, ref }) => `${kind} ${ref}`).toSorted()).toEqual(listFindable(db));
  for (const document of documents) expect(document.neighbours).toBe(tellNeighbours(document, documents));
}

/** Each memory that may be found, and no other. */
function listFindable(db: Database): string[] {
  return db
    .query<{ name: string }, []>(
      `SELECT 'observation ' || id AS name FROM observations WHERE hidden_at IS NULL
       UNION ALL SELECT 'summary ' || id FROM summaries WHERE hidden_at IS NULL
       UNION ALL SELECT 'prompt ' || id FROM prompts WHERE hidden_at IS NULL AND private = 0 AND text <> ''`,
    )
    .all()
    .map(({ name }) => name)
    .toSorted();
}

/** The two before it in its session, the nearest first, then the two after it; of what no session made nothing. */
function tellNeighbours({ id, sessionId }: Document, documents: Document[]): string {
  const session = documents.filter((other) => sessionId !== null && other.sessionId === sessionId);
  const before = session.filter((other) => other.id < id).slice(-2);
  const after = session.filter((other) => other.id > id).slice(0, 2);
  return [...before.reverse(), ...after].map(({ headline }) => headline).join('\n');
}

/** Which memories are found by each word, and by each piece of a name. */
export function findAll(db: Database, words: string[]): Record<string, string[]> {
  const found = db.query<{ name: string }, [string, string]>(
    `SELECT d.kind || ' ' || d.ref AS name FROM documents d WHERE d.id IN (SELECT rowid FROM words WHERE words MATCH ?
       UNION SELECT rowid FROM fragments WHERE fragments MATCH ?) ORDER BY name`,
  );
  return Object.fromEntries(words.map((word) => [word, found.all(`"${word}"`, `"${word.slice(0, 3)}"`).map(({ name }) => name)]));
}
