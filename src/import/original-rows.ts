// Reads the database of the original claude-mem from its first session to its last summary, whatever version since 4 wrote it.
import type { Database } from 'bun:sqlite';
import { hashParts } from '../core/ids.ts';
import { OBSERVATION_TYPES, type ObservationDraft } from '../core/observation.ts';
import type { SummaryDraft } from '../core/summary.ts';
import { oneLine } from '../core/text.ts';
import { listColumns, type Row, readCount, readList, readTable, readText, readTime, type Value } from './original-tables.ts';

export type OriginalSession = {
  /** The host's own id of it; where the other program kept none, one that is made of its file and row. */
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

/** What may hold a value: over the years columns were called differently. */
const SESSION_IDS = {
  content: ['content_session_id', 'claude_session_id'],
  memory: ['memory_session_id', 'sdk_session_id'],
};
const SESSION = {
  ...SESSION_IDS,
  project: ['project'],
  platform: ['platform_source'],
  title: ['custom_title'],
  prompt: ['user_prompt'],
  created: ['started_at'],
  epoch: ['started_at_epoch'],
  completed: ['completed_at'],
  completedEpoch: ['completed_at_epoch'],
};
const PLACE = {
  ...SESSION_IDS,
  sessionRow: ['session_db_id'],
  // What was merged into another project belongs there.
  project: ['merged_into_project', 'project'],
  number: ['prompt_number'],
  created: ['created_at'],
  epoch: ['created_at_epoch'],
};
const PROMPT = { ...PLACE, text: ['prompt_text'] };
const OBSERVATION = {
  ...PLACE,
  type: ['type'],
  title: ['title'],
  subtitle: ['subtitle'],
  narrative: ['narrative'],
  text: ['text'],
  facts: ['facts'],
  concepts: ['concepts'],
  read: ['files_read'],
  modified: ['files_modified'],
};
const SUMMARY = {
  ...PLACE,
  request: ['request'],
  investigated: ['investigated'],
  learned: ['learned'],
  completed: ['completed'],
  next: ['next_steps'],
  notes: ['notes'],
  read: ['files_read'],
  edited: ['files_edited'],
};

/**
 * Sessions, then prompts, then what was made of them. One row is in memory at a time, and some dozens that come next.
 * `fileTime`: for what has no time of its own.
 */
export function* readOriginal(db: Database, fileTime: number): Generator<OriginalMemory> {
  const sessions = createSessions(db, fileTime);
  const hasPrompts = createPromptCheck(db);
  for (const row of readTable(db, 'sdk_sessions', SESSION)) {
    if (!row) yield { kind: 'unreadable' };
    else yield* readSession(row, sessions.add(row), hasPrompts);
  }
  for (const row of readTable(db, 'user_prompts', PROMPT)) yield row ? readPrompt(row, sessions.place(row)) : LOST;
  for (const row of readTable(db, 'observations', OBSERVATION)) yield row ? readObservation(row, sessions.place(row)) : LOST;
  for (const row of readTable(db, 'session_summaries', SUMMARY)) yield row ? readSummary(row, sessions.place(row)) : LOST;
}

const LOST: OriginalMemory = { kind: 'unreadable' };

/** Older versions kept the first prompt of a session with the session alone. */
function* readSession(
  { prompt, content }: Row<keyof typeof SESSION>,
  session: OriginalSession,
  hasPrompts: (content: Value) => boolean,
): Generator<OriginalMemory> {
  yield { kind: 'session', session };
  const text = readText(prompt);
  if (text === null || hasPrompts(content)) return;
  yield { kind: 'prompt', session, project: session.project, promptNumber: 1, text, at: session.startedAt };
}

function createPromptCheck(db: Database): (content: Value) => boolean {
  const columns = listColumns(db, 'user_prompts');
  const column = SESSION_IDS.content.find((name) => columns.includes(name));
  if (!column) return () => false;
  const query = db.query(`SELECT 1 FROM user_prompts WHERE "${column}" = ? LIMIT 1`);
  return (content) => content !== null && query.get(content) !== null;
}

type Placed = Place & { at: number };

/** The sessions, to be found by each of the ids that memories name them by; one that is gone is made of these. */
function createSessions(db: Database, fileTime: number) {
  const byName = new Map<string, OriginalSession>();
  const identity = identify(db);
  const nameless = (memory: Value, row: Value) => `claude-mem.db:${identity}:${readText(memory) ?? row ?? '-'}`;
  return {
    add(row: Row<keyof typeof SESSION>): OriginalSession {
      const content = readText(row.content);
      const session = {
        id: content ?? nameless(row.memory, `sdk_sessions-${row.row}`),
        host: nameHost(readText(row.platform)),
        project: readText(row.project) ?? UNKNOWN,
        title: readText(row.title),
        startedAt: readTime(row.epoch, row.created) ?? fileTime,
        completedAt: readTime(row.completedEpoch, row.completed),
      };
      byName.set(`row ${row.row}`, session);
      if (content !== null) byName.set(`content ${content}`, session);
      if (row.memory !== null) byName.set(`memory ${row.memory}`, session);
      return session;
    },
    place({ sessionRow, content, memory, project: name, number, epoch, created }: Row<keyof typeof PLACE>): Placed {
      const [at, project, id] = [readTime(epoch, created), readText(name), readText(content)];
      const known = byName.get(`row ${sessionRow}`) ?? byName.get(`content ${content}`) ?? byName.get(`memory ${memory}`);
      const made = {
        host: HOST,
        project: project ?? UNKNOWN,
        title: null,
        startedAt: at ?? fileTime,
        completedAt: null,
      };
      const session = known ?? { id: id ?? nameless(memory, sessionRow), ...made };
      if (!known) byName.set(id ? `content ${id}` : `memory ${memory}`, session);
      return {
        session,
        project: project ?? session.project,
        promptNumber: readCount(number),
        at: at ?? session.startedAt,
      };
    },
  };
}

const HOST = 'claude-code';
const UNKNOWN = 'unknown';

const nameHost = (platform: string | null) =>
  platform === null || platform.toLowerCase().startsWith('claude') ? HOST : platform.trim().toLowerCase();

/** The same file is known again wherever it lies, by how it began. */
function identify(db: Database): string {
  const first = (table: string, column: string) =>
    listColumns(db, table).includes(column)
      ? String(db.query<{ said: Value }, []>(`SELECT "${column}" AS said FROM "${table}" LIMIT 1`).get()?.said ?? '')
      : '';
  const beginning = [
    first('schema_versions', 'applied_at'),
    first('sdk_sessions', 'started_at'),
    first('observations', 'created_at'),
    first('sessions', 'created_at'),
  ];
  return hashParts(beginning).slice(0, 12);
}

const readPrompt = (row: Row<keyof typeof PROMPT>, place: Placed): OriginalMemory => ({
  kind: 'prompt',
  ...place,
  text: readText(row.text) ?? '',
});

function readObservation(row: Row<keyof typeof OBSERVATION>, { at, ...place }: Placed): OriginalMemory {
  const text = readText(row.narrative) ?? readText(row.text);
  const title = readText(row.title) ?? (text && oneLine(text.split('\n', 1)[0] ?? '', 160));
  const draft: ObservationDraft = {
    type: OBSERVATION_TYPES.find((known) => known === String(row.type).toLowerCase()) ?? 'change',
    title,
    subtitle: readText(row.subtitle),
    narrative: text === title ? null : text,
    facts: readList(row.facts).map((fact) => ({ text: fact, sources: [] })),
    concepts: readList(row.concepts),
    filesRead: readList(row.read),
    filesModified: readList(row.modified),
    outcome: null,
    origin: 'agent',
    sources: [],
    at,
  };
  return { kind: 'observation', ...place, draft };
}

function readSummary(row: Row<keyof typeof SUMMARY>, { at, ...place }: Placed): OriginalMemory {
  const draft: SummaryDraft = {
    request: readText(row.request),
    investigated: readText(row.investigated),
    learned: readText(row.learned),
    completed: readText(row.completed),
    nextSteps: readText(row.next),
    filesRead: readList(row.read),
    filesEdited: readList(row.edited),
    notes: readText(row.notes),
    at,
  };
  return { kind: 'summary', ...place, draft };
}
