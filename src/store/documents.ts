// documents: one for each memory that search can find. Its words are indexed by triggers, in the same transaction.
import type { Database } from 'bun:sqlite';
import { hashParts } from '../core/ids.ts';
import type { MemoryRef } from '../core/memory.ts';
import { listNames, splitParts } from '../core/words.ts';
import { scrubSecrets } from '../secrets/scrub.ts';
import { hashDocumentRules } from './document-rules.ts' with { type: 'macro' };
import { countRows, joinTexts, readAll, readColumn, readFirst, readValue } from './read.ts';

/** Of the summary `m`. */
const SUMMARY_WORDS = joinTexts('m.request, m.completed, m.learned, m.investigated, m.next_steps, m.notes');
export const SUMMARY_SAYS = `trim(${SUMMARY_WORDS}, char(9,10,13,32)) <> ''`;

/** How much of a memory its neighbours carry. */
const HEADLINE_LENGTH = 300;

/** False for a memory that gets none: it is hidden, private, empty or gone. */
export function addDocument(db: Database, ref: MemoryRef): boolean {
  const source = readSource(db, ref);
  if (!source) return false;
  const document = makeDocument(ref, source);
  db.query(`INSERT INTO documents (${COLUMNS.join()}, mark) VALUES (${COLUMNS.map((name) => `$${name}`).join()}, $mark)`).run({
    ...document,
    mark: markOf(source, document),
  });
  return true;
}

const COLUMNS = ['kind', 'ref', 'project_id', 'session_id', 'type', 'at', 'headline', 'facts', 'parts', 'names', 'whence'] as const;
type Document = Record<(typeof COLUMNS)[number], string | number | null>;

const RULES = hashDocumentRules();

/** What a document was made of, by which rules, and what came of it: as long as all of that is the same, it need not be made again. */
const markOf = (source: Source, document: Document): string =>
  hashParts([RULES, ...Object.values(source).map(String), ...COLUMNS.map((column) => String(document[column]))]);

const readSource = (db: Database, { kind, id }: MemoryRef) => readFirst<Source>(db, SOURCES[kind], id);

function makeDocument({ kind, id }: MemoryRef, source: Source): Document {
  const { headline, facts, keywords, project_id, session_id, type, at } = source;
  // Joined here for the first time: what was in two fields may be a secret in one text.
  const { text } = scrubSecrets([headline, source.text, facts, keywords].filter(Boolean).join('\n'));
  return {
    ...{ kind, ref: id, project_id, session_id, type, at, facts },
    headline: (headline || text).slice(0, HEADLINE_LENGTH).toWellFormed(),
    // Keywords stand in no column of the index.
    parts: [splitParts(text), keywords].filter(Boolean).join(' '),
    names: listNames(text),
    whence: `${describeDay(source.day)} ${source.projectName}`,
  };
}

export function removeDocument(db: Database, { kind, id }: MemoryRef): void {
  db.query('DELETE FROM documents WHERE kind = ? AND ref = ?').run(kind, id);
}

/** What a document is made of. */
type Source = {
  project_id: number;
  projectName: string;
  session_id: number | null;
  type: string;
  at: number;
  /** Weekday, day, month and year, as numbers; null beyond the years that SQLite knows. */
  day: string | null;
  headline: string;
  facts: string;
  text: string;
  keywords: string | null;
};

// Where we are, the day is SQLite's to say: JavaScript's first local time costs the first hook 5 ms.
const PLACE = `m.session_id, p.id AS project_id, p.name AS projectName, m.created_at_epoch AS at,
  strftime('%w %d %m %Y', m.created_at_epoch / 1000, 'unixepoch', 'localtime') AS day`;
