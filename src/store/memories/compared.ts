// What a new observation is compared with, and how far that has come: after a restart the next worker goes on from there.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import type { ObservationType, Origin, Outcome } from '../../core/observation.ts';
import { joinTexts } from '../join-texts.ts';

/** An observation as it is compared. */
export type Comparable = {
  id: number;
  projectId: number;
  /** That of its document: each note that was said by hand has its own. */
  sessionId: number;
  type: ObservationType;
  title: string;
  /** Title and all below it. */
  text: string;
  filesModified: string[];
  outcome: Outcome | null;
  origin: Origin;
  at: number;
};

const LONGEST_TEXT = 2000;
const COLUMNS = `o.id, o.project_id AS projectId, d.session_id AS sessionId, o.type, substr(coalesce(o.title, ''), 1, 400) AS title,
  substr(${joinTexts('o.title, o.subtitle, o.narrative, d.facts')}, 1, ${LONGEST_TEXT}) AS text,
  o.files_modified AS filesModified, o.outcome, o.origin, o.created_at_epoch AS at`;
/** What is hidden has no document. A commit is history: it stands in the place of nothing, and nothing in its. */
const FROM =
  "observations o CROSS JOIN documents d ON d.kind = 'observation' AND d.ref = o.id AND o.origin <> 'commit'";

type Row = Omit<Comparable, 'filesModified'> & { filesModified: string };
const Texts = z.array(z.string()).catch([]);
const fromRow = (row: Row): Comparable => ({ ...row, filesModified: Texts.parse(JSON.parse(row.filesModified)) });

/** Those after an id, oldest first. */
export function listUncompared(db: Database, after: number, limit: number): Comparable[] {
  return db
    .query<Row, [number, number]>(`SELECT ${COLUMNS} FROM ${FROM} WHERE o.id > ? ORDER BY o.id LIMIT ?`)
    .all(after, limit)
    .map(fromRow);
}

/** Of the same project: by a file they share, the newest first, and by their words, the best first. `match` is for the word index. */
export function listSimilar(db: Database, { id, projectId }: Comparable, match: string | null): Comparable[] {
  const byFile = findByFile(db, { id, projectId });
  const byWords = match === null ? [] : findByWords(db, { id, projectId, match });
  const ids = [...new Set([...byFile, ...byWords].map((row) => row.id))];
  return db
    .query<Row, [string]>(
      `SELECT ${COLUMNS} FROM json_each(?) AS wanted CROSS JOIN observations o ON o.id = wanted.value
         CROSS JOIN documents d ON d.kind = 'observation' AND d.ref = o.id WHERE o.origin <> 'commit'`,
    )
    .all(JSON.stringify(ids))
    .map(fromRow);
}

const FILES = 4;
const BY_FILE = 3;
const BY_WORDS = 12;

/** The newest of each of its first files: a file may be in thousands. */
function findByFile(db: Database, { id, projectId }: { id: number; projectId: number }): { id: number }[] {
  const paths = db
    .query<{ path: string }, [number, number]>(
      'SELECT path FROM citations WHERE observation_id = ? ORDER BY did, path LIMIT ?',
    )
    .all(id, FILES);
  const newest = db.query<{ id: number }, [{ projectId: number; path: string; id: number; limit: number }]>(
    `SELECT c.observation_id AS id FROM citations c JOIN observations o ON o.id = c.observation_id
     WHERE c.project_id = $projectId AND c.path = $path AND c.observation_id <> $id AND o.origin <> 'commit'
     ORDER BY c.observation_id DESC LIMIT $limit`,
  );
  return paths.flatMap(({ path }) => newest.all({ projectId, path, id, limit: BY_FILE }));
}

type WordQuery = { id: number; projectId: number; match: string };

const findByWords = (db: Database, query: WordQuery) =>
  db
    .query<{ id: number }, [WordQuery & { limit: number }]>(
      `SELECT d.ref AS id FROM words CROSS JOIN documents d ON d.id = words.rowid
       WHERE words MATCH $match AND d.project_id = $projectId AND d.kind = 'observation' AND d.ref <> $id
       ORDER BY bm25(words) LIMIT $limit`,
    )
    .all({ ...query, limit: BY_WORDS });

const MARK = 'compared';
/** Of an older store only so many of the newest are compared: what came before is seldom told. */
const NEWEST = 3000;

/** The last id that was compared. */
export function readCompared(db: Database): number {
  const row = db.query<{ last: number }, [string]>('SELECT last FROM id_marks WHERE name = ?').get(MARK);
  return row?.last ?? Math.max(0, newestId(db) - NEWEST);
}

const newestId = (db: Database) =>
  db.query<{ id: number | null }, []>('SELECT max(id) AS id FROM observations').get()?.id ?? 0;

/** Inside a transaction, with the marks that were found. */
export function noteCompared(db: Database, id: number): void {
  db.query(
    'INSERT INTO id_marks (name, last) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET last = max(last, excluded.last)',
  ).run(MARK, id);
}
