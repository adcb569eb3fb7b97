// What is printed: a table that fits the terminal, lines for a pipe, quoted data for an agent.

import { plainLine } from '../core/plain-line.ts';
import { listMarks } from '../core/render.ts';
import type { MemoryRow, RollUp } from '../core/shapes/memory.ts';
import { formatMoment } from '../core/time.ts';
import { findAgent, wantsColour } from '../environment.ts';
import { sayMemories } from '../mcp/say.ts';

type Column = {
  heading: string;
  isNumber?: boolean;
  /** Takes what the others leave, and is clipped. One column has this. */
  isFlexible?: boolean;
  style?: Style;
};

const GAP = 2;
const LEAST_FLEXIBLE = 16;

export function renderTable(columns: Column[], rows: string[][], { width, paint }: Terminal): string {
  const widths = chooseWidths(columns, rows, width);
  const line = (cells: string[], styleOf: (column: Column) => Style | undefined) =>
    columns
      .map((column, at) => {
        const text = fit(cells[at] ?? '', widths[at] ?? 0, column.isNumber === true);
        const style = styleOf(column);
        return style ? paint(style, text) : text;
      })
      .join(' '.repeat(GAP))
      .trimEnd();
  const head = columns.map(({ heading }) => heading);
  return [line(head, () => 'dim'), ...rows.map((cells) => line(cells, ({ style }) => style))].join('\n');
}

function chooseWidths(columns: Column[], rows: string[][], width: number): number[] {
  const widest = columns.map(({ heading }, at) =>
    Math.max(Bun.stringWidth(heading), ...rows.map((cells) => Bun.stringWidth(cells[at] ?? ''))),
  );
  const others = widest.filter((_, at) => !columns[at]?.isFlexible).reduce((sum, one) => sum + one + GAP, 0);
  const room = Math.max(LEAST_FLEXIBLE, width - others);
  return widest.map((one, at) => (columns[at]?.isFlexible ? Math.min(one, room) : one));
}

function fit(text: string, width: number, isRight: boolean): string {
  const clipped = clip(text, width);
  const space = ' '.repeat(Math.max(0, width - Bun.stringWidth(clipped)));
  return isRight ? space + clipped : clipped + space;
}

/** By what a terminal draws: a Chinese character is two columns wide. */
export function clip(text: string, width: number): string {
  if (Bun.stringWidth(text) <= width) return text;
  let [kept, used] = ['', 0];
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += Bun.stringWidth(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Rows for whoever looks: a table that fits a terminal; into a pipe lines with tabs, the first of them the names of the columns. */
export type CellOf<Row> = Column & { cell: (row: Row) => string };

/** Nobody reads a longer cell. */
const LONGEST = { terminal: 400, pipe: 4096 };

export function printTable<Row>(columns: CellOf<Row>[], rows: Row[]): void {
  const terminal = findTerminal();
  console.log(terminal.isTerminal ? drawTable(columns, rows, terminal) : listLines(columns, rows));
}

function listLines<Row>(columns: CellOf<Row>[], rows: Row[]): string {
  const head = columns.map(({ heading }) => heading);
  return [head, ...cellsOf(columns, rows, LONGEST.pipe)].map((cells) => cells.join('\t')).join('\n');
}

export const drawTable = <Row>(columns: CellOf<Row>[], rows: Row[], terminal: Terminal): string =>
  renderTable(columns, cellsOf(columns, rows, LONGEST.terminal), terminal);

const cellsOf = <Row>(columns: CellOf<Row>[], rows: Row[], max: number) =>
  rows.map((row) => columns.map(({ cell }) => plainLine(cell(row), max)));

/** What the reader sees with: a terminal of some width and colour, a pipe, or an agent that ran the command. */
export type Terminal = {
  /** False when the output goes to a file or a program: plain lines then. */
  isTerminal: boolean;
  width: number;
  paint: (style: Style, text: string) => string;
  /** Prints memories; to an agent as quoted data, which the hook does not capture again. */
  print: (text: string) => void;
};

type Style = keyof typeof CODES;

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

export function findTerminal(): Terminal {
  const isTerminal = process.stdout.isTTY === true;
  const hasColour = isTerminal && wantsColour();
  return {
    isTerminal,
    width: process.stdout.columns || 80,
    paint: (style, text) => (hasColour && text !== '' ? `\x1b[${CODES[style]}m${text}\x1b[0m` : text),
    print: (text) => console.log(!isTerminal && findAgent() !== null ? sayMemories(text.split('\n')) : text),
  };
}

/** Memories for a person: a table in a terminal, the lines that a model would get in a pipe. */
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
    { heading: 'when', style: 'dim', cell: ({ at }) => formatMoment(at) },
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

/** What came of a session, or of a time, as lines: done, decided, left open. */
export function describeRollUp({ done, decided, open }: RollUp, { isTerminal, width, paint }: Terminal): string[] {
  const item = (id: string, text: string) => {
    const whole = `  #${id} ${plainLine(text, 400)}`;
    return isTerminal ? clip(whole, width) : whole;
  };
  const section = (name: string, lines: string[]) => (lines.length > 0 ? [paint('cyan', name), ...lines] : []);
  return [
    ...section(
      'Done',
      done.map(({ id, title }) => item(id, title)),
    ),
    ...section(
      'Decided',
      decided.map(({ id, title }) => item(id, title)),
    ),
    ...section(
      'Left open',
      open.map(({ id, text }) => item(id, text)),
    ),
  ];
}

export const printJson = (answer: unknown) => console.log(JSON.stringify(answer, null, 2));
