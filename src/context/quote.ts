// What may be quoted of the record of a turn to a session that did not ask for it.
import type { Database } from 'bun:sqlite';
import type { MemoryRef } from '../core/memory.ts';
import { plainLine } from '../core/plain-line.ts';
import { readTellableByIds } from '../memory/for-context.ts';
import type { Observation } from '../memory/observations.ts';
import { listTurnObservations } from '../memory/turn-keys.ts';
import { listPieces, type Piece } from '../search/pieces.ts';
import { beforeOutside } from '../search/search.ts';
import { linesGoneSince } from '../search/snippets.ts';
import { readTurnOf } from '../search/turn-of.ts';
import { readRecord, type TurnRecord } from '../turns/record.ts';

type Quotable = { record: TurnRecord; pieces: Piece[]; told: Observation[] };

/**
 * A record tells all of its turn: it is not quoted where one of its memories may not be told any more, nor from where something from
 * outside was read on; nor are lines that are gone since.
 */
export function readQuotable(db: Database, ref: MemoryRef, mayTell: (one: Observation) => boolean): Quotable | null {
  const turn = readTurnOf(db, ref);
  if (!turn) return null;
  const ids = [...listTurnObservations(db, [`${turn.sessionId}:${turn.promptNumber}`]).values()].flat();
  const told = readTellableByIds(db, ids).filter(mayTell);
  if (told.length < ids.length) return null;
  const record = readRecord(turn.record);
  const isGone = linesGoneSince(db, turn);
  const pieces = listPieces(beforeOutside(record), '').filter(({ isDetail, line }) => !isDetail && !(line && isGone(line)));
  return { record, pieces, told };
}

/** In their order, as long as there is room. */
export function joinQuoted(pieces: Pick<Piece, 'head' | 'text'>[], room: number): string {
  let text = '';
  for (const [at, piece] of pieces.entries()) {
    const head = piece.head === '' || pieces[at - 1]?.head === piece.head ? '' : `${piece.head}: `;
    if (text.length + head.length + piece.text.length > room) break;
    text += `${text === '' ? '' : ' '}${head}${piece.text}`;
  }
  return plainLine(text, room);
}
