// Every memory that has a text in it, word for word: for a person who wants all of them gone.
import type { Database } from 'bun:sqlite';
import type { MemoryKind, MemoryRef } from '../core/memory.ts';
import { joinTexts } from '../store/join-texts.ts';

const ROWS = 500;
/** Whoever finds more has not said enough. */
export const MOST_MATCHES = 2000;

const listed = (column: string, rows: string) =>
  `coalesce((SELECT char(10) || group_concat(${column}, char(10)) FROM ${rows}), '')`;
const STEPS = listed('s.text', 'open_steps s WHERE s.session_id = p.session_id AND s.prompt_number = p.prompt_number');
const wordsOf = (kind: MemoryKind, id: string) =>
  listed('r.words', `replacements r WHERE r.newer_kind = '${kind}' AND r.newer_id = ${id}`);

const TEXTS: Record<MemoryKind, string> = {
  observation: `SELECT id, ${joinTexts('title, subtitle, narrative, facts, concepts, files_modified, files_read')} || ${wordsOf('observation', 'observations.id')} AS text FROM observations`,
  summary: `SELECT id, ${joinTexts('request, investigated, learned, completed, next_steps, notes')} AS text FROM summaries`,
  // What is derived of a turn stands in other words than its record: without marks of Markdown, in one line.
  prompt: `SELECT p.id, ${joinTexts('p.text, t.record')} || ${STEPS} || ${wordsOf('prompt', 'p.id')} AS text FROM prompts p
    LEFT JOIN turns t ON t.session_id = p.session_id AND t.prompt_number = p.prompt_number`,
};
const KEYS: Record<MemoryKind, string> = { observation: 'id', summary: 'id', prompt: 'p.id' };

/** Whatever the case and the blanks; a prompt also for the record of its turn. Hidden ones, too. Others are answered in between. */
export async function findMatching(db: Database, text: string, pause: () => Promise<void>): Promise<MemoryRef[]> {
  const wanted = flat(text);
  const found: MemoryRef[] = [];
  for (const kind of ['observation', 'summary', 'prompt'] as const) {
    const next = db.query<{ id: number; text: string | null }, [number, number]>(
      `${TEXTS[kind]} WHERE ${KEYS[kind]} > ? ORDER BY ${KEYS[kind]} LIMIT ?`,
    );
    for (let last = 0; ; await pause()) {
      const rows = next.all(last, ROWS);
      for (const row of rows) if (flat(row.text ?? '').includes(wanted)) found.push({ kind, id: row.id });
      last = rows.at(-1)?.id ?? last;
      if (rows.length < ROWS || found.length > MOST_MATCHES) break;
    }
  }
  return found;
}

const flat = (text: string) => text.normalize('NFC').toLowerCase().replace(/\s+/g, ' ');
