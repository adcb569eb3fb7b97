// The turn that a memory is of, as far as it may be shown.
import type { Database } from 'bun:sqlite';
import { formatRef, type MemoryKind, type MemoryRef } from '../core/memory.ts';
import { createJudge } from '../core/says-same.ts';
import { findPieces } from '../core/telling-pieces.ts';
import { listTelling } from '../store/forgetting/sayers.ts';
import { listHiddenRefs } from '../store/memories/memory-lists.ts';
import { readTexts } from '../store/memories/memory-texts.ts';
import { readTurnKeys } from '../store/memories/turn-keys.ts';
import { readRecord, writeRecord } from '../turns/record.ts';
import { takeOut } from '../turns/take-out.ts';
import { findTurn, type Turn, type TurnPlace } from '../turns/turns.ts';

const TABLES: Record<MemoryKind, string> = { observation: 'observations', summary: 'summaries', prompt: 'prompts' };
const HIDDEN = '[hidden]';

/** With what was asked. Null when there is no record of it, or its prompt is hidden. `withHidden`: for whoever decides about it. */
export function readTurnOf(
  db: Database,
  { kind, id }: MemoryRef,
  { withHidden = false } = {},
): (Turn & { prompt: string }) | null {
  const place = db
    .query<TurnPlace, [number]>(
      `SELECT session_id AS sessionId, prompt_number AS promptNumber FROM ${TABLES[kind]} WHERE id = ?`,
    )
    .get(id);
  const turn = place && findTurn(db, place);
  if (!turn) return null;
  const prompt = findPromptOf(db, place);
  if (prompt?.hiddenAt && !withHidden) return null;
  return { ...turn, record: withHidden ? turn.record : withoutHidden(db, turn), prompt: prompt?.text ?? '' };
}

const findPromptOf = (db: Database, { sessionId, promptNumber }: TurnPlace) =>
  db
    .query<{ text: string; hiddenAt: string | null }, [number, number]>(
      'SELECT text, hidden_at AS hiddenAt FROM prompts WHERE session_id = ? AND prompt_number = ?',
    )
    .get(sessionId, promptNumber);

/** A memory that waits for a person to decide is not told by the record of its turn either. */
function withoutHidden(db: Database, { sessionId, promptNumber, record }: Turn): string {
  const beside = listHiddenRefs(db).filter((ref) => ref.sessionId === sessionId);
  if (beside.length === 0) return record;
  const keys = readTurnKeys(db, beside);
  const own = beside.filter((ref) => keys.get(formatRef(ref)) === `${sessionId}:${promptNumber}`);
  const texts = readTexts(db, own).flatMap(({ title, texts: more }) => [...(title === null ? [] : [title]), ...more]);
  const telling = listTelling(db, findPieces(texts, MOST_PIECES).telling);
  return writeRecord(
    takeOut(readRecord(record), { isGone: createJudge({ texts, telling, words: [] }), mark: HIDDEN }).record,
  );
}

const MOST_PIECES = 100;
