// What is printed: rows that fit the terminal, tab-separated values for a pipe, quoted data for an agent.

import { stemmer } from 'stemmer';
import { plainLine, sayMemories } from '../core/plain-line.ts';
import { listMarks } from '../core/render.ts';
import type { MemoryRow, RollUp } from '../core/shapes/memory.ts';
import { formatAge } from '../core/time.ts';
import { findAgent, findPager, pagerEnvironment, wantsColour } from '../environment.ts';
import { isPerson } from './ask.ts';
import type { Outcome } from './command.ts';
import { wrapText } from './describe-error.ts';

export type Column<Row> = {
  heading: string;
  cell: (row: Row) => string;
  isNumber?: boolean;
  /** Takes what the others leave, and is clipped. One column has this. */
  isFlexible?: boolean;
  style?: Style;
  /** Of a pipe alone: a terminal has no room for it. */
  isForPipe?: boolean;
};

export const whenColumn = <Row>(heading: string, at: (row: Row) => number | null, now = Date.now()): Column<Row> => ({
  heading,
  style: 'dim',
  cell: (row) => {
    const moment = at(row);
    if (moment === null) return '';
    return findTerminal().isTerminal ? formatAge(moment, now) : new Date(moment).toISOString();
  },
});

const GAP = '  ';
const LEAST_FLEXIBLE = 16;
/** Nobody reads a longer cell. */
const LONGEST = { terminal: 400, pipe: 4096 };

/** Rows for whoever looks: a table that fits a terminal; into a pipe lines with tabs, the first of them the names of the columns. */
export function renderTable<Row>(columns: Column<Row>[], rows: Row[], terminal = findTerminal()): string {
  const shown = columns.filter(({ isForPipe }) => !isForPipe || !terminal.isTerminal);
  const head = shown.map(({ heading }) => heading);
  const longest = terminal.isTerminal ? LONGEST.terminal : LONGEST.pipe;
  const cells = rows.map((row) => shown.map(({ cell }) => plainLine(cell(row), longest)));
  if (!terminal.isTerminal) return [head, ...cells].map((line) => line.join('\t')).join('\n');
  const widths = chooseWidths(shown, [head, ...cells], terminal.width);
  const draw = (line: string[], isHead: boolean) =>
    shown
      .map(({ isNumber, style }, at) => paintCell(terminal, isHead ? 'dim' : style, fit(line[at] ?? '', widths[at] ?? 0, isNumber)))
      .join(GAP)
      .trimEnd();
  return [draw(head, true), ...cells.map((line) => draw(line, false))].join('\n');
}

export type Fact = [name: string, value: string];

/** Facts with their names: aligned and wrapped for whoever reads, name and value with a tab between them for a program. */
export function renderFacts(facts: Fact[], terminal = findTerminal()): string {
  if (isForProgram())
    return [['name', 'value'], ...facts].map(([name, value]) => `${name}\t${plainLine(value ?? '', LONGEST.pipe)}`).join('\n');
  const indent = Math.max(...facts.map(([name]) => name.length)) + GAP.length;
  // A word that is longer than the line stays whole, so that it can be copied.
  const wrap = (value: string) => (terminal.isTerminal ? Bun.wrapAnsi(value, Math.max(LEAST_FLEXIBLE, terminal.width - indent)) : value);
  return facts.map(([name, value]) => `${name.padEnd(indent)}${wrap(value).replaceAll('\n', `\n${' '.repeat(indent)}`)}`).join('\n');
}

type Listing = { answer: unknown; none: string; notes?: string[] };

/** A list of rows; `none` is said where there are none, and is no row. */
export const listed = <Row>(columns: Column<Row>[], rows: Row[], { none, ...rest }: Listing): Outcome =>
  rows.length === 0
    ? { ...rest, text: () => '', notes: [none, ...(rest.notes ?? [])] }
    : { ...rest, text: () => renderTable(columns, rows) };

const paintCell = ({ paint }: Terminal, style: Style | undefined, text: string) => (style ? paint(style, text) : text);

function chooseWidths<Row>(columns: Column<Row>[], lines: string[][], width: number): number[] {
  const widest = columns.map((_, at) => Math.max(...lines.map((line) => Bun.stringWidth(line[at] ?? ''))));
  const others = widest.filter((_, at) => !columns[at]?.isFlexible).reduce((sum, one) => sum + one + GAP.length, 0);
  const room = Math.max(LEAST_FLEXIBLE, width - others);
  return widest.map((one, at) => (columns[at]?.isFlexible ? Math.min(one, room) : one));
}

