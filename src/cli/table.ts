// A table that fits the width of the terminal: the one flexible column gives way.
import type { Style, Terminal } from './terminal.ts';

export type Column = {
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
