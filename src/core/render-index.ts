// An index of memories as text: a line for each, under its date and file. The same for search, timeline and context.
import { formatDate, formatTime } from './local-time.ts';
import { BY_OTHERS, type MemoryRow } from './memory.ts';
import { plainLine } from './plain-line.ts';

type Entry = { id: string | number; at: number; type: string; title: string | null };

/** `#ID time type title`. */
export const renderEntry = ({ id, at, type, title }: Entry) =>
  `#${id} ${formatTime(at)} ${type} ${plainLine(title?.trim() || 'untitled', 160)}`;

export type IndexOptions = {
  /** When the rows are of several projects. */
  withProject?: boolean;
};

/** For hits in order of relevance: what is of one date and file comes together, and the best comes first. */
export function renderGrouped(rows: MemoryRow[], options: IndexOptions = {}): string[] {
  const dates = Map.groupBy(rows, ({ at }) => formatDate(at));
  const gathered = [...dates.values()].flatMap((day) => [...Map.groupBy(day, ({ file }) => file).values()].flat());
  return renderInOrder(gathered, options);
}

/** For a timeline: in the order given. Rows of a file stand indented below its name, rows without one by themselves. */
export function renderInOrder(rows: MemoryRow[], options: IndexOptions = {}): string[] {
  let [date, file]: [string, string | null] = ['', null];
  return rows.flatMap((row) => {
    const day = formatDate(row.at);
    const isNewDay = day !== date;
    const isNewFile = row.file !== null && (isNewDay || row.file !== file);
    [date, file] = [day, row.file];
    return [
      ...(isNewDay ? [`### ${day}`] : []),
      ...(isNewFile ? [plainLine(row.file ?? '', 200)] : []),
      `${row.file === null ? '' : '  '}${renderRow(row, options)}`,
    ];
  });
}

function renderRow(row: MemoryRow, { withProject }: IndexOptions): string {
  const marks = [...(withProject ? [`in ${row.project}`] : []), ...listMarks(row)];
  return `${renderEntry(row)} (~${row.tokens})${marks.map((mark) => ` [${plainLine(mark, 80)}]`).join('')}`;
}

/** What a reader must know of a memory before trusting it. */
export function listMarks(row: MemoryRow): string[] {
  const { outcome, isFromOutside, isAgentNote, supersededBy } = row;
  return [
    ...(row.isPinned ? ['pinned'] : []),
    ...(row.isWrong ? ['marked wrong'] : []),
    ...(supersededBy ? [`superseded by #${supersededBy}`] : []),
    ...(outcome === 'ruled-out' ? ['ruled-out'] : []),
    ...(isFromOutside ? ['words from outside'] : []),
    ...(row.isQuarantined ? ['reads like instructions'] : []),
    ...(row.isDistrusted ? ['distrusted'] : []),
    ...(isAgentNote ? ['noted by an agent'] : []),
    ...(row.isByOthers ? [BY_OTHERS] : []),
  ];
}
