// Raw payloads are evidence for a while, not an archive: what was used is dropped, and its place on the disk with it.
import type { Database } from 'bun:sqlite';

/** So many at once: more would hold up whoever waits. */
const AT_ONCE = 200;

const USED = "payload IS NOT NULL AND status IN ('done','skipped')";

/** Some of those that are older: how many there were. */
export function expirePayloads(db: Database, before: number): number {
  const seqs = db
    .query<{ seq: number }, [number, number]>(
      `SELECT seq FROM events WHERE ${USED} AND created_at_epoch < ? ORDER BY created_at_epoch LIMIT ?`,
    )
    .all(before, AT_ONCE)
    .map(({ seq }) => seq);
  if (seqs.length > 0) dropPayloads(db, seqs);
  return seqs.length;
}

/** All of one session. */
export function expirePayloadsOf(db: Database, sessionId: number, before: number): void {
  const seqs = db
    .query<{ seq: number }, [number, number]>(
      `SELECT seq FROM events WHERE session_id = ? AND ${USED} AND created_at_epoch < ?`,
    )
    .all(sessionId, before)
    .map(({ seq }) => seq);
  if (seqs.length > 0) dropPayloads(db, seqs);
}

/** A row that only lost its payload would stay alone on its page: it is written anew, beside the others. */
function dropPayloads(db: Database, seqs: number[]): void {
  const columns = listColumns(db);
  const without = columns.map((name) => (name === 'payload' ? 'NULL' : name)).join(', ');
  const chosen = 'seq IN (SELECT value FROM json_each(?))';
  const list = JSON.stringify(seqs);
  db.run(`CREATE TEMP TABLE IF NOT EXISTS used_events AS SELECT ${columns.join(', ')} FROM events LIMIT 0`);
  db.transaction(() => {
    db.query(`INSERT INTO temp.used_events SELECT ${without} FROM events WHERE ${chosen} ORDER BY seq`).run(list);
    db.query(`DELETE FROM events WHERE ${chosen}`).run(list);
    db.query(`INSERT INTO events (${columns.join(', ')}) SELECT ${columns.join(', ')} FROM temp.used_events`).run();
    db.query('DELETE FROM temp.used_events').run();
  }).immediate();
}

const listColumns = (db: Database): string[] =>
  db
    .query<{ name: string }, []>("SELECT name FROM pragma_table_info('events')")
    .all()
    .map(({ name }) => name);