export function fit(text: string, width: number, isRight = false): string {
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
  isTerminal: boolean;
  width: number;
  height: number;
  paint: (style: Style, text: string) => string;
};

type Style = keyof typeof CODES;

const CODES = { bold: '1', dim: '2', cyan: '36', match: '1;33', invert: '7' } as const;

export function findTerminal(output: { isTTY?: boolean; columns?: number; rows?: number } = process.stdout): Terminal {
  const isTerminal = output.isTTY === true;
  const hasColour = wantsColour(isTerminal);
  return {
    isTerminal,
    width: output.columns || 80,
    height: output.rows || 24,
    paint: (style, text) => (hasColour && text !== '' ? `\x1b[${CODES[style]}m${text}\x1b[0m` : text),
  };
}

export async function printOutcome(outcome: NonNullable<Outcome>, isJson: boolean): Promise<void> {
  if (isJson) return console.log(JSON.stringify(typeof outcome === 'string' ? { message: outcome } : outcome.answer, null, 2));
  if (typeof outcome === 'string') return console.log(wrapText(outcome));
  const { notes = [] } = outcome;
  if ('text' in outcome) await page(outcome.text());
  // To an agent as quoted data, which the hook does not capture again; all of it, because it reads both outputs as one.
  else if (isAgent()) return console.log(sayMemories([...outcome.memories().split('\n'), ...notes]));
  else await page(outcome.memories());
  // Not console.error: Bun paints that red at a terminal.
  if (notes.length > 0) process.stderr.write(`${wrapText(notes.join('\n'), process.stderr)}\n`);
}

/** What a long command does as it does it: with --json on stderr, so that stdout has the answer alone. */
export const sayStep = (isJson: boolean) => (line: string) => {
  if (isJson) process.stderr.write(`${line}\n`);
  else console.log(wrapText(line));
};

export type Say = ReturnType<typeof sayStep>;

/** Neither a person nor an agent reads it: rows alone. */
export const isForProgram = () => !findTerminal().isTerminal && findAgent() === null;

const isAgent = () => !findTerminal().isTerminal && findAgent() !== null;

async function page(whole: string): Promise<void> {
  if (whole === '') return;
  const { width, height } = findTerminal();
  const text = wrapText(whole);
  const lines = text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(Bun.stringWidth(line) / width)), 0);
  const pager = process.stdout.isTTY === true && lines >= height && isPerson() ? findPager() : null;
  if (pager === null || !(await runPager(pager, text))) console.log(text);
}

async function runPager(pager: string, text: string): Promise<boolean> {
  // It is the pager that Ctrl-C is meant for.
  const ignore = () => undefined;
  process.on('SIGINT', ignore);
  const child = Bun.spawn(['/bin/sh', '-c', pager], {
    env: pagerEnvironment(),
    stdin: Buffer.from(`${text}\n`),
    stdout: 'inherit',
    stderr: 'inherit',
  });
  const code = await child.exited;
  process.off('SIGINT', ignore);
  return code !== 126 && code !== 127;
}

type Shown = {
  withProject?: boolean;
  anchor?: string | null;
  /** Rows of search stand in two lines, with the words that were asked for. */
  query?: string;
};

/** Rows for a terminal, tab-separated values for a pipe, to an agent the lines that a model would get. `anchor` is marked. */
export function renderMemories<Row extends MemoryRow & { snippet?: string | undefined }>(
  rows: Row[],
  shown: Shown,
  renderLines: (rows: Row[], shown: { withProject?: boolean }) => string[],
): string {
  const { withProject = false, anchor = null, query } = shown;
  const terminal = findTerminal();
  if (isAgent()) return renderLines(rows, { withProject }).join('\n');
  if (terminal.isTerminal && query !== undefined) return renderHits(rows, { withProject, query }, terminal);
  const columns: Column<Row>[] = [
    { heading: 'id', isNumber: true, style: 'bold', cell: ({ id }) => (id === anchor && terminal.isTerminal ? `> ${id}` : id) },
    whenColumn('when', ({ at }) => at),
    { heading: 'type', style: 'cyan', cell: ({ type }) => type },
    { heading: 'project', cell: ({ project }) => plainLine(project, 24), isForPipe: !withProject },
    { heading: 'title', isFlexible: true, cell: terminal.isTerminal ? describeTitle : ({ title }) => title || 'untitled' },
    { heading: 'marks', cell: (row) => listMarks(row).join('; '), isForPipe: true },
    { heading: 'file', style: 'dim', cell: ({ file }) => file ?? '', isForPipe: true },
    { heading: 'tokens', isNumber: true, style: 'dim', cell: ({ tokens }) => String(tokens) },
    { heading: 'snippet', cell: ({ snippet }) => snippet ?? '', isForPipe: true },
  ];
  return renderTable(columns, rows, terminal);
}

