// The figures as a table for people.
import type { Figure } from './benchmark.ts';

const HEADINGS = ['what', 'figure', 'ratio', 'goal', 'reached?'];

export function renderTable(figures: Figure[]): string {
  const rows = [HEADINGS, ...figures.map(cellsOf)];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const [head = '', ...body] = rows.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`);
  return [head, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...body].join('\n');
}

function cellsOf({ what, figure, ratio, goal }: Figure): string[] {
  const reached = goal?.isReached ? 'yes' : 'NO';
  return [what, figure, ratio ? `${formatRatio(ratio.value)} ${ratio.to}` : '', goal?.text ?? '', goal ? reached : '-'];
}

export const formatRatio = (value: number): string => `${value.toFixed(value < 2 ? 3 : 2)}x`;
