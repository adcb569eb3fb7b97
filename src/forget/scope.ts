// Whole sessions and projects that go: what that would be, and taking it out a slice at a time.
import type { Database } from 'bun:sqlite';
import { hashLongText } from '../core/ids.ts';
import { MEMORY_TABLES, type MemoryKind, type MemoryRef } from '../core/memory.ts';
import { findPieces } from '../core/same-words.ts';
import { nextTurn } from '../core/time.ts';
import { hashSaid } from '../memory/hide.ts';
import { readTexts } from '../memory/read.ts';
import { joinTexts, readAll, readColumn, readValue } from '../store/read.ts';
import { bury, type NamedEvent, nameEvent } from '../store/tombstones.ts';
import { countKinds, countWords, eraseMemories, readDoomed, type Tally } from './erase.ts';

type ScopeCounts = Record<'sessions' | 'observations' | 'summaries' | 'prompts' | 'records', number>;

export const listSessionsOf = (db: Database, projectId: number): number[] =>
  readColumn<number>(db, 'SELECT id FROM sessions WHERE project_id = ?', projectId);

/** Of a project: also what was made of it in sessions of others, by hand, and of its commits. */
export function countScope(db: Database, sessionIds: number[], projectId: number | null): ScopeCounts {
  const list = JSON.stringify(sessionIds);
  const inSessions = 'session_id IN (SELECT value FROM json_each($list))';
  const wanted = projectId === null ? inSessions : `(${inSessions} OR project_id = ${projectId})`;
  const count = (table: string, where: string) => readValue<number>(db, `SELECT count(*) FROM ${table} WHERE ${where}`, { list }) ?? 0;
  return {
    sessions: sessionIds.length,
    observations: count('observations', wanted),
    summaries: count('summaries', wanted),
    prompts: count('prompts', `${inSessions} AND text <> ''`),
    records: count('turns', inSessions),
  };
}

/** From now on nothing of them comes in, whichever way. Inside a transaction. */
export function burySessions(db: Database, sessionIds: number[], at: number): void {
  for (const name of nameSessions(db, sessionIds)) bury(db, 'session', name, at);
}

export const nameSessions = (db: Database, sessionIds: number[]): string[] =>
  readColumn(db, 'SELECT host_session_id FROM sessions WHERE id IN (SELECT value FROM json_each(?))', JSON.stringify(sessionIds));

/** Those that are buried and still there: somebody was killed in the middle of it. */
export const listBuriedSessions = (db: Database): number[] =>
  readColumn(db, "SELECT id FROM sessions WHERE host_session_id IN (SELECT hash FROM tombstones WHERE kind = 'session')");

const MEMORIES = 20;
const EVENTS = 300;
const MOST_TELLING = 200;

/** A slice of a session that is buried; true when all of it is gone. Inside a transaction. */
export function eraseSessionPart(db: Database, sessionId: number, tally: Tally, at: number): boolean {
  const refs = nextMemories(db, sessionId);
  if (refs.length > 0) eraseRows(db, refs, tally, at);
  else if (!eraseEvents(db, sessionId, tally, at)) {
    // The figures of what was spent stay.
    db.query('UPDATE model_calls SET answer = NULL, error = NULL WHERE session_id = ?').run(sessionId);
    db.query('DELETE FROM sessions WHERE id = ?').run(sessionId);
    tally.sessions++;
    return true;
  }
  return false;
}

function nextMemories(db: Database, sessionId: number): MemoryRef[] {
  for (const kind of KINDS) {
    const ids = readColumn<number>(db, `SELECT id FROM ${MEMORY_TABLES[kind]} WHERE session_id = ? LIMIT ${MEMORIES}`, sessionId);
    if (ids.length > 0) return ids.map((id) => ({ kind, id }));
  }
  return [];
}

const KINDS = ['observation', 'summary', 'prompt'] as const;

/** The session goes with them: nothing of its turns is left that could repeat them. */
function eraseRows(db: Database, refs: MemoryRef[], tally: Tally, at: number): void {
  const doomed = refs.map((ref) => readDoomed(db, ref));
  const said = readTexts(db, refs).flatMap(hashSaid);
  const graves = new Set([...said, ...doomed.flatMap((memory) => memory.graves)]);
  for (const hash of graves) bury(db, 'text', hash, at);
  for (const name of doomed.flatMap((memory) => memory.names)) bury(db, 'event', name, at);
  const texts = doomed.flatMap((memory) => memory.texts);
  for (const { kind, id } of refs) {
    if (kind === 'prompt') tally.records += countRecord(db, id);
    db.query(`DELETE FROM ${MEMORY_TABLES[kind]} WHERE id = ?`).run(id);
  }
  countKinds(tally, refs);
  tally.prompts += doomed.filter((memory) => memory.kind === 'prompt' && memory.texts.some(Boolean)).length;
  tally.words += countWords(texts);
  tally.tombstones += graves.size;
  addTelling(tally, findPieces(texts).telling);
}

