// An index of memories as text: a line for each, under its date and file. The same for search, timeline and context.
import { formatDate, formatDay, formatTime } from './local-time.ts';
import { BY_OTHERS, type MemoryRow, type ReplacedBy } from './memory.ts';
import { plainLine } from './plain-line.ts';

type Entry = { id: string | number; at: number; type: string; title: string | null };

/** `#ID time type title`. */
export const renderEntry = ({ id, at, type, title }: Entry) =>
  `#${id} ${formatTime(at)} ${type} ${renderTitle(title, 160)}`;

const renderTitle = (title: string | null, most: number) => plainLine(title?.trim() || 'untitled', most);

export type IndexOptions = {
  /** When the rows are of several projects. */
  withProject?: boolean;
};

/** The words below it tell more than a long title. */
const RANKED_TITLE = 90;

/** For hits in order of relevance: the best comes first, each with its day; a P id alone says that it is a prompt. */
export function renderRanked(rows: Row[], options: IndexOptions = {}): string[] {
  return rows.map((row) => {
    const { id, at, type, title } = row;
    const kind = type === 'prompt' ? '' : `${type} `;
    return renderRow(row, `#${id} ${formatDate(at)} ${kind}${renderTitle(title, RANKED_TITLE)}`, options);
  });
}

/** For a timeline: in the order given. Rows of a file stand indented below its name, rows without one by themselves. */
export function renderInOrder(rows: Row[], options: IndexOptions = {}): string[] {
  let [date, file]: [string, string | null] = ['', null];
  return rows.flatMap((row) => {
    const day = formatDate(row.at);
    const isNewDay = day !== date;
    const isNewFile = row.file !== null && (isNewDay || row.file !== file);
    [date, file] = [day, row.file];
    return [
      ...(isNewDay ? [`### ${day}`] : []),
      ...(isNewFile ? [plainLine(row.file ?? '', 200)] : []),
      `${row.file === null ? '' : '  '}${renderRow(row, renderEntry(row), options)}`,
    ];
  });
}

/** A row of search may come with the words that answer. */
type Row = MemoryRow & { snippet?: string };

function renderRow(row: Row, entry: string, { withProject }: IndexOptions): string {
  const marks = [...(withProject ? [`in ${row.project}`] : []), ...listMarks(row)];
  const snippet = row.snippet ? `\n    ${plainLine(row.snippet, 420)}` : '';
  return `${entry} (~${row.tokens})${marks.map((mark) => ` [${plainLine(mark, 80)}]`).join('')}${snippet}`;
}

/** What a reader must know of a memory before trusting it. */
export function listMarks(row: MemoryRow): string[] {
  const { outcome, isFromOutside, isAgentNote, replacedBy } = row;
  return [
    ...(row.isPinned ? ['pinned'] : []),
    ...(row.isWrong ? ['marked wrong'] : []),
    ...(replacedBy ? [describeReplaced(replacedBy)] : []),
    ...(outcome === 'ruled-out' ? ['ruled-out'] : []),
    ...(isFromOutside ? ['words from outside'] : []),
    ...(row.isQuarantined ? ['reads like instructions'] : []),
    ...(row.isDistrusted ? ['distrusted'] : []),
    ...(isAgentNote ? ['noted by an agent'] : []),
    ...(row.isByOthers ? [BY_OTHERS] : []),
  ];
}

/** `may be replaced by #123`; of what failed or was reverted also when, and in which session. */
export function describeReplaced({ id, isCertain, why, at, session }: ReplacedBy): string {
  const by = `${isCertain ? 'replaced' : 'may be replaced'} by #${id}`;
  const came = CHANGED[why];
  return came ? `${by}: ${came} on ${formatDay(at)}${session ? ` in session ${session.slice(0, 8)}` : ''}` : by;
}

const CHANGED: Partial<Record<ReplacedBy['why'], string>> = { 'failed again': 'came back', reverted: 'reverted' };
