// Reads the database of the original claude-mem from its first session to its last summary, whatever version since 4 wrote it.
import type { Database } from 'bun:sqlite';
import { hashParts } from '../core/ids.ts';
import { OBSERVATION_TYPES, type ObservationDraft, type SummaryDraft } from '../core/observation.ts';
import { parseJson } from '../core/plain-json.ts';
import { oneLine } from '../core/text.ts';
import { exists, readAll, readColumn, readValue } from '../store/read.ts';

export type OriginalSession = {
  /** The agent's own id of it; where the other program kept none, one that is made of its file and row. */
  id: string;
  host: string;
  /** A folder's name: the other program knows no more of a project. */
  project: string;
  title: string | null;
  startedAt: number;
  completedAt: number | null;
};

type Place = {
  session: OriginalSession;
  /** Mostly that of its session. */
  project: string;
  /** Counted by the other program. */
  promptNumber: number | null;
};

export type OriginalMemory =
  | { kind: 'session'; session: OriginalSession }
  | ({ kind: 'prompt'; text: string; at: number } & Place)
  | ({ kind: 'observation'; draft: ObservationDraft } & Place)
  | ({ kind: 'summary'; draft: SummaryDraft } & Place)
  /** A row in a damaged part of the file. */
  | { kind: 'unreadable' };

/**
 * Sessions, then prompts, then what was made of them. One row is in memory at a time, and some dozens that come next.
 * `fileTime`: for what has no time of its own.
 */
export function* readOriginal(db: Database, fileTime: number): Generator<OriginalMemory> {
  const sessions = createSessions(db, fileTime);
  const hasPrompts = createPromptCheck(db);
  for (const row of readTable(db, 'sdk_sessions')) {
    const session = row && sessions.add(row);
    yield session ? { kind: 'session', session } : LOST;
    // Older versions kept the first prompt of a session with the session alone.
    const text = row && readText(row.user_prompt);
    if (!session || !text || hasPrompts(row)) continue;
    yield { kind: 'prompt', session, project: session.project, promptNumber: 1, text, at: session.startedAt };
  }
  for (const row of readTable(db, 'user_prompts'))
    yield row ? { kind: 'prompt', ...sessions.place(row), text: readText(row.prompt_text) ?? '' } : LOST;
  for (const row of readTable(db, 'observations')) yield row ? readObservation(row, sessions.place(row)) : LOST;
  for (const row of readTable(db, 'session_summaries')) yield row ? readSummary(row, sessions.place(row)) : LOST;
}

const LOST: OriginalMemory = { kind: 'unreadable' };

function createPromptCheck(db: Database): (session: Row) => boolean {
  const column = SESSION_IDS.find((name) => listColumns(db, 'user_prompts').includes(name));
  return (session) => {
    const id = readText(pick(session, SESSION_IDS));
    if (column === undefined || id === null) return false;
    return unlessDamaged(() => exists(db, `SELECT 1 FROM user_prompts WHERE "${column}" = ? LIMIT 1`, id)) === true;
  };
}

type Placed = Place & { at: number };

/** The sessions, to be found by each of the ids that memories name them by; one that is gone is made of these. */
function createSessions(db: Database, fileTime: number) {
  const byName = new Map<string, OriginalSession>();
  const identity = identify(db);
  const nameless = (memory: string | null, row: unknown) => `claude-mem.db:${identity}:${memory ?? row ?? '-'}`;
  return {
    add(row: Row): OriginalSession {
      const [id, memory] = [readText(pick(row, SESSION_IDS)), readText(pick(row, MEMORY_IDS))];
      const session = {
        id: id ?? nameless(memory, `sdk_sessions-${row.row}`),
        host: nameAgent(readText(row.platform_source)),
        project: readText(row.project) ?? UNKNOWN,
        title: readText(row.custom_title),
        startedAt: readTime(row.started_at_epoch, row.started_at) ?? fileTime,
        completedAt: readTime(row.completed_at_epoch, row.completed_at),
      };
      for (const name of [`row ${row.row}`, id && `content ${id}`, memory && `memory ${memory}`]) if (name) byName.set(name, session);
      return session;
    },
    place(row: Row): Placed {
      const [id, memory] = [readText(pick(row, SESSION_IDS)), readText(pick(row, MEMORY_IDS))];
      const at = readTime(row.created_at_epoch, row.created_at);
      const project = readText(pick(row, ['merged_into_project', 'project']));
      const known = byName.get(`row ${row.session_db_id}`) ?? byName.get(`content ${id}`) ?? byName.get(`memory ${memory}`);
      const made = { host: CLAUDE_CODE, project: project ?? UNKNOWN, title: null, startedAt: at ?? fileTime, completedAt: null };
      const session = known ?? { id: id ?? nameless(memory, row.session_db_id), ...made };
      if (!known) byName.set(id ? `content ${id}` : `memory ${memory}`, session);
      const number = Number(row.prompt_number);
      const promptNumber = Number.isSafeInteger(number) && number > 0 ? number : null;
      return { session, project: project ?? session.project, promptNumber, at: at ?? session.startedAt };
    },
  };
}

const CLAUDE_CODE = 'claude-code';
const UNKNOWN = 'unknown';

const nameAgent = (platform: string | null) =>
  platform === null || platform.toLowerCase().startsWith('claude') ? CLAUDE_CODE : platform.trim().toLowerCase();

/** The same file is known again wherever it lies, by how it began. */
function identify(db: Database): string {
  const first = (table: string, column: string) => String(readTable(db, table).next().value?.[column] ?? '');
  const beginning = [
    first('schema_versions', 'applied_at'),
    first('sdk_sessions', 'started_at'),
    first('observations', 'created_at'),
    first('sessions', 'created_at'),
  ];
  return hashParts(beginning).slice(0, 12);
}

