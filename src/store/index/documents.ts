// documents: one for each memory that search can find. Its words are indexed by triggers, in the same transaction.
import type { Database } from 'bun:sqlite';
import type { MemoryRef } from '../../core/memory.ts';
import { listNames, splitParts } from '../../core/words.ts';
import { scrubSecrets } from '../../secrets/scrub.ts';
import { joinTexts } from '../join-texts.ts';
import { SUMMARY_SAYS } from '../memories/summary-says.ts';
import { rebuildTable, WORD_TABLES } from './check-words.ts';

/** How much of a memory its neighbours carry. */
const HEADLINE_LENGTH = 300;

export function addDocument(db: Database, ref: MemoryRef): void {
  const document = makeDocument(db, ref);
  if (document) insertDocument(db, document, null);
}

/** `neighbours`: what is said beside it; null: found out, and told to these, too. */
export function insertDocument(db: Database, document: Document, neighbours: string | null): number {
  const { lastInsertRowid } = db
    .query(
      `INSERT INTO documents (kind, ref, project_id, session_id, type, at, headline, facts, neighbours, parts, names, whence)
       VALUES ($kind, $ref, $projectId, $sessionId, $type, $at, $headline, $facts, $neighbours, $parts, $names, $whence)`,
    )
    .run({ ...document, neighbours });
  return Number(lastInsertRowid);
}

/** A row of documents, without what stands beside it. */
export type Document = Pick<Source, 'projectId' | 'sessionId' | 'type' | 'at' | 'headline' | 'facts'> & {
  kind: MemoryRef['kind'];
  ref: number;
  parts: string;
  names: string;
  whence: string;
};

/** Null for a memory that is hidden, private, empty or gone: it gets none. */
export function makeDocument(db: Database, ref: MemoryRef): Document | null {
  const source = readSource(db, ref);
  return source && documentOf(ref, source);
}

export const readSource = (db: Database, ref: MemoryRef): Source | null =>
  db.query<Source, [number]>(SOURCES[ref.kind]).get(ref.id);

/** What costs most of it: to look for secrets and names in a long text. */
export function documentOf(ref: MemoryRef, source: Source): Document {
  const { headline, facts } = source;
  // Joined here for the first time: what was in two fields may be a secret in one text.
  const { text } = scrubSecrets([headline, source.text, facts].filter(Boolean).join('\n'));
  return {
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
    whence: `${describeDay(source.day)} ${source.projectName}`,
  };
}

export function removeDocument(db: Database, { kind, id }: MemoryRef): void {
  db.query('DELETE FROM documents WHERE kind = ? AND ref = ?').run(kind, id);
}

/** What a document is made of. */
export type Source = {
  projectId: number;
  projectName: string;
  sessionId: number;
  type: string;
  at: number;
  /** Weekday, day, month and year, as numbers; null beyond the years that SQLite knows. */
  day: string | null;
  headline: string;
  facts: string;
  text: string;
};

// Where we are, the day is SQLite's to say: JavaScript's first local time costs the first hook 5 ms.
/** What was said by hand, and a commit, has a session for its bookkeeping only: one has nothing to do with the next. */
const PLACE = `CASE WHEN s.host IN ('claude-mem','git') THEN -m.id ELSE m.session_id END AS sessionId, p.id AS projectId, p.name AS projectName, m.created_at_epoch AS at,
  strftime('%w %d %m %Y', m.created_at_epoch / 1000, 'unixepoch', 'localtime') AS day`;
const SOURCES: Record<MemoryRef['kind'], string> = {
  observation: `SELECT ${PLACE}, m.type, ${joinTexts('m.title, m.subtitle')} AS headline,
      coalesce((SELECT group_concat(json_extract(value, '$.text'), char(10))
        FROM json_each(CASE WHEN json_valid(m.facts) THEN m.facts ELSE '[]' END)), '') AS facts,
      ${joinTexts('m.narrative, m.concepts, m.files_modified, m.files_read')} AS text
    FROM observations m JOIN projects p ON p.id = m.project_id JOIN sessions s ON s.id = m.session_id WHERE m.id = ? AND m.hidden_at IS NULL`,
  summary: `SELECT ${PLACE}, 'summary' AS type, ${joinTexts('m.request, m.completed')} AS headline, '' AS facts,
      ${joinTexts('m.investigated, m.learned, m.next_steps, m.notes, m.files_edited, m.files_read')} AS text
    FROM summaries m JOIN projects p ON p.id = m.project_id JOIN sessions s ON s.id = m.session_id
    WHERE m.id = ? AND m.hidden_at IS NULL AND ${SUMMARY_SAYS}`,
  prompt: `SELECT ${PLACE}, 'prompt' AS type, m.text AS headline, '' AS facts, coalesce(t.record, '') AS text
    FROM prompts m JOIN sessions s ON s.id = m.session_id JOIN projects p ON p.id = s.project_id
      LEFT JOIN turns t ON t.session_id = m.session_id AND t.prompt_number = m.prompt_number
    WHERE m.id = ? AND m.hidden_at IS NULL AND m.private = 0 AND m.text <> ''`,
};

