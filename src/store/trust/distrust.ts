// distrusted: the sources whose memories are told to nobody. What they said stays and is found, with a mark.
import type { Database } from 'bun:sqlite';
import { type DistrustedSource, formatSource, parseSource, type Source } from '../../core/correction.ts';
import type { MemoryRef } from '../../core/memory.ts';
import { TABLES } from '../forgetting/hide.ts';
import { isoTime } from '../time.ts';

/** False when it was distrusted already. */
export function distrust(db: Database, source: Source, at: number): boolean {
  return (
    db
      .query('INSERT OR IGNORE INTO distrusted (source, created_at) VALUES (?, ?)')
      .run(formatSource(source), isoTime(at)).changes > 0
  );
}

/** False when it was trusted already. */
export function trustAgain(db: Database, source: Source): boolean {
  return db.query('DELETE FROM distrusted WHERE source = ?').run(formatSource(source)).changes > 0;
}

/** Oldest first. */
export function listDistrusted(db: Database): DistrustedSource[] {
  return db
    .query<{ source: string; since: string }, []>(
      'SELECT source, created_at AS since FROM distrusted ORDER BY created_at, source',
    )
    .all()
    .map((row) => ({ ...row, memories: countFrom(db, row.source) }));
}

function countFrom(db: Database, text: string): number {
  const source = parseSource(text);
  if (!source) return 0;
  const [condition, value] = conditionOf(source);
  return (
    db
      .query<{ n: number }, [string]>(
        `SELECT count(*) AS n FROM observations o JOIN sessions s ON s.id = o.session_id WHERE o.hidden_at IS NULL AND ${condition}`,
      )
      .get(value)?.n ?? 0
  );
}

function conditionOf(source: Source): [sql: string, value: string] {
  if (source.kind === 'session') return ['s.host_session_id = ?', source.id];
  return source.kind === 'host' ? ['s.host = ?', source.name] : ['o.origin = ?', source.origin];
}

/** Where a memory comes from; null when there is none. */
export function findSessionOf(db: Database, { kind, id }: MemoryRef) {
  return db
    .query<{ hostSessionId: string; host: string }, [number]>(
      `SELECT s.host_session_id AS hostSessionId, s.host FROM ${TABLES[kind]} m JOIN sessions s ON s.id = m.session_id WHERE m.id = ?`,
    )
    .get(id);
}

/** Whether anything is known of a session or host of this name: else it is likely a slip. */
export function isKnownSource(db: Database, source: Source): boolean {
  if (source.kind === 'origin') return true;
  const column = source.kind === 'session' ? 'host_session_id' : 'host';
  const name = source.kind === 'session' ? source.id : source.name;
  return db.query(`SELECT 1 FROM sessions WHERE ${column} = ? LIMIT 1`).get(name) !== null;
}
