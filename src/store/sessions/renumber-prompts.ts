// The numbers of a session's prompts, once more in their order: one that is found late came before others.
import type { Database } from 'bun:sqlite';
import { addDocument, listUndocumented } from '../index/documents.ts';

type Row = { seq: number; kind: string; promptId: string | null; number: number };

/** Their events, and what was made of them, follow. To be called inside a transaction, when the events are in order. */
export function renumberPrompts(db: Database, sessionId: number): void {
  const events = db
    .query<Row, [number]>(
      `SELECT seq, kind, prompt_id AS promptId, prompt_number AS number FROM events WHERE session_id = ? ORDER BY seq`,
    )
    .all(sessionId);
  const prompts = events.filter(({ kind }) => kind === 'prompt');
  const numbers = new Map(prompts.map(({ number }, at) => [number, at + 1]));
  if (numbers.size !== prompts.length || !isAllOf(db, sessionId, numbers)) return;
  const isMoved = [...numbers].some(([before, after]) => before !== after);
  const isChanged = numberEvents(db, events);
  if (isMoved) movePrompts(db, sessionId, numbers);
  if (isMoved || isChanged) followEvents(db, sessionId);
}

/** What came without events, from another program or machine, has an order of its own. */
function isAllOf(db: Database, sessionId: number, numbers: Map<number, number>): boolean {
  const rows = db
    .query<{ number: number }, [number]>('SELECT prompt_number AS number FROM prompts WHERE session_id = ?')
    .all(sessionId);
  return rows.length === numbers.size && rows.every(({ number }) => numbers.has(number));
}

/** Each event belongs to the latest prompt before it that has its id; without one, to the latest of all. */
function numberEvents(db: Database, events: Row[]): boolean {
  const latest = new Map<string | null, number>();
  const first = new Map<string | null, number>();
  const own = events.filter(({ kind }) => kind === 'prompt');
  for (const [at, { promptId }] of own.entries()) if (!first.has(promptId)) first.set(promptId, at + 1);
  const set = db.query('UPDATE events SET prompt_number = ? WHERE seq = ?');
  let counter = 0;
  let isChanged = false;
  for (const { seq, kind, promptId, number } of events) {
    if (kind === 'prompt') latest.set(promptId, ++counter);
    const mine = promptId === null ? counter : (latest.get(promptId) ?? first.get(promptId) ?? counter);
    const wanted = kind === 'prompt' ? counter : mine;
    if (wanted === number) continue;
    set.run(wanted, seq);
    isChanged = true;
  }
  return isChanged;
}

function movePrompts(db: Database, sessionId: number, numbers: Map<number, number>): void {
  // A prompt is indexed with the record of its number: while the two move, nobody could say which words to take out.
  db.query('DELETE FROM documents WHERE session_id = ?').run(sessionId);
  // Two steps, for no two may have one number in between.
  // What another store brought has no turn of ours to follow: it goes with its prompt.
  const owned = [
    ['prompts', ''],
    ['turns', ''],
    ['observations', 'AND batch_id IS NULL'],
    ['summaries', 'AND batch_id IS NULL'],
  ] as const;
  for (const [table, own] of owned) {
    const leave = db.query(
      `UPDATE ${table} SET prompt_number = -?3 WHERE session_id = ?1 AND prompt_number = ?2 ${own}`,
    );
    for (const [before, after] of numbers) leave.run(sessionId, before, after);
    db.query(`UPDATE ${table} SET prompt_number = -prompt_number WHERE session_id = ? AND prompt_number < 0`).run(
      sessionId,
    );
  }
  for (const ref of listUndocumented(db, sessionId, Number.MAX_SAFE_INTEGER)) addDocument(db, ref);
  db.query(
    `UPDATE sessions SET first_prompt = (SELECT text FROM prompts WHERE session_id = ?1 AND text <> '' AND hidden_at IS NULL
       ORDER BY prompt_number LIMIT 1) WHERE id = ?1`,
  ).run(sessionId);
}

/** A turn has the number of its last event; what was made of it has the turn's. */
function followEvents(db: Database, sessionId: number): void {
  db.query(
    `UPDATE batches SET prompt_number = coalesce((SELECT e.prompt_number FROM events e WHERE e.batch_id = batches.id
       ORDER BY e.kind IN ('stop','end') DESC, e.seq DESC LIMIT 1), prompt_number) WHERE session_id = ?`,
  ).run(sessionId);
  for (const table of ['observations', 'summaries'])
    db.query(
      `UPDATE ${table} SET prompt_number = (SELECT prompt_number FROM batches WHERE id = ${table}.batch_id)
       WHERE session_id = ? AND batch_id IS NOT NULL`,
    ).run(sessionId);
}
