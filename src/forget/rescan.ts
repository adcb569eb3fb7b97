// Scans what is stored once more for secrets after the rules have changed: a slice at a time, each in one transaction with how far it came.
import type { Database } from 'bun:sqlite';
import { hashParts } from '../core/ids.ts';
import type { SummaryWords } from '../core/observation.ts';
import { parseJson } from '../core/plain-json.ts';
import { type StoredContent, writeContent } from '../memory/observations.ts';
import { rewriteSummary } from '../memory/summaries.ts';
import { scrubSecrets, scrubValue } from '../secrets/scrub.ts';
import { addDocument } from '../store/documents.ts';
import { markCopies } from '../store/erasing.ts';
import { readAll, readColumn, readValue } from '../store/read.ts';

type Slice = { isDone: boolean; rows: number; found: string[] };

type Texts = Record<string, string | null>;
type Table = {
  name: string;
  key: string;
  columns: string[];
  /** How a row of it is changed; by default its columns are. The index follows by triggers and addDocument. */
  write?: (db: Database, id: number, texts: Texts) => void;
};

const OBSERVATION = ['type', 'title', 'subtitle', 'narrative', 'facts', 'concepts', 'files_read', 'files_modified', 'outcome'];
const SUMMARY = ['request', 'investigated', 'learned', 'completed', 'next_steps', 'files_read', 'files_edited', 'notes'];
const TABLES: readonly Table[] = [
  { name: 'observations', key: 'id', columns: [...OBSERVATION, 'keywords', 'branch'], write: writeObservation },
  { name: 'summaries', key: 'id', columns: SUMMARY, write: writeSummary },
  { name: 'prompts', key: 'id', columns: ['text'], write: writePrompt },
  { name: 'turns', key: 'id', columns: ['record', 'branch'], write: writeRecord },
  { name: 'sessions', key: 'id', columns: ['title', 'subtitle', 'first_prompt', 'branch', 'end_reason'] },
  { name: 'events', key: 'seq', columns: ['payload', 'error'] },
  { name: 'injections', key: 'id', columns: ['text', 'reason', 'source'] },
  { name: 'tellings', key: 'id', columns: ['about', 'source'] },
  { name: 'open_steps', key: 'id', columns: ['text'] },
  { name: 'replacements', key: 'id', columns: ['words'] },
  { name: 'model_calls', key: 'id', columns: ['answer', 'error'] },
  { name: 'batches', key: 'id', columns: ['reason'] },
  { name: 'jobs', key: 'id', columns: ['parameters', 'progress', 'result', 'error'] },
  { name: 'bad_inputs', key: 'rowid', columns: ['head'] },
];
/** Few rows, without a number; and the files of a memory, which are looked at with it. */
const UNNUMBERED: readonly Pick<Table, 'name' | 'columns'>[] = [
  { name: 'model_pauses', columns: ['message'] },
  { name: 'citations', columns: ['path'] },
];
const ROWS = 16;

/** Every column that is looked at, by its table. */
const RESCANNED: ReadonlyMap<string, string[]> = new Map([...TABLES, ...UNNUMBERED].map(({ name, columns }) => [name, columns]));

/**
 * The marks stand beside those of ids: `rescan` is the rules that the store was scanned with, `rescan:TABLE` the last
 * row of a scan under way.
 */
export function beginRescan(db: Database, rules: number): 'new' | 'left' | null {
  return db
    .transaction(() => {
      if (readMark(db, 'rescan') === rules) return readMark(db, 'rescan:open') === null ? null : 'left';
      db.query("DELETE FROM id_marks WHERE name LIKE 'rescan:%'").run();
      setMark(db, 'rescan', rules);
      setMark(db, 'rescan:open', 1);
      markCopies(db, 'unscanned');
      return 'new';
    })
    .immediate();
}

export const isRescanning = (db: Database) => readMark(db, 'rescan:open') !== null;

export function holdsSecret(db: Database): boolean {
  return [...RESCANNED].some(([name, columns]) => {
    const there = readColumn(db, 'SELECT name FROM pragma_table_info(?)', name);
    const known = columns.filter((column) => there.includes(column));
    if (known.length === 0) return false;
    for (const texts of db.query<Texts, []>(`SELECT ${known.join(', ')} FROM ${name}`).iterate())
      if (scrubRow(texts, []) !== null) return true;
    return false;
  });
}

/** Works for about so long. When the worker dies in between, the next one goes on from the last slice. */
export function rescanSlice(db: Database, budgetMs: number): Slice {
  return db
    .transaction((): Slice => {
      const [started, slice] = [performance.now(), { isDone: false, rows: 0, found: [] as string[] }];
      for (const table of TABLES) {
        for (let hasMore = true; hasMore; ) {
          if (performance.now() - started > budgetMs) return slice;
          hasMore = rescanRows(db, table, slice);
        }
      }
      rescanAll(db, { name: 'model_pauses', column: 'message', where: 'true' }, slice);
      return { ...slice, isDone: true };
    })
    .immediate();
}

