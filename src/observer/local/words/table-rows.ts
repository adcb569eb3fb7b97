// Tables of a closing message: rows that are still open, and rows that say what was chosen.
import { bareText, plainText } from '../text/plain.ts';
import type { Table } from '../text/table.ts';
import { announcesOpenWork } from './open-heading.ts';

const STATUS = /^(?:status|state|done\??|progress|ready\??|zustand|stand|estado|état|✅|)$/i;
const OPEN_CELL =
  /^(?:open|to-?do|pending|not (?:yet|done|started|covered|tested|ported|migrated)|missing|left|later|in progress|wip|blocked|tbd|waiting|next|partly|partial(?:ly)?|offen|fehlt|pendiente|falta|à faire|⏳|⌛|🔜|⬜|🔲|🚧|☐|🕐)/iu;
const OPEN_WORD =
  /\b(?:missing|waiting|blocked|not yet|pending|to be \w+ed|needs? \w+|stub(?:bed)?|half|failing|broken|tbd)\b/i;
const NO_CELL = /^(?:no|nope|nein|❌|✗|✘|🔴|🟡)/iu;
const DONE_CELL =
  /^(?:done|yes|ok|fixed|merged|complete|ported|passed|green|shipped|erledigt|hecho|listo|fait|✅|✔|✓|☑|🟢)/iu;

/** What is still to be done, a text per row. */
export function openRows(table: Table): string[] {
  const status = statusColumn(table);
  const isOpenList = announcesOpenWork(table.section) || table.header.some((cell) => announcesOpenWork(cell));
  return table.rows
    .filter((row) => (status < 0 ? isOpenList : isOpen(row[status] ?? '', table.header[status] ?? '')))
    .map((row) => textOf(row.filter((cell, at) => at !== status || cell.split(' ').length > 1)))
    .filter((text) => text.length >= 6);
}

function statusColumn(table: Table): number {
  const named = table.header.findIndex((cell) => STATUS.test(cell) && cell !== '');
  if (named >= 0) return named;
  return table.header.findIndex((_, column) =>
    table.rows.every((row) => OPEN_CELL.test(row[column] ?? '') || DONE_CELL.test(row[column] ?? '')),
  );
}

function isOpen(cell: string, header: string): boolean {
  if (DONE_CELL.test(cell) || cell === '') return false;
  return OPEN_CELL.test(cell) || OPEN_WORD.test(cell) || (NO_CELL.test(cell) && STATUS.test(header));
}

/** "Export | needs the new schema" → "Export: needs the new schema". */
function textOf(cells: string[]): string {
  const told = cells.map(plainText).filter((cell) => /\p{L}/u.test(cell) && !/^#?\d+$/.test(cell));
  return told.slice(0, 3).join(': ').slice(0, 280);
}

export type Choice = { text: string; why: string | null; rejected: string | null };

const CHOICE_HEADER = /^(?:decisions?|choice|chosen|decided|picked|we (?:use|chose|take)|selected|solution|approach)$/i;
const TOPIC_HEADER = /^(?:topic|question|area|what|problem|issue|point|aspect|component|concern|)$/i;
const WHY_HEADER = /^(?:why|reasons?|rationale|because|justification|notes?|grund|motivo|por qué)$/i;
const REJECTED_HEADER = /^(?:rejected|alternatives?|instead of|not|over|considered|other options?|discarded)$/i;
const CHOSEN_CELL =
  /^(?:✅\s*)?(?:chosen|picked|selected|taken|winner|our choice|we use (?:it|this)|gewählt|elegido)\b/iu;
const REFUSED_CELL = /^(?:❌\s*)?(?:rejected|ruled out|discarded|not chosen|dropped|verworfen|descartado)\b/iu;

export function chosenRows(table: Table): Choice[] {
  const column = (pattern: RegExp) => table.header.findIndex((cell) => cell !== '' && pattern.test(bareText(cell)));
  const [chosen, why, rejected] = [column(CHOICE_HEADER), column(WHY_HEADER), column(REJECTED_HEADER)];
  if (chosen < 0 || (why < 0 && rejected < 0 && !/\bdecisions?\b/.test(table.section))) return verdictRows(table);
  const topic = table.header.findIndex((cell, at) => at !== chosen && TOPIC_HEADER.test(bareText(cell)));
  return table.rows.flatMap((row) => {
    const choice = plainText(row[chosen] ?? '');
    const about = topic < 0 ? '' : plainText(row[topic] ?? '');
    if (!/\p{L}/u.test(choice)) return [];
    return [{ text: about ? `${about}: ${choice}` : choice, why: cellOf(row, why), rejected: cellOf(row, rejected) }];
  });
}

/** A comparison whose rows end in "chosen" and "rejected". */
function verdictRows(table: Table): Choice[] {
  const isIn = (row: string[], pattern: RegExp) => row.some((cell, at) => at > 0 && pattern.test(cell));
  const chosen = table.rows.filter((row) => isIn(row, CHOSEN_CELL));
  const refused = table.rows.filter((row) => isIn(row, REFUSED_CELL)).map((row) => plainText(row[0] ?? ''));
  return chosen.map((row) => ({
    text: `${plainText(row[0] ?? '')}${refused.length > 0 ? ` rather than ${refused.join(', ')}` : ' chosen'}`,
    why:
      row
        .slice(1)
        .map(plainText)
        .filter((cell) => cell.length > 20)[0] ?? null,
    rejected: refused.length > 0 ? refused.join('; ') : null,
  }));
}

function cellOf(row: string[], column: number): string | null {
  const text = column < 0 ? '' : plainText(row[column] ?? '');
  return /\p{L}/u.test(text) ? text : null;
}