const SOURCES: Record<MemoryRef['kind'], string> = {
  observation: `SELECT ${PLACE}, m.type, ${joinTexts('m.title, m.subtitle')} AS headline,
      coalesce((SELECT group_concat(json_extract(value, '$.text'), char(10))
        FROM json_each(CASE WHEN json_valid(m.facts) THEN m.facts ELSE '[]' END)), '') AS facts,
      ${joinTexts('m.narrative, m.concepts, m.files_modified, m.files_read')} AS text, m.keywords
    FROM observations m JOIN projects p ON p.id = m.project_id WHERE m.id = ? AND m.hidden_at IS NULL`,
  summary: `SELECT ${PLACE}, 'summary' AS type, ${joinTexts('m.request, m.completed')} AS headline, '' AS facts,
      ${joinTexts('m.investigated, m.learned, m.next_steps, m.notes, m.files_edited, m.files_read')} AS text, NULL AS keywords
    FROM summaries m JOIN projects p ON p.id = m.project_id
    WHERE m.id = ? AND m.hidden_at IS NULL AND ${SUMMARY_SAYS}`,
  prompt: `SELECT ${PLACE}, 'prompt' AS type, m.text AS headline, '' AS facts, coalesce(t.record, '') AS text, NULL AS keywords
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
export const RANK = "CASE kind WHEN 'prompt' THEN 1 WHEN 'observation' THEN 2 ELSE 3 END";

/** Memories of a session, or of none, without a document, in the order of time: those of an older schema. */
export function listUndocumented(db: Database, sessionId: number | null, limit: number): (MemoryRef & { at: number })[] {
  const without = (kind: MemoryRef['kind'], table: string) => `SELECT '${kind}' AS kind, id, created_at_epoch AS at
    FROM ${table} m WHERE session_id IS $sessionId AND hidden_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM documents WHERE kind = '${kind}' AND ref = m.id)`;
  const sql = `SELECT * FROM (${without('observation', 'observations')} UNION ALL ${without('summary', 'summaries')} AND ${SUMMARY_SAYS}
    UNION ALL ${without('prompt', 'prompts')} AND private = 0 AND text <> '') ORDER BY at, ${RANK}, id LIMIT $limit + 0`;
  return readAll<MemoryRef & { at: number }>(db, sql, { sessionId, limit });
}

/** Sessions looked at in one go: to see that nothing is missing takes time, too. */
const SESSIONS_SEEN = 50;

/**
 * Adds what is missing, some memories at a time: those of no session first, then session by session. Returns the session to go on with;
 * null when all are done. Whoever goes on from 0 instead only looks again.
 */
export function documentMore(db: Database, from = 0, limit = 25): number | null {
  const sessions = readColumn<number>(db, 'SELECT id FROM sessions WHERE id >= ? ORDER BY id LIMIT ? + 0', from, SESSIONS_SEEN);
  const add = db.transaction(() => {
    let room = limit;
    for (const id of from === 0 ? [null, ...sessions] : sessions) {
      room -= documentSession(db, id, room);
      if (room <= 0) return id ?? 0;
    }
    return null;
  });
  return add.immediate() ?? (sessions.length < SESSIONS_SEEN ? null : (sessions.at(-1) ?? 0) + 1);
}

/** Neighbours are told by the order of documents: what was said later, and has its own already, gets another in its turn. */
function documentSession(db: Database, sessionId: number | null, limit: number): number {
  const [first] = listUndocumented(db, sessionId, 1);
  if (!first) return 0;
  db.query('DELETE FROM documents WHERE session_id = ? AND at > ?').run(sessionId, first.at);
  return listUndocumented(db, sessionId, limit).filter((ref) => addDocument(db, ref)).length;
}

export type Pace = {
  /** Counts only. */
  isDry: boolean;
  /** Called after each short transaction, with how long it took: whoever else writes comes first. */
  rest: (tookMs: number) => Promise<void>;
};

/**
 * Makes those documents of a session, or of none, again that are missing or say something else than they should, or all of them, and
 * whatever was said after the first of these: neighbours are told by the order of documents. How many were not what they should be.
 */
export async function remakeDocuments(db: Database, sessionId: number | null, { isDry, rest }: Pace, isAll = false): Promise<number> {
  const memories = listMemories(db, sessionId);
  const marks = new Map<number, string>();
  const stale = memories.filter((ref) => isAll || !isCurrent(db, ref, (id, mark) => marks.set(id, mark)));
  if (marks.size > 0 && !isDry) markDocuments(db, marks);
  if (stale.length === 0 || isDry) return stale.length;
  const from = Math.min(...stale.map(({ at }) => at));
  // What no session made has nothing to do with the next.
  const again = sessionId === null ? stale : memories.filter(({ at }) => at >= from);
  const write = async <T>(work: () => T): Promise<T> => {
    const started = performance.now();
    const result = db.transaction(work).immediate();
    await rest(performance.now() - started);
    return result;
  };
  for (let at = 0; at < again.length; at += AT_ONCE) await write(() => takeOut(db, again.slice(at, at + AT_ONCE)));
  while ((await write(() => documentSession(db, sessionId, AT_ONCE))) > 0);
  return stale.length;
}

/** Some milliseconds: hooks wait no longer than that. */
const AT_ONCE = 8;

/** Whether there is a document where there should be one and none where not, and it says what it should. */
function isCurrent(db: Database, ref: MemoryRef, unmarked: (id: number, mark: string) => void): boolean {
  type Stored = Document & { id: number; mark: string | null };
  const stored = readFirst<Stored>(db, 'SELECT * FROM documents WHERE kind = ? AND ref = ?', ref.kind, ref.id);
  const source = readSource(db, ref);
  if (!stored || !source) return stored === null && source === null;
  const mark = markOf(source, stored);
  if (stored.mark === mark) return true;
  const document = makeDocument(ref, source);
  const isSame = COLUMNS.every((column) => stored[column] === document[column]);
  if (isSame) unmarked(stored.id, mark);
  return isSame;
}

/** Made by other rules, or before there were marks: the same would come of them today. */
function markDocuments(db: Database, marks: Map<number, string>): void {
  const set = db.query('UPDATE documents SET mark = ? WHERE id = ?');
  db.transaction(() => {
    for (const [id, mark] of marks) set.run(mark, id);
  }).immediate();
}

/** Each is alone before it goes: what stands beside it goes with it, or is told when the next one comes. */
function takeOut(db: Database, refs: MemoryRef[]): void {
  const move = db.query('UPDATE documents SET session_id = NULL WHERE kind = ? AND ref = ?');
  for (const { kind, id } of refs) move.run(kind, id);
  for (const ref of refs) removeDocument(db, ref);
}

const listMemories = (db: Database, sessionId: number | null): (MemoryRef & { at: number })[] => {
  const sql = `SELECT * FROM (SELECT 'prompt' AS kind, id, created_at_epoch AS at, session_id FROM prompts
    UNION ALL SELECT 'observation', id, created_at_epoch, session_id FROM observations
    UNION ALL SELECT 'summary', id, created_at_epoch, session_id FROM summaries) WHERE session_id IS ?`;
  return readAll<MemoryRef & { at: number }>(db, sql, sessionId);
};

const WORD_TABLES = ['words', 'fragments'] as const;
type WordTable = (typeof WORD_TABLES)[number];

/** The tables of the word index that are damaged, or lack a document, or have one too many. Reads all: a second for 50,000 documents. */
export const findBrokenWords = (db: Database): WordTable[] =>
  WORD_TABLES.filter((table) => {
    try {
      const [told] = readAll<{ integrity_check: string }>(db, `PRAGMA integrity_check(${table})`);
      const odd = db.query(`SELECT id FROM documents EXCEPT SELECT id FROM ${table}_docsize UNION ALL
        SELECT id FROM ${table}_docsize WHERE id NOT IN (SELECT id FROM documents) LIMIT 1`);
      return told?.integrity_check !== 'ok' || odd.get() !== null;
    } catch {
      // Whatever it cannot read: made again, it can.
      return true;
    }
  });

/** One statement of SQLite's for each: nobody else writes meanwhile. */
export function rebuildWords(db: Database, tables: readonly WordTable[] = WORD_TABLES): void {
  for (const table of tables) db.run(`INSERT INTO ${table} (${table}) VALUES ('rebuild')`);
}

/**
 * A deleted word stays in the file until its page is written anew. Each call writes some of them; true when none is left. Only
 * forgetting needs it.
 */
export function scourWords(db: Database, pages = 500): boolean {
  const before = totalChanges(db);
  for (const table of WORD_TABLES) db.query(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ?)`).run(-pages);
  // Each command counts as one change; more means that pages were merged.
  return totalChanges(db) - before < 4;
}