/** The old bytes are gone, too. */
export function endRescan(db: Database): void {
  db.query("DELETE FROM id_marks WHERE name LIKE 'rescan:%'").run();
}

function rescanRows(db: Database, table: Table, slice: Slice): boolean {
  const mark = `rescan:${table.name}`;
  const sql = `SELECT ${table.key} AS key, ${table.columns.join(', ')} FROM ${table.name}
    WHERE ${table.key} > ? ORDER BY ${table.key} LIMIT ? + 0`;
  const rows = readAll<Texts & { key: number }>(db, sql, readMark(db, mark) ?? 0, ROWS);
  for (const { key, ...texts } of rows) {
    if (table.name === 'observations') rescanAll(db, { name: 'citations', column: 'path', where: `observation_id = ${key}` }, slice);
    const scrubbed = scrubRow(texts, slice.found);
    if (scrubbed === null) continue;
    slice.rows++;
    (table.write ?? writeColumns(table))(db, key, scrubbed);
  }
  const last = rows.at(-1)?.key;
  if (last !== undefined) setMark(db, mark, last);
  return rows.length === ROWS;
}

type Column = { name: string; column: string; where: string };

function rescanAll(db: Database, { name, column, where }: Column, slice: Slice): void {
  for (const text of readColumn<string>(db, `SELECT ${column} FROM ${name} WHERE ${where}`)) {
    const next = scrubRow({ text }, slice.found)?.text;
    if (next === undefined) continue;
    slice.rows++;
    // Two that differed in a secret alone are one.
    db.query(`UPDATE OR REPLACE ${name} SET ${column} = ? WHERE ${where} AND ${column} = ?`).run(next, text);
  }
}

/** Null: there is nothing to change. */
function scrubRow(texts: Texts, found: string[]): Texts | null {
  let isChanged = false;
  const scrubbed = Object.entries(texts).map(([column, text]): [string, string | null] => {
    const next = text === null ? { text, found: [] } : scrubText(text);
    isChanged ||= next.text !== text;
    found.push(...next.found);
    return [column, next.text];
  });
  return isChanged ? Object.fromEntries(scrubbed) : null;
}

function scrubText(text: string): { text: string; found: string[] } {
  const json = /^[[{"]/.test(text) ? parseJson(text) : undefined;
  if (json === undefined) return scrubSecrets(text);
  const { value, found } = scrubValue(json);
  return found.length === 0 ? { text, found } : { text: JSON.stringify(value), found };
}

const writeColumns =
  ({ name, key, columns }: Table) =>
  (db: Database, id: number, texts: Texts): void => {
    const sets = columns.map((column) => `${column} = $${column}`).join(', ');
    db.query(`UPDATE ${name} SET ${sets} WHERE ${key} = $key`).run({ ...texts, key: id });
  };

function writeObservation(
  db: Database,
  id: number,
  { files_read: filesRead, files_modified: filesModified, keywords, branch, ...rest }: Texts,
): void {
  db.query('UPDATE observations SET keywords = ?, branch = ? WHERE id = ?').run(keywords ?? null, branch ?? null, id);
  // The columns of a row, of which only words were replaced.
  writeContent(db, id, { ...rest, filesRead, filesModified } as StoredContent);
}

function writeSummary(db: Database, id: number, texts: Texts): void {
  const { next_steps: nextSteps, files_read: filesRead, files_edited: filesEdited, ...rest } = texts;
  const files = { filesRead: filesRead ?? '[]', filesEdited: filesEdited ?? '[]' };
  rewriteSummary(db, id, { ...rest, nextSteps } as unknown as SummaryWords, files);
  addDocument(db, { kind: 'summary', id });
}

function writePrompt(db: Database, id: number, { text }: Texts): void {
  db.query('UPDATE prompts SET text = ? WHERE id = ?').run(text ?? '', id);
  addDocument(db, { kind: 'prompt', id });
}

function writeRecord(db: Database, id: number, { record, branch }: Texts): void {
  const text = record ?? '';
  const hash = hashParts([text]);
  db.query('UPDATE turns SET record = ?, branch = ?, hash = ? WHERE id = ?').run(text, branch ?? null, hash, id);
  const ofTurn =
    'SELECT p.id FROM prompts p JOIN turns t ON t.session_id = p.session_id AND t.prompt_number = p.prompt_number WHERE t.id = ?';
  for (const prompt of readColumn<number>(db, ofTurn, id)) addDocument(db, { kind: 'prompt', id: prompt });
}

const readMark = (db: Database, name: string): number | null => readValue(db, 'SELECT last FROM id_marks WHERE name = ?', name);

function setMark(db: Database, name: string, last: number): void {
  db.query('INSERT INTO id_marks VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET last = excluded.last').run(name, last);
}