function readObservation(row: Row, { at, ...place }: Placed): OriginalMemory {
  const text = readText(row.narrative) ?? readText(row.text);
  const title = readText(row.title) ?? (text && oneLine(text.split('\n', 1)[0] ?? '', 160));
  const draft: ObservationDraft = {
    type: OBSERVATION_TYPES.find((known) => known === String(row.type).toLowerCase()) ?? 'change',
    title,
    subtitle: readText(row.subtitle),
    narrative: text === title ? null : text,
    facts: readList(row.facts).map((fact) => ({ text: fact, sources: [] })),
    concepts: readList(row.concepts),
    filesRead: readList(row.files_read),
    filesModified: readList(row.files_modified),
    outcome: null,
    origin: 'agent',
    sources: [],
    at,
  };
  return { kind: 'observation', ...place, draft };
}

function readSummary(row: Row, { at, ...place }: Placed): OriginalMemory {
  const draft: SummaryDraft = {
    request: readText(row.request),
    investigated: readText(row.investigated),
    learned: readText(row.learned),
    completed: readText(row.completed),
    nextSteps: readText(row.next_steps),
    filesRead: readList(row.files_read),
    filesEdited: readList(row.files_edited),
    notes: readText(row.notes),
    at,
  };
  return { kind: 'summary', ...place, draft };
}

/** As its columns are called there. What a version does not have is undefined. */
type Row = Record<string, unknown>;

/** Over the years columns were called differently: the first that says something counts. */
const SESSION_IDS = ['content_session_id', 'claude_session_id'];
const MEMORY_IDS = ['memory_session_id', 'sdk_session_id'];
const pick = (row: Row, names: string[]) => names.map((name) => row[name]).find((value) => readText(value) !== null);

const TABLES = ['sdk_sessions', 'user_prompts', 'observations', 'session_summaries'];

/** A table by one of these names may be anybody's; with a column for the other program's own sessions in it, it is that program's. */
export const hasOriginalTables = (db: Database): boolean =>
  TABLES.some((table) => listColumns(db, table).some((column) => [...SESSION_IDS, ...MEMORY_IDS].includes(column)));

/** About as many as there are. */
export const countOriginalRows = (db: Database): number => TABLES.reduce((sum, table) => sum + Math.max(0, lastRow(db, table)), 0);

const PAGE = 50;
/** So many in one table: the rest of it is not worth the search. */
const MOST_UNREADABLE = 20_000;

/** In their order; null for each that lies in a damaged part of the file. Nothing when there is no such table. */
function* readTable(db: Database, table: string): Generator<Row | null> {
  const select = `SELECT rowid AS row, * FROM "${table}" WHERE rowid`;
  const last = lastRow(db, table);
  let unreadable = 0;
  for (let from = -1; from < last && unreadable < MOST_UNREADABLE; ) {
    const page = unlessDamaged(() => readAll<Row & { row: number }>(db, `${select} > ? ORDER BY rowid LIMIT ${PAGE}`, from));
    if (page !== null) {
      yield* page;
      from = page.length < PAGE ? last : (page.at(-1)?.row ?? last);
      continue;
    }
    for (const end = Math.min(last, from + PAGE); from < end; ) {
      const row = ++from;
      const found = unlessDamaged(() => readAll<Row>(db, `${select} = ?`, row));
      if (found === null) unreadable++;
      yield* found ?? [null];
    }
  }
}

/** -1 where there is no table, or not even its end is there: nothing else of it will be. */
const lastRow = (db: Database, table: string): number =>
  listColumns(db, table).length === 0 ? -1 : (unlessDamaged(() => readValue<number>(db, `SELECT max(rowid) FROM "${table}"`)) ?? -1);

function unlessDamaged<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    const isDamage = error instanceof Error && 'code' in error && /^SQLITE_(CORRUPT|NOTADB|IOERR)/.test(String(error.code));
    if (!isDamage) throw error;
    return null;
  }
}

/** Of a plain table only: a view or a virtual table may be anything. */
function listColumns(db: Database, table: string): string[] {
  const isPlain = exists(db, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ? AND sql NOT LIKE 'CREATE VIRTUAL%'", table);
  return isPlain ? readColumn<string>(db, 'SELECT name FROM pragma_table_info(?)', table) : [];
}

/** No memory is longer. Of a text that is, the beginning. */
const LONGEST_TEXT = 500_000;

/** Null for what says nothing. */
function readText(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const text = String(value).slice(0, LONGEST_TEXT).toWellFormed();
  return text.trim() === '' ? null : text;
}

const MOST_ITEMS = 500;

/** A JSON list, or lines of text where it is none. */
function readList(value: unknown): string[] {
  const items = parseList(readText(value) ?? '').map((item) => item.replace(/^\s*(?:[-*•]\s+)?/, '').trim());
  return [...new Set(items)].filter(Boolean).slice(0, MOST_ITEMS);
}

function parseList(text: string): string[] {
  const list = parseJson(text);
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : text.split('\n');
}

/** Below it is a number of seconds. */
const SECONDS_END = 100_000_000_000;

/** Epoch ms; the text is asked where there is no number. Null when neither tells a time that anybody worked at: 2000 to 2100. */
function readTime(epoch: unknown, text: unknown): number | null {
  const number = Number(epoch);
  const isOfSqlite = typeof text === 'string' && /^\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?$/.test(text);
  const said = number > 0 ? number : Date.parse(isOfSqlite ? `${text.replace(' ', 'T')}Z` : String(text));
  const at = Math.round(number > 0 && number < SECONDS_END ? number * 1000 : said);
  return at > 946_684_800_000 && at < 4_102_444_800_000 ? at : null;
}
