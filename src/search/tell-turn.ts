// The record of a prompt's turn, as it is shown under its id.
import type { Database } from 'bun:sqlite';
import { parseRef } from '../core/memory.ts';
import { readRecord } from '../turns/record.ts';
import { type Told, tellRecord } from './tell-record.ts';
import { readTurnOf } from './turn-of.ts';

/** Null when there is none, or it is hidden. */
export function tellTurn(db: Database, id: string, { isFull = false, withHidden = false } = {}): Told | null {
  const ref = parseRef(id);
  const turn = ref && readTurnOf(db, ref, { withHidden });
  return turn ? tellRecord(readRecord(turn.record), { isFull }) : null;
}
