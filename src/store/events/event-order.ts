// The order of a session's events, as its transcript tells it: hooks run beside each other and may arrive in another.
import type { Database } from 'bun:sqlite';
import type { SessionEvent } from '../../core/event.ts';
import { findSaidEvent } from './said-events.ts';

/** Where an event of a transcript stands in the store. */
export function findSeq(db: Database, event: SessionEvent, sessionId: number): number | null {
  if (event.kind === 'tool' && event.toolUseId !== null) {
    return (
      db
        .query<{ seq: number }, [string, number]>(
          "SELECT seq FROM events WHERE tool_use_id = ? AND kind = 'tool' AND session_id = ?",
        )
        .get(event.toolUseId, sessionId)?.seq ?? null
    );
  }
  if (event.kind === 'said') {
    const row = db
      .query<{ seq: number }, [string, number]>('SELECT seq FROM events WHERE id = ? AND session_id = ?')
      .get(event.id, sessionId);
    return row?.seq ?? null;
  }
  const said = findSaidEvent(db, event, sessionId);
  if (said === null) return null;
  return db.query('SELECT 1 FROM events WHERE seq = ? AND session_id = ?').get(said, sessionId) ? said : null;
}

/** Gives the same places to the same events, but in this order. True when anything moved. To be called inside a transaction. */
export function orderEvents(db: Database, seqs: number[]): boolean {
  // Somebody works on them just now, and knows them by their place.
  const claimed = new Set(listClaimed(db));
  const order = [...new Set(seqs)].filter((seq) => !claimed.has(seq));
  const places = [...order].sort((one, other) => one - other);
  const moves = order.map((from, at) => ({ from, to: places[at] ?? from })).filter(({ from, to }) => from !== to);
  // Two steps, for no two may have one place in between.
  const leave = db.query('UPDATE events SET seq = -?2 WHERE seq = ?1');
  for (const { from, to } of moves) leave.run(from, to);
  if (moves.length > 0) db.run('UPDATE events SET seq = -seq WHERE seq < 0');
  return moves.length > 0;
}

const listClaimed = (db: Database): number[] =>
  db
    .query<{ seq: number }, []>("SELECT seq FROM events WHERE status = 'claimed' AND batch_id IS NULL")
    .all()
    .map(({ seq }) => seq);