const countRecord = (db: Database, promptId: number) => {
  const sql = 'SELECT t.id FROM turns t JOIN prompts p ON p.session_id = t.session_id AND p.prompt_number = t.prompt_number WHERE p.id = ?';
  return readColumn<number>(db, sql, promptId).length;
};

function addTelling({ telling }: Tally, pieces: string[]): void {
  for (const piece of pieces) if (telling.size < MOST_TELLING) telling.add(piece);
}

type EventRow = NamedEvent & { seq: number; id: string; closing: string | null };

/** False when there are none. Forks repeat them: each is known by its own name. */
function eraseEvents(db: Database, sessionId: number, tally: Tally, at: number): boolean {
  const sql = `SELECT e.seq, e.id, e.kind, e.prompt_id AS promptId, e.tool_use_id AS toolUseId, s.host_session_id AS session,
      CASE WHEN e.kind = 'prompt' THEN coalesce(json_extract(e.payload, '$.text'), '') ELSE '' END AS text,
      CASE WHEN e.kind IN ('stop','subagent') THEN json_extract(e.payload, '$.message') END AS closing
    FROM events e JOIN sessions s ON s.id = e.session_id WHERE e.session_id = ? LIMIT ? + 0`;
  const rows = readAll<EventRow>(db, sql, sessionId, EVENTS);
  for (const row of rows) {
    for (const name of [row.id, ...nameEvent(row)]) bury(db, 'event', name, at);
    const long = row.closing === null ? null : hashLongText(row.closing);
    if (long !== null) bury(db, 'text', long, at);
    db.query('DELETE FROM events WHERE seq = ?').run(row.seq);
  }
  tally.events += rows.length;
  tally.tombstones += rows.length;
  return rows.length > 0;
}

/** Memories of a project in sessions that stay; true when there are none left. Inside a transaction. */
export function eraseElsewhere(db: Database, projectId: number, tally: Tally, at: number): boolean {
  const refs = (['observation', 'summary'] as const).flatMap((kind) =>
    readColumn<number>(db, `SELECT id FROM ${MEMORY_TABLES[kind]} WHERE project_id = ? LIMIT ${MEMORIES}`, projectId).map((id) => ({
      kind,
      id,
    })),
  );
  if (refs.length > 0) eraseSome(db, refs, tally, at);
  return refs.length === 0;
}

/** Some of many memories that are named one by one. Inside a transaction. */
export function eraseSome(db: Database, refs: MemoryRef[], tally: Tally, at: number): void {
  addTelling(tally, eraseMemories(db, refs, { at, tally }).pieces.telling);
}

const ROWS = 500;
/** Whoever finds more has not said enough. */
export const MOST_MATCHES = 2000;

const listed = (column: string, rows: string) => `coalesce((SELECT char(10) || group_concat(${column}, char(10)) FROM ${rows}), '')`;
const STEPS = listed('s.text', 'open_steps s WHERE s.session_id = p.session_id AND s.prompt_number = p.prompt_number');
const wordsOf = (kind: MemoryKind, id: string) => listed('r.words', `replacements r WHERE r.newer_kind = '${kind}' AND r.newer_id = ${id}`);

const TEXTS: Record<MemoryKind, string> = {
  observation: `SELECT id,
    ${joinTexts('title, subtitle, narrative, facts, concepts, keywords, files_modified, files_read')} ||
    ${wordsOf('observation', 'observations.id')} AS text FROM observations`,
  summary: `SELECT id, ${joinTexts('request, investigated, learned, completed, next_steps, notes')} AS text FROM summaries`,
  // What is derived of a turn stands in other words than its record: without marks of Markdown, in one line.
  prompt: `SELECT p.id, ${joinTexts('p.text, t.record')} || ${STEPS} || ${wordsOf('prompt', 'p.id')} AS text FROM prompts p
    LEFT JOIN turns t ON t.session_id = p.session_id AND t.prompt_number = p.prompt_number`,
};
const KEYS: Record<MemoryKind, string> = { observation: 'id', summary: 'id', prompt: 'p.id' };

/** Whatever the case and the blanks; a prompt also for the record of its turn. Hidden ones, too. Others are answered in between. */
export async function findMatching(db: Database, text: string): Promise<MemoryRef[]> {
  const wanted = flat(text);
  const found: MemoryRef[] = [];
  for (const kind of ['observation', 'summary', 'prompt'] as const) {
    const sql = `${TEXTS[kind]} WHERE ${KEYS[kind]} > ? ORDER BY ${KEYS[kind]} LIMIT ? + 0`;
    const next = db.query<{ id: number; text: string | null }, [number, number]>(sql);
    for (let last = 0; ; await nextTurn()) {
      const rows = next.all(last, ROWS);
      for (const row of rows) if (flat(row.text ?? '').includes(wanted)) found.push({ kind, id: row.id });
      last = rows.at(-1)?.id ?? last;
      if (rows.length < ROWS || found.length > MOST_MATCHES) break;
    }
  }
  return found;
}

const flat = (text: string) => text.normalize('NFC').toLowerCase().replace(/\s+/g, ' ');
