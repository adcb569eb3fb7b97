// Imports an export of ours: its lines are read in bounded memory and checked one by one. What cannot be read is told
// by its number, and stops nothing.
import { statSync } from 'node:fs';
import { readPieces } from '../capture/read-lines.ts';
import { AskError } from '../core/ask-error.ts';
import { isObject, parseJson } from '../core/plain-json.ts';
import {
  EXPORT_VERSION,
  type ExportCounts,
  ExportHeader,
  type ExportLine,
  LINE_KINDS,
  LINES,
  LONGEST_LINE,
  noLines,
} from '../core/shapes/export.ts';
import type { Log } from '../log.ts';
import { ImportTally, type Item, type LineImportDeps, takeLines } from './from-lines.ts';
import type { RunImport } from './import.ts';

export function runExportImport(deps: LineImportDeps & { log: Log }): RunImport {
  return async ({ path = '', asMine = false }, control) => {
    if (!statSync(path, { throwIfNoEntry: false })?.isFile())
      throw new AskError('unknown', `There is no file ${path}.`, 'Look at its name.');
    const tally = new ImportTally('lines');
    const source = { items: readItems(path, tally), total: statSync(path).size, unit: 'bytes' as const };
    await takeLines({ ...deps, asMine }, source, { tally, control });
    const { added, known, refused, bad } = tally;
    deps.log.info('imported an export', { added, known, refused, bad });
    return tally.describe();
  };
}

function* readItems(path: string, tally: ImportTally): Generator<Item> {
  for (const { number, end: done, text, reason } of readNumberedLines(path)) {
    const read: ReadLine = text === null ? { kind: 'bad', reason } : readExportLine(text);
    if (number === 1) tally.expected = requireHeader(path, read);
    else if (read.kind === 'line') yield { number, done, line: read.line };
    else if (read.kind === 'bad') yield { number, done, line: null, taken: read };
    // Another header in the middle is of two exports in one file.
    else if (read.kind === 'newer')
      yield { number, done, line: null, taken: { kind: 'bad', reason: `its format ${read.version} is not known` } };
  }
}

/** The counts that the file promises. */
function requireHeader(path: string, read: ReadLine): ExportCounts {
  if (read.kind === 'header') return read.counts;
  throw read.kind === 'newer'
    ? new AskError(
        'invalid',
        `${path} was written by a newer claude-mem (format ${read.version}, this one knows ${EXPORT_VERSION}).`,
        'Update claude-mem. Nothing was changed.',
      )
    : new AskError('invalid', `${path} is not an export of claude-mem: it does not begin with the header of one.`, 'Nothing was changed.');
}

type ReadLine =
  | { kind: 'header'; counts: ExportCounts }
  /** Of a later version: nobody here knows what its lines mean. */
  | { kind: 'newer'; version: number }
  | { kind: 'line'; line: ExportLine }
  | { kind: 'empty' }
  | { kind: 'bad'; reason: string };

function readExportLine(text: string): ReadLine {
  if (text.trim() === '') return { kind: 'empty' };
  const value = parseJson(text);
  if (!isObject(value)) return { kind: 'bad', reason: 'it is not a JSON object' };
  if ('claude-mem' in value) return readHeader(value);
  // 0.1.0 said `superseded`, and neither why nor since when.
  const isOld = 'kind' in value && value.kind === 'superseded';
  return checkLine(isOld ? { ...value, kind: 'replaced', isCertain: true } : value);
}

/** What is not said gets its default. */
export function checkLine(said: object): Extract<ReadLine, { kind: 'line' | 'bad' }> {
  const kind = LINE_KINDS.find((name) => 'kind' in said && name === said.kind);
  if (!kind) return { kind: 'bad', reason: `its kind is none of ${LINE_KINDS.join(', ')}` };
  const read = LINES[kind].safeParse(said);
  if (read.success) return { kind: 'line', line: read.data };
  const [issue] = read.error.issues;
  return { kind: 'bad', reason: `${issue?.path.join('.') || kind}: ${issue?.message ?? 'not valid'}` };
}

function readHeader(value: object): ReadLine {
  const read = ExportHeader.safeParse(value);
  if (!read.success) return { kind: 'bad', reason: 'it is not a header of an export' };
  const { version, counts } = read.data;
  if (version > EXPORT_VERSION) return { kind: 'newer', version };
  const replaced = (counts.replaced ?? 0) + (counts.superseded ?? 0);
  return { kind: 'header', counts: { ...noLines(), ...counts, replaced } };
}

type NumberedLine = {
  /** Null when it is too long or no text: then `reason` says so. */
  text: string | null;
  reason: string;
  /** From 1. */
  number: number;
  /** Where it ends in the file, with its newline. */
  end: number;
};

/** A last line without a newline is one, too. One that is too long is passed over: it would not be what was written. */
function* readNumberedLines(path: string): Generator<NumberedLine> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let parts: Buffer[] = [];
  let [number, length, last] = [0, 0, 0];
  const take = (end: number): NumberedLine => {
    const [whole, isTooLong] = [Buffer.concat(parts), length > LONGEST_LINE];
    [parts, length] = [[], 0];
    const line = { number: ++number, end, text: null, reason: 'it is longer than 4 MB' };
    if (isTooLong) return line;
    try {
      return { ...line, text: decoder.decode(whole) };
    } catch {
      // Whoever imports the file is told of it.
      return { ...line, reason: 'it is not UTF-8' };
    }
  };
  for (const { bytes, isEnd, end } of readPieces(path)) {
    length += bytes.length;
    if (length > LONGEST_LINE) parts = [];
    else parts.push(bytes);
    if (isEnd) yield take(end);
    last = end;
  }
  if (length > 0) yield take(last);
}
