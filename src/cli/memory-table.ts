// Memories for a person: a table in a terminal, the lines that a model would get in a pipe.
import { formatDate, formatTime } from '../core/local-time.ts';
import type { MemoryRow } from '../core/memory.ts';
import { plainLine } from '../core/plain-line.ts';
import { listMarks } from '../core/render-index.ts';
import { type Column, renderTable } from './table.ts';
import type { Terminal } from './terminal.ts';

const WIDE = 110;
const FILE_WIDTH = 32;

/** In the order given; the one that the others are around is marked. Wide terminals show the file too. */
export function renderMemoryTable(
  rows: MemoryRow[],
  terminal: Terminal,
  options: { withProject?: boolean; anchor?: string | null },
): string {
  const isWide = terminal.width >= WIDE;
  const columns: (Column & { cell: (row: MemoryRow) => string })[] = [
    { heading: 'id', isNumber: true, style: 'bold', cell: ({ id }) => (id === options.anchor ? `> ${id}` : id) },
    { heading: 'when', style: 'dim', cell: ({ at }) => `${formatDate(at)} ${formatTime(at)}` },
    { heading: 'type', style: 'cyan', cell: ({ type }) => type },
    ...(options.withProject ? [{ heading: 'project', cell: ({ project }: MemoryRow) => plainLine(project, 24) }] : []),
    { heading: 'title', isFlexible: true, cell: describeTitle },
    ...(isWide ? [{ heading: 'file', style: 'dim' as const, cell: describeFile }] : []),
    { heading: 'tokens', isNumber: true, style: 'dim', cell: ({ tokens }) => String(tokens) },
  ];
  return renderTable(
    columns,
    rows.map((row) => columns.map(({ cell }) => cell(row))),
    terminal,
  );
}

function describeTitle(row: MemoryRow): string {
  const marks = listMarks(row).map((mark) => `[${plainLine(mark, 60)}] `);
  return `${marks.join('')}${plainLine(row.title || 'untitled', 300)}`;
}

/** Its end tells more than its beginning. */
function describeFile({ file }: MemoryRow): string {
  const path = plainLine(file ?? '', 400);
  return path.length <= FILE_WIDTH ? path : `…${path.slice(1 - FILE_WIDTH).toWellFormed()}`;
}
