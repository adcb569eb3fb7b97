// documents: one for each memory that search can find. Its words are indexed by triggers, in the same transaction.
import type { Database } from 'bun:sqlite';
import type { MemoryRef } from '../core/memory.ts';
import { listNames, splitParts } from '../core/words.ts';

/** How much of a memory its neighbours carry. */
const HEADLINE_LENGTH = 300;

/** A memory that is hidden, private or gone gets none. */
export function addDocument(db: Database, ref: MemoryRef): void {
  const source = db.query<Source, [number]>(SOURCES[ref.kind]).get(ref.id);
  if (!source) return;
  const { headline, facts } = source;
  const text = [headline, source.text, facts].filter(Boolean).join('\n');
  db.query(
    `INSERT INTO documents (kind, ref, project_id, session_id, type, at, headline, facts, parts, names, whence)
     VALUES ($kind, $ref, $projectId, $sessionId, $type, $at, $headline, $facts, $parts, $names, $whence)`,
  ).run({
    kind: ref.kind,
    ref: ref.id,
    projectId: source.projectId,
    sessionId: source.sessionId,
    type: source.type,
    at: source.at,
    headline: (headline || text).slice(0, HEADLINE_LENGTH).toWellFormed(),
    facts,
    parts: splitParts(text),
    names: listNames(text),
    whence: `${describeDay(source.at)} ${source.projectName}`,
  });
}

export function removeDocument(db: Database, { kind, id }: MemoryRef): void {
  db.query('DELETE FROM documents WHERE kind = ? AND ref = ?').run(kind, id);
}

type Source = {
  projectId: number;
  projectName: string;
  sessionId: number;
  type: string;
  at: number;
  headline: string;
  facts: string;
  text: string;
};

const PLACE = `m.session_id AS sessionId, p.id AS projectId, p.name AS projectName, m.created_at_epoch AS at`;
const SOURCES: Record<MemoryRef['kind'], string> = {
  observation: `SELECT ${PLACE}, m.type, concat_ws(char(10), m.title, m.subtitle) AS headline,
      coalesce((SELECT group_concat(json_extract(value, '$.text'), char(10)) FROM json_each(m.facts)), '') AS facts,
      concat_ws(char(10), m.narrative, m.concepts, m.files_modified, m.files_read) AS text
    FROM observations m JOIN projects p ON p.id = m.project_id WHERE m.id = ? AND m.hidden_at IS NULL`,
  summary: `SELECT ${PLACE}, 'summary' AS type, concat_ws(char(10), m.request, m.completed) AS headline, '' AS facts,
      concat_ws(char(10), m.investigated, m.learned, m.next_steps, m.notes, m.files_edited, m.files_read) AS text
    FROM summaries m JOIN projects p ON p.id = m.project_id WHERE m.id = ? AND m.hidden_at IS NULL`,
  prompt: `SELECT ${PLACE}, 'prompt' AS type, m.text AS headline, '' AS facts, '' AS text
    FROM prompts m JOIN sessions s ON s.id = m.session_id JOIN projects p ON p.id = s.project_id
    WHERE m.id = ? AND m.hidden_at IS NULL AND m.private = 0 AND m.text <> ''`,
};

/** `Monday 16 November 2026`: the words in which people ask for a time. */
function describeDay(at: number): string {
  const date = new Date(at);
  return `${DAYS[date.getDay()]} ${date.getDate()} ${MONTHS[date.getMonth()]} ${date.getFullYear()}`;
}

const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** Memories without a document: those of an older schema, or all of them while an index is made anew. */
export function listUndocumented(db: Database, limit: number): MemoryRef[] {
  return db
    .query<MemoryRef, [number]>(
      `SELECT 'observation' AS kind, id FROM observations WHERE hidden_at IS NULL
         AND NOT EXISTS (SELECT 1 FROM documents WHERE kind = 'observation' AND ref = observations.id)
       UNION ALL SELECT 'summary', id FROM summaries WHERE hidden_at IS NULL
         AND NOT EXISTS (SELECT 1 FROM documents WHERE kind = 'summary' AND ref = summaries.id)
       UNION ALL SELECT 'prompt', id FROM prompts WHERE hidden_at IS NULL AND private = 0 AND text <> ''
         AND NOT EXISTS (SELECT 1 FROM documents WHERE kind = 'prompt' AND ref = prompts.id)
       LIMIT ?`,
    )
    .all(limit);
}

