// What is too old or too much: which memories go, oldest first, never a pinned one or a rule of the user; and what was set aside long ago.
import type { Database } from 'bun:sqlite';
import { isoTime } from '../time.ts';

/** The latest sign of life in the store: by it things are old, not by a clock that may be set wrong. */
export const latestLife = (db: Database) =>
  db.query<{ at: number | null }, []>('SELECT max(updated_at_epoch) AS at FROM sessions').get()?.at ?? 0;

export type ExpiringTable = 'observations' | 'summaries';

/** Older than this moment, oldest first. Each project has its own order of time: they are looked through one by one. */
export function listExpired(db: Database, table: ExpiringTable, before: number, limit: number): number[] {
  const oldest = db.query<{ id: number; at: number }, [number, number, number]>(
    `SELECT id, created_at_epoch AS at FROM ${table} WHERE project_id = ? AND created_at_epoch < ?
       ${table === 'observations' ? 'AND pinned = 0 AND is_rule = 0' : ''} ORDER BY created_at_epoch LIMIT ?`,
  );
  return listProjectIds(db)
    .flatMap((projectId) => oldest.all(projectId, before, limit))
    .sort((one, other) => one.at - other.at || one.id - other.id)
    .slice(0, limit)
    .map(({ id }) => id);
}

const listProjectIds = (db: Database) =>
  db
    .query<{ id: number }, []>('SELECT id FROM projects')
    .all()
    .map(({ id }) => id);

/** With its document, words and citations. Inside a transaction. */
export function dropMemory(db: Database, table: ExpiringTable, id: number): void {
  db.query(`DELETE FROM ${table} WHERE id = ?`).run(id);
}

/** When the first memory was made; null without one. */
export function oldestMemoryAt(db: Database): number | null {
  const first = db.query<{ at: number | null }, [number]>(
    'SELECT min(created_at_epoch) AS at FROM observations WHERE project_id = ?',
  );
  const times = listProjectIds(db).flatMap((id) => first.get(id)?.at ?? []);
  return times.length === 0 ? null : Math.min(...times);
}

/** Some sessions after one, with whether nothing is left of each, nor will be made. */
export function lookAtSessions(db: Database, after: number, before: number, limit: number) {
  return db
    .query<{ id: number; isEmpty: number }, [{ after: number; before: number; limit: number }]>(
      `SELECT s.id, s.updated_at_epoch < $before
         AND NOT EXISTS (SELECT 1 FROM observations WHERE session_id = s.id)
         AND NOT EXISTS (SELECT 1 FROM summaries WHERE session_id = s.id)
         AND NOT EXISTS (SELECT 1 FROM events WHERE session_id = s.id AND status IN ('pending','claimed')) AS isEmpty
       FROM sessions s WHERE s.id > $after ORDER BY s.id LIMIT $limit`,
    )
    .all({ after, before, limit });
}

const EVENTS_AT_ONCE = 200;
const PROMPTS_AT_ONCE = 5;

/** A piece of it; true when all of it is gone. Inside a transaction. */
export function dropSessionPart(db: Database, id: number): boolean {
  const drop = (table: string, key: string, limit: number) =>
    db
      .query(`DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE session_id = ? LIMIT ?)`)
      .run(id, limit).changes;
  if (drop('events', 'seq', EVENTS_AT_ONCE) > 0 || drop('prompts', 'id', PROMPTS_AT_ONCE) > 0) return false;
  db.query('DELETE FROM sessions WHERE id = ?').run(id);
  return true;
}

/** Bytes that memories take, without raw payloads, which go by themselves. */
export function usedBytes(db: Database): number {
  const { bytes } = db
    .query<{ bytes: number }, []>(
      `SELECT (page_count - freelist_count) * page_size AS bytes
       FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()`,
    )
    .get() ?? { bytes: 0 };
  const { raw } = db
    .query<{ raw: number }, []>(
      'SELECT coalesce(sum(length(CAST(payload AS BLOB))), 0) AS raw FROM events WHERE payload IS NOT NULL',
    )
    .get() ?? { raw: 0 };
  return bytes - raw;
}

/** Payloads of events that could not be distilled, and inputs that could not be read: by now nobody looks for the reason. */
export function expireSetAside(db: Database, before: number): number {
  const events = db
    .query(
      "UPDATE events SET payload = NULL WHERE payload IS NOT NULL AND status = 'quarantined' AND created_at_epoch < ?",
    )
    .run(before).changes;
  const inputs = db.query('DELETE FROM bad_inputs WHERE created_at < ?').run(isoTime(before)).changes;
  return events + inputs;
}