const describeTitle = (row: MemoryRow) => [...listMarks(row).map((mark) => `[${mark}]`), row.title || 'untitled'].join(' ');

/** `  12  The slug replaces every space now            bugfix  3 days ago`, below it the words that answer, or the file. */
function renderHits<Row extends MemoryRow & { snippet?: string | undefined }>(
  rows: Row[],
  { withProject, query }: { withProject: boolean; query: string },
  terminal: Terminal,
): string {
  const now = Date.now();
  const highlight = createHighlighter(query, (text) => terminal.paint('match', text));
  const idWidth = Math.max(...rows.map(({ id }) => id.length));
  return rows
    .map((row) => {
      const kept = { ...row, title: plainLine(describeTitle(row), LONGEST.terminal) };
      return [drawHit(kept, { idWidth, now, withProject }, terminal, highlight), drawBelow(row, idWidth, terminal, highlight)].join('\n');
    })
    .join('\n');
}

type Drawn = { idWidth: number; now: number; withProject: boolean };

export function drawHit(row: MemoryRow, { idWidth, now, withProject }: Drawn, terminal: Terminal, highlight: Highlight): string {
  const { width, paint } = terminal;
  const [type, age] = [plainLine(row.type, 16), formatAge(row.at, now)];
  const place = withProject ? `${plainLine(row.project, 24)}${GAP}` : '';
  const room = Math.max(LEAST_FLEXIBLE, width - idWidth - 2 * GAP.length - place.length - type.length - age.length - GAP.length);
  const title = fit(row.title || 'untitled', room);
  return [paint('bold', row.id.padStart(idWidth)), highlight(title), `${place}${paint('cyan', type)}`, paint('dim', age)].join(GAP);
}

function drawBelow(row: MemoryRow & { snippet?: string | undefined }, idWidth: number, { width, paint }: Terminal, highlight: Highlight) {
  const said = row.snippet ?? row.file ?? `${row.tokens} tokens`;
  const text = clip(plainLine(said, LONGEST.terminal), width - idWidth - GAP.length);
  return `${' '.repeat(idWidth)}${GAP}${row.snippet ? highlight(text, (rest) => paint('dim', rest)) : paint('dim', text)}`;
}

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

/** `paint` marks a match; `rest` draws what lies between. */
export type Highlight = (text: string, rest?: (text: string) => string) => string;

const WORD = /[\p{L}\p{N}_]+/gu;
/** These scripts put no space between words: what was asked for is found inside. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** In any form of a word: who asks for `dates` sees `date`. */
export function createHighlighter(query: string, paint: (text: string) => string): Highlight {
  const asked = query.match(WORD) ?? [];
  const stems = new Set(asked.filter((word) => !UNSPACED.test(word)).map(stemOf));
  const parts = asked.filter((word) => UNSPACED.test(word));
  const within = parts.length > 0 ? new RegExp(parts.map((part) => `(${RegExp.escape(part)})`).join('|'), 'giu') : null;
  return (text, rest = (between) => between) => {
    let [drawn, at] = ['', 0];
    const mark = (found: string, index: number) => {
      drawn += rest(text.slice(at, index)) + paint(found);
      at = index + found.length;
    };
    for (const { 0: word, index } of text.matchAll(WORD)) {
      if (stems.has(stemOf(word))) mark(word, index);
      else for (const part of within ? word.matchAll(within) : []) mark(part[0], index + part.index);
    }
    return drawn + rest(text.slice(at));
  };
}

const stemOf = (word: string) => stemmer(word.toLowerCase());