/** Adds what is missing, a slice at a time; true when nothing is. In the order of time, so that neighbours are neighbours. */
export function documentMore(db: Database, limit = 200): boolean {
  const missing = listUndocumented(db, limit);
  if (missing.length > 0) {
    db.transaction(() => {
      for (const ref of missing) addDocument(db, ref);
    }).immediate();
  }
  return missing.length < limit;
}

/** Makes the word index anew from what is stored. */
export function rebuildWords(db: Database): void {
  db.run("INSERT INTO words (words) VALUES ('rebuild')");
  db.run("INSERT INTO fragments (fragments) VALUES ('rebuild')");
}

/**
 * A deleted word stays in the file until its page is written anew. Each call writes some of them; true when none is left. Only
 * forgetting needs it.
 */
export function scourWords(db: Database, pages = 500): boolean {
  const before = totalChanges(db);
  for (const table of ['words', 'fragments'])
    db.query(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ?)`).run(-pages);
  // Each command counts as one change; more means that pages were merged.
  return totalChanges(db) - before < 4;
}

const totalChanges = (db: Database) => db.query<{ n: number }, []>('SELECT total_changes() AS n').get()?.n ?? 0;

export const newestDocumentId = (db: Database) =>
  db.query<{ id: number | null }, []>('SELECT max(id) AS id FROM documents').get()?.id ?? 0;

export const listDocumentIdsAfter = (db: Database, id: number, limit: number) =>
  ids(
    db
      .query<{ id: number }, [number, number]>('SELECT id FROM documents WHERE id > ? ORDER BY id LIMIT ?')
      .all(id, limit),
  );

export const listDocumentIdsBefore = (db: Database, id: number, limit: number) =>
  ids(
    db
      .query<{ id: number }, [number, number]>('SELECT id FROM documents WHERE id < ? ORDER BY id DESC LIMIT ?')
      .all(id, limit),
  );

const ids = (rows: { id: number }[]) => rows.map(({ id }) => id);

/** The text of a document whose meaning counts, its title first. */
export function listDocumentTexts(db: Database, wanted: number[]): { id: number; text: string }[] {
  return db
    .query<{ id: number; text: string }, [string]>(
      `SELECT t.id, concat_ws(char(10), title, subtitle, narrative, facts, prompt) AS text
       FROM json_each(?) AS wanted JOIN document_texts t ON t.id = wanted.value`,
    )
    .all(JSON.stringify(wanted));
}

export const listDropped = (db: Database, limit = 1000) =>
  ids(db.query<{ id: number }, [number]>('SELECT id FROM dropped_documents LIMIT ?').all(limit));

export function clearDropped(db: Database, gone: number[]): void {
  db.query('DELETE FROM dropped_documents WHERE id IN (SELECT value FROM json_each(?))').run(JSON.stringify(gone));
}

export const countDocuments = (db: Database) =>
  db.query<{ n: number }, []>('SELECT count(*) AS n FROM documents').get()?.n ?? 0;

/** All that was found worth keeping of some sessions, a text for each. */
export function listSessionTexts(db: Database, sessionIds: number[]): Map<number, string> {
  const rows = db
    .query<{ sessionId: number; text: string }, [string]>(
      `SELECT d.session_id AS sessionId, concat_ws(char(10), t.title, t.subtitle, t.narrative, t.facts, t.prompt) AS text
       FROM json_each(?) AS wanted JOIN documents d ON d.session_id = wanted.value JOIN document_texts t ON t.id = d.id
       ORDER BY d.session_id, d.id LIMIT 5000`,
    )
    .all(JSON.stringify(sessionIds));
  const texts = new Map<number, string>();
  for (const { sessionId, text } of rows) texts.set(sessionId, `${texts.get(sessionId) ?? ''}${text}\n`);
  return texts;
}
