// Reads another claude-mem's database from its first session to its last summary, whatever version wrote it.
import type { Database } from 'bun:sqlite';
import { OBSERVATION_TYPES, type ObservationType } from '../../core/observation.ts';
import { oneLine } from '../../core/one-line.ts';
import type { PeerMemory } from './peer-memory.ts';
import { createPeerSessions, type PeerSessions } from './peer-sessions.ts';
import { countRows, type Page, PEER_TABLES, type Row, readTable } from './tables.ts';
import { readCount, readList, readText, readTime } from './values.ts';

/**
 * Sessions, then prompts, then what was made of them. One row is in memory at a time, and some dozens that come next.
 * `fileTime`: for what has no time of its own.
 */
export function* readPeer(db: Database, fileTime: number): Generator<PeerMemory> {
  const sessions = createPeerSessions(db, fileTime);
  const at = (row: Times) => readTime(row.epoch, row.created);
  yield* sessions.read();
  yield* each(readTable(db, 'user_prompts', PROMPT), (row) => readPrompt(row, sessions, at(row)));
  for (const table of ['observations', 'memories'])
    yield* each(readTable(db, table, OBSERVATION), (row) => readObservation(row, sessions, at(row)));
  for (const table of ['session_summaries', 'overviews'])
    yield* each(readTable(db, table, SUMMARY), (row) => readSummary(row, sessions, at(row)));
}

export const countPeerRows = (db: Database) => PEER_TABLES.reduce((sum, table) => sum + countRows(db, table), 0);

type Times = Row<'created' | 'epoch'>;

function* each<Name extends string>(
  pages: Generator<Page<Name>>,
  read: (row: Row<Name>) => PeerMemory,
): Generator<PeerMemory> {
  for (const { rows, unreadable } of pages) {
    for (let lost = 0; lost < unreadable; lost++) yield { kind: 'unreadable' };
    for (const row of rows) yield read(row);
  }
}

const PLACE = {
  content: ['content_session_id', 'claude_session_id', 'session_id'],
  memory: ['memory_session_id', 'sdk_session_id'],
  // What was merged into another project belongs there.
  merged: ['merged_into_project'],
  project: ['project'],
  number: ['prompt_number'],
  created: ['created_at'],
  epoch: ['created_at_epoch'],
};
const PROMPT = { ...PLACE, row_of_session: ['session_db_id'], text: ['prompt_text', 'text'] };
const OBSERVATION = {
  ...PLACE,
  type: ['type'],
  title: ['title'],
  subtitle: ['subtitle'],
  narrative: ['narrative'],
  text: ['text'],
  facts: ['facts'],
  concepts: ['concepts', 'keywords'],
  read: ['files_read'],
  modified: ['files_modified', 'files_touched'],
};
const SUMMARY = {
  ...PLACE,
  request: ['request'],
  investigated: ['investigated'],
  learned: ['learned'],
  // An overview of the oldest versions is one text.
  completed: ['completed', 'content'],
  next: ['next_steps'],
  notes: ['notes'],
  read: ['files_read'],
  edited: ['files_edited'],
};

type PlaceRow = Row<keyof typeof PLACE> & { row_of_session?: Row<'row_of_session'>['row_of_session'] };

function placeOf(row: PlaceRow, sessions: PeerSessions, at: number | null) {
  const project = readText(row.merged) ?? readText(row.project);
  const { row_of_session: own = null, content, memory } = row;
  const session = sessions.find({ row: own, content, memory, project, at });
  return { session, project: project ?? session.project, promptNumber: readCount(row.number) };
}

function readPrompt(row: Row<keyof typeof PROMPT>, sessions: PeerSessions, at: number | null): PeerMemory {
  const place = placeOf(row, sessions, at);
  return { kind: 'prompt', ...place, text: readText(row.text) ?? '', at: at ?? place.session.startedAt };
}

function readObservation(row: Row<keyof typeof OBSERVATION>, sessions: PeerSessions, at: number | null): PeerMemory {
  const place = placeOf(row, sessions, at);
  const text = readText(row.narrative) ?? readText(row.text);
  const title = readText(row.title) ?? (text && oneLine(text.split('\n', 1)[0] ?? '', 160));
  const type = String(row.type).toLowerCase();
  return {
    kind: 'observation',
    ...place,
    draft: {
      type: isType(type) ? type : 'change',
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
      at: at ?? place.session.startedAt,
    },
  };
}

const isType = (type: string): type is ObservationType => OBSERVATION_TYPES.some((known) => known === type);

function readSummary(row: Row<keyof typeof SUMMARY>, sessions: PeerSessions, at: number | null): PeerMemory {
  const place = placeOf(row, sessions, at);
  return {
    kind: 'summary',
    ...place,
    draft: {
      request: readText(row.request),
      investigated: readText(row.investigated),
      learned: readText(row.learned),
      completed: readText(row.completed),
      nextSteps: readText(row.next),
      filesRead: readList(row.read),
      filesEdited: readList(row.edited),
      notes: readText(row.notes),
      at: at ?? place.session.startedAt,
    },
  };
}
