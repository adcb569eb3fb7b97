// Reads the tables of a Markdown message: header and rows, with the heading above.
import { capText } from './clip.ts';
import { plainText } from './plain.ts';

export type Table = { header: string[]; rows: string[][]; section: string };

const TABLES_READ = 20;
const ROWS_READ = 60;

export function readTables(markdown: string): Table[] {
  const tables: Table[] = [];
  let section = '';
  let open: Table | null = null;
  for (const raw of capText(markdown).split('\n')) {
    const line = raw.trim().slice(0, 2000);
    if (!line.startsWith('|')) {
      open = null;
      section = sectionOf(line) ?? section;
      continue;
    }
    const cells = cellsOf(line);
    if (!open) {
      open = { header: cells, rows: [], section };
      tables.push(open);
    } else if (!isRule(line) && open.rows.length < ROWS_READ) open.rows.push(cells);
  }
  return tables.filter((table) => table.rows.length > 0).slice(0, TABLES_READ);
}

function sectionOf(line: string): string | null {
  const found = /^#{1,6}\s+(.{1,120})$/.exec(line)?.[1] ?? /^\*\*([^*]{1,120})\*\*:?$/.exec(line)?.[1];
  if (found) return plainText(found).toLowerCase();
  return line.endsWith(':') && line.length < 120 ? plainText(line.slice(0, -1)).toLowerCase() : null;
}

const isRule = (line: string): boolean => /^\|[\s|:-]*$/.test(line) && line.includes('-');

/** Emoji stay: in a table they are often the whole status. */
function cellsOf(line: string): string[] {
  return line
    .replace(/^\|/, '')
    .replace(/\|$/, '')
    .split('|')
    .slice(0, 12)
    .map((cell) => cell.replaceAll('**', '').trim());
}
