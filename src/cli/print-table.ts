// Rows for whoever looks: a table that fits a terminal; into a pipe lines with tabs, the first of them the names of the columns.
import { plainLine } from '../core/plain-line.ts';
import { type Column, renderTable } from './table.ts';
import { findTerminal, type Terminal } from './terminal.ts';

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