const totalChanges = (db: Database) => readValue<number>(db, 'SELECT total_changes()') ?? 0;

export const newestDocumentId = (db: Database) => readValue<number>(db, 'SELECT max(id) FROM documents') ?? 0;

export const listDocumentIdsBefore = (db: Database, id: number, limit: number) =>
  readColumn<number>(db, 'SELECT id FROM documents WHERE id < ? ORDER BY id DESC LIMIT ? + 0', id, limit);

export type DocumentText = {
  id: number;
  /** Its title first. */
  text: string;
  /** English keywords, of an observation: their meaning counts by itself. */
  keywords?: string | null;
};

export function listDocumentTexts(db: Database, wanted: number[]): DocumentText[] {
  const sql = `SELECT t.id, ${joinTexts('t.title, prompt, t.subtitle, t.narrative, t.facts')} AS text, o.keywords
    FROM json_each(?) AS wanted JOIN document_texts t ON t.id = wanted.value JOIN documents d ON d.id = t.id
      LEFT JOIN observations o ON d.kind = 'observation' AND o.id = d.ref`;
  return readAll<DocumentText>(db, sql, JSON.stringify(wanted));
}

export const listDropped = (db: Database, limit = 1000) => readColumn<number>(db, 'SELECT id FROM dropped_documents LIMIT ? + 0', limit);

export function clearDropped(db: Database, gone: number[]): void {
  db.query('DELETE FROM dropped_documents WHERE id IN (SELECT value FROM json_each(?))').run(JSON.stringify(gone));
}

export const countDocuments = (db: Database) => countDocumentsBetween(db, 0, Number.MAX_SAFE_INTEGER);

/** With an id from the first to the second, both included. */
export const countDocumentsBetween = (db: Database, low: number, high: number) =>
  countRows(db, 'documents WHERE id BETWEEN ? AND ?', low, high);

/** All that was found worth keeping of some sessions, a text for each. */
export function listSessionTexts(db: Database, sessionIds: number[]): Map<number, string> {
  const sql = `SELECT d.session_id AS sessionId, ${joinTexts('t.title, t.subtitle, t.narrative, t.facts, t.prompt')} AS text
    FROM json_each(?) AS wanted JOIN documents d ON d.session_id = wanted.value JOIN document_texts t ON t.id = d.id
    ORDER BY d.session_id, d.id LIMIT 5000`;
  const rows = readAll<{ sessionId: number; text: string }>(db, sql, JSON.stringify(sessionIds));
  const texts = new Map<number, string>();
  for (const { sessionId, text } of rows) texts.set(sessionId, `${texts.get(sessionId) ?? ''}${text}\n`);
  return texts;
}
