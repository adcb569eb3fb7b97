// What is printed: a table that fits the terminal, lines for a pipe, quoted data for an agent.
import { plainLine } from '../core/plain-line.ts';
import { listMarks } from '../core/render.ts';
import type { MemoryRow, RollUp } from '../core/shapes/memory.ts';
import { formatMoment } from '../core/time.ts';
import { findAgent, wantsColour } from '../environment.ts';
import { sayMemories } from '../mcp/say.ts';

export type Column<Row> = {
  heading: string;
  cell: (row: Row) => string;
  isNumber?: boolean;
  /** Takes what the others leave, and is clipped. One column has this. */
  isFlexible?: boolean;
  style?: Style;
};

const GAP = '  ';
const LEAST_FLEXIBLE = 16;
/** Nobody reads a longer cell. */
const LONGEST = { terminal: 400, pipe: 4096 };

/** Rows for whoever looks: a table that fits a terminal; into a pipe lines with tabs, the first of them the names of the columns. */
export function renderTable<Row>(columns: Column<Row>[], rows: Row[], terminal = findTerminal()): string {
  const head = columns.map(({ heading }) => heading);
  const longest = terminal.isTerminal ? LONGEST.terminal : LONGEST.pipe;
  const cells = rows.map((row) => columns.map(({ cell }) => plainLine(cell(row), longest)));
  if (!terminal.isTerminal) return [head, ...cells].map((line) => line.join('\t')).join('\n');
  const widths = chooseWidths(columns, [head, ...cells], terminal.width);
  const draw = (line: string[], isHead: boolean) =>
    columns
      .map(({ isNumber, style }, at) => paintCell(terminal, isHead ? 'dim' : style, fit(line[at] ?? '', widths[at] ?? 0, isNumber)))
      .join(GAP)
      .trimEnd();
  return [draw(head, true), ...cells.map((line) => draw(line, false))].join('\n');
}

const paintCell = ({ paint }: Terminal, style: Style | undefined, text: string) => (style ? paint(style, text) : text);

function chooseWidths<Row>(columns: Column<Row>[], lines: string[][], width: number): number[] {
  const widest = columns.map((_, at) => Math.max(...lines.map((line) => Bun.stringWidth(line[at] ?? ''))));
  const others = widest.filter((_, at) => !columns[at]?.isFlexible).reduce((sum, one) => sum + one + GAP.length, 0);
  const room = Math.max(LEAST_FLEXIBLE, width - others);
  return widest.map((one, at) => (columns[at]?.isFlexible ? Math.min(one, room) : one));
}

function fit(text: string, width: number, isRight = false): string {
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

/** What the reader sees with: a terminal of some width and colour, a pipe, or an agent that ran the command. */
type Terminal = {
  /** False when the output goes to a file or a program: plain lines then. */
  isTerminal: boolean;
  width: number;
  paint: (style: Style, text: string) => string;
};

type Style = keyof typeof CODES;

const CODES = { bold: 1, dim: 2, cyan: 36 } as const;

export function findTerminal(): Terminal {
  const isTerminal = process.stdout.isTTY === true;
  const hasColour = isTerminal && wantsColour();
  return {
    isTerminal,
    width: process.stdout.columns || 80,
    paint: (style, text) => (hasColour && text !== '' ? `\x1b[${CODES[style]}m${text}\x1b[0m` : text),
  };
}

/** To an agent as quoted data, which the hook does not capture again. */
export const printMemories = (text: string) =>
  console.log(process.stdout.isTTY !== true && findAgent() !== null ? sayMemories(text.split('\n')) : text);

const WIDE = 110;
const FILE_WIDTH = 32;

type Shown = { withProject?: boolean; anchor?: string | null };

/** A table for a person, in a pipe the lines that a model would get. Wide terminals show the file too; `anchor` is marked. */
export function renderMemories<Row extends MemoryRow>(
  rows: Row[],
  shown: Shown,
  renderLines: (rows: Row[], shown: { withProject?: boolean }) => string[],
): string {
  const { withProject = false, anchor = null } = shown;
  const terminal = findTerminal();
  if (!terminal.isTerminal) return renderLines(rows, { withProject }).join('\n');
  const columns: Column<Row>[] = [
    { heading: 'id', isNumber: true, style: 'bold', cell: ({ id }) => (id === anchor ? `> ${id}` : id) },
    { heading: 'when', style: 'dim', cell: ({ at }) => formatMoment(at) },
    { heading: 'type', style: 'cyan', cell: ({ type }) => type },
    ...(withProject ? [{ heading: 'project', cell: ({ project }: Row) => plainLine(project, 24) }] : []),
    { heading: 'title', isFlexible: true, cell: describeTitle },
    ...(terminal.width >= WIDE ? [{ heading: 'file', style: 'dim' as const, cell: describeFile }] : []),
    { heading: 'tokens', isNumber: true, style: 'dim', cell: ({ tokens }) => String(tokens) },
  ];
  return renderTable(columns, rows, terminal);
}

const describeTitle = (row: MemoryRow) => [...listMarks(row).map((mark) => `[${mark}]`), row.title || 'untitled'].join(' ');

/** Its end tells more than its beginning. */
function describeFile({ file }: MemoryRow): string {
  const path = file ?? '';
  return path.length <= FILE_WIDTH ? path : `…${path.slice(1 - FILE_WIDTH).toWellFormed()}`;
}

/** What came of a session, or of a time, as lines: done, decided, left open. */
export function describeRollUp({ done, decided, open }: RollUp, { isTerminal, width, paint }: Terminal): string[] {
  const sections: [string, { id: string; text: string }[]][] = [
    ['Done', done.map(({ id, title }) => ({ id, text: title }))],
    ['Decided', decided.map(({ id, title }) => ({ id, text: title }))],
    ['Left open', open],
  ];
  return sections.flatMap(([name, items]) => {
    const lines = items.map(({ id, text }) => `  #${id} ${plainLine(text, LONGEST.terminal)}`);
    return items.length === 0 ? [] : [paint('cyan', name), ...lines.map((line) => (isTerminal ? clip(line, width) : line))];
  });
}