/** `Monday 16 November 2026`: the words in which people ask for a time. */
function describeDay(numbers: string | null): string {
  if (numbers === null) return '';
  const [weekday = 0, day, month = 1, year] = numbers.split(' ').map(Number);
  return `${DAYS[weekday]} ${day} ${MONTHS[month - 1]} ${year}`;
}

const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** At one moment a prompt comes before what was made of it, and a summary after. */
const IN_ORDER = "at, CASE kind WHEN 'prompt' THEN 1 WHEN 'observation' THEN 2 ELSE 3 END, id";

/** Memories of a session without a document, in the order of time: those of an older schema. */
export function listUndocumented(db: Database, sessionId: number, limit: number): (MemoryRef & { at: number })[] {
  const without = (kind: MemoryRef['kind'], table: string) => `SELECT '${kind}' AS kind, id, created_at_epoch AS at
    FROM ${table} m WHERE session_id = $sessionId AND hidden_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM documents WHERE kind = '${kind}' AND ref = m.id)`;
  return db
    .query<MemoryRef & { at: number }, [{ sessionId: number; limit: number }]>(
      `SELECT * FROM (${without('observation', 'observations')} UNION ALL ${without('summary', 'summaries')} AND ${SUMMARY_SAYS}
         UNION ALL ${without('prompt', 'prompts')} AND private = 0 AND text <> '') ORDER BY ${IN_ORDER} LIMIT $limit`,
    )
    .all({ sessionId, limit });
}

/** Sessions looked at in one go: to see that nothing is missing takes time, too. */
const SESSIONS_SEEN = 50;

/**
 * Adds what is missing, some memories at a time, session by session. Returns the session to go on with; null when all are done.
 * Whoever goes on from 0 instead only looks again.
 */
export function documentMore(db: Database, from = 0, limit = 25): number | null {
  const sessions = db
    .query<{ id: number }, [number, number]>('SELECT id FROM sessions WHERE id >= ? ORDER BY id LIMIT ?')
    .all(from, SESSIONS_SEEN);
  const add = db.transaction(() => {
    let room = limit;
    for (const { id } of sessions) {
      room -= documentSession(db, id, room);
      if (room <= 0) return id;
    }
    return null;
  });
  return add.immediate() ?? (sessions.length < SESSIONS_SEEN ? null : (sessions.at(-1)?.id ?? 0) + 1);
}

/** Neighbours are told by the order of documents: what was said later, and has its own already, gets another in its turn. */
function documentSession(db: Database, sessionId: number, limit: number): number {
  const [first] = listUndocumented(db, sessionId, 1);
  if (!first) return 0;
  db.query('DELETE FROM documents WHERE session_id = ? AND at > ?').run(sessionId, first.at);
  const missing = listUndocumented(db, sessionId, limit);
  for (const ref of missing) addDocument(db, ref);
  return missing.length;
}

/** Makes the word index anew from what is stored. */
export function rebuildWords(db: Database): void {
  for (const table of WORD_TABLES) rebuildTable(db, table);
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
      `SELECT t.id, ${joinTexts('title, prompt, subtitle, narrative, facts')} AS text
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
      `SELECT d.session_id AS sessionId, ${joinTexts('t.title, t.subtitle, t.narrative, t.facts, t.prompt')} AS text
       FROM json_each(?) AS wanted JOIN documents d ON d.session_id = wanted.value JOIN document_texts t ON t.id = d.id
       ORDER BY d.session_id, d.id LIMIT 5000`,
    )
    .all(JSON.stringify(sessionIds));
  const texts = new Map<number, string>();
  for (const { sessionId, text } of rows) texts.set(sessionId, `${texts.get(sessionId) ?? ''}${text}\n`);
  return texts;
}
