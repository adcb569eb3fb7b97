// The words that answer, for some rows of search: from the record of their turn, else from the memory itself.
import { type MemoryRow, parseRef } from '../core/memory.ts';
import { readMemories } from '../store/memories/memories.ts';
import { readRecord, type TurnRecord } from '../turns/record.ts';
import type { Finder } from './find.ts';
import { findPassage, readWanted } from './passage.ts';
import { readTurnOf } from './turn-of.ts';

/** Before words that came from outside. */
export const UNTRUSTED = '[untrusted source] ';
/** Of the first two rows; each below them gets less, as it answers less often. */
const LONGEST = 400;
const SHORTER = 100;

/** In the order of the rows; empty where there is nothing to show. */
export function readSnippets({ db, known }: Pick<Finder, 'db' | 'known'>, query: string, rows: MemoryRow[]): string[] {
  if (rows.length === 0) return [];
  const wanted = readWanted(query, known);
  return rows.map(({ id, title }, at) => {
    const ref = parseRef(id);
    const turn = ref && readTurnOf(db, ref);
    const record = turn ? readRecord(turn.record) : readOwn(db, id);
    const room = Math.min(LONGEST, LONGEST + SHORTER * (1 - at));
    const passage = findPassage(record, wanted, { prompt: turn?.prompt ?? '', title, room });
    return passage ? `${passage.isUntrusted ? UNTRUSTED : ''}${passage.text}` : '';
  });
}

/** Without a record the memory has only its own words. */
function readOwn(db: Finder['db'], id: string): TurnRecord {
  const ref = parseRef(id);
  const memory = ref ? readMemories(db, [ref]).get(id) : undefined;
  const { summary } = memory ?? {};
  const texts = [
    memory?.subtitle,
    memory?.narrative,
    ...(memory?.facts ?? []),
    summary?.learned,
    summary?.completed,
    summary?.nextSteps,
  ];
  return { steps: [], closing: texts.filter((text) => typeof text === 'string' && text !== '').join('\n\n') };
}
