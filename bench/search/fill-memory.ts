// A memory.db with so many observations, their prompts and summaries: by the store's own functions, its words indexed at the end.
import type { Database } from 'bun:sqlite';
import { insertPrompt } from '../../src/capture/prompts.ts';
import { ensureSession } from '../../src/capture/sessions.ts';
import { OBSERVATION_TYPES, type ObservationDraft } from '../../src/core/observation.ts';
import { insertObservation } from '../../src/memory/observations.ts';
import { insertSummary } from '../../src/memory/summaries.ts';
import { ensureProject } from '../../src/projects/projects.ts';
import { rebuildWords } from '../../src/store/documents.ts';
import { openStore } from '../../src/store/open.ts';
import type { TurnRecord } from '../../src/turns/record.ts';
import { putTurn } from '../../src/turns/turns.ts';
import { createRandom } from './synthetic-vectors.ts';
import type { Language, Random } from './synthetic-words.ts';

export const LARGE_PROJECT = 'large';
/** Of 200 memories, whatever the size of all. */
export const SMALL_PROJECT = 'small';
const SMALL_SESSIONS = 10;
const OTHER_PROJECTS = 6;
const LARGE_SHARE = 0.6;

export const SESSION_SIZE = 20;
/** Observations for each prompt: a turn, with its summary. */
const TURN_SIZE = 7;
const SESSION_MS = 45 * 60_000;
const MINUTE = 60_000;
/** In one transaction. */
const SESSIONS_AT_ONCE = 200;

export type MemoryToFill = { observations: number; language: Language; withTriggers?: boolean };

/**
 * `withTriggers`: as the worker writes, a word index that grows with each document. Else three times as fast, with the same tables,
 * triggers, rows and sizes in the end; the words are indexed when all documents are there.
 */
export function fillMemory(path: string, { observations, language, withTriggers = false }: MemoryToFill): void {
  const db = openStore(path);
  // Thrown away afterwards: nothing needs to survive a power cut.
  for (const pragma of ['journal_mode = OFF', 'synchronous = OFF', 'secure_delete = OFF', 'cache_size = -200000'])
    db.run(`PRAGMA ${pragma}`);
  const indexing = withTriggers ? null : dropIndexing(db);
  const sessions = Math.ceil(observations / SESSION_SIZE);
  const start = Date.now() - (sessions + 1) * SESSION_MS;
  for (let first = 0; first < sessions; first += SESSIONS_AT_ONCE) {
    db.transaction(() => {
      for (let number = first; number < Math.min(sessions, first + SESSIONS_AT_ONCE); number++) {
        const size = Math.min(SESSION_SIZE, observations - number * SESSION_SIZE);
        const id = addSession(db, language, { number, sessions, size, at: start + number * SESSION_MS });
        indexing?.noteNeighbours(id);
      }
    }).immediate();
  }
  indexing?.restore();
  db.close(true);
}

/** Without the triggers that index a document; `restore` indexes all at once and puts them back as they were. */
function dropIndexing(db: Database): { noteNeighbours: (sessionId: number) => void; restore: () => void } {
  const triggers = db
    .query<{ name: string; sql: string }, []>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND name IN ('documents_added', 'documents_neighbours_leave', 'documents_neighbours_come')",
    )
    .all();
  if (triggers.length !== 3) throw new Error('the triggers that index a document have other names now');
  const neighbours = readNeighbours(triggers.find(({ name }) => name === 'documents_added')?.sql ?? '');
  for (const { name } of triggers) db.run(`DROP TRIGGER ${name}`);
  const note = db.query(`UPDATE documents SET neighbours = ${neighbours} WHERE session_id = ?`);
  return {
    noteNeighbours: (sessionId) => note.run(sessionId),
    restore() {
      rebuildWords(db);
      for (const { sql } of triggers) db.run(sql);
    },
  };
}

/** The expression by which the trigger finds out what stands beside a new document. */
function readNeighbours(trigger: string): string {
  const found = /.*UPDATE documents SET neighbours = (.*?) WHERE id = new\.id;/s.exec(trigger)?.[1];
  if (found === undefined) throw new Error('the trigger documents_added does not look as it did');
  return found;
}

type PastSession = { number: number; sessions: number; size: number; at: number };

function addSession(db: Database, language: Language, { number, sessions, size, at }: PastSession): number {
  const name = projectOf(number, sessions);
  const { id: projectId, root } = ensureProject(db, { key: name, name, root: `/${name}`, remote: null }, at);
  const place = { host: 'bench', projectId, cwd: root, root, branch: 'main', at };
  const { id: sessionId } = ensureSession(db, { ...place, hostSessionId: `session-${number}` });
  const random = createRandom(number * 7919 + 13);
  const topic = language.topic(number);
  const write = (words: number) => language.text(random, topic, words);
  for (let n = 0; n < size; n++) {
    const promptNumber = Math.floor(n / TURN_SIZE) + 1;
    const owner = { sessionId, projectId, promptNumber, batchId: null, isProvisional: false };
    const now = at + n * MINUTE;
    if (n % TURN_SIZE === 0) {
      // The record first: a prompt is indexed with it.
      const times = { startedAt: now, endedAt: now + MINUTE, branch: 'main', head: null };
      putTurn(db, { sessionId, promptNumber, ...times }, makeRecord(write, language.path(random, topic)));
      insertPrompt(db, { sessionId, promptNumber, promptId: null, text: write(20), isPrivate: false, at: now });
    }
    insertObservation(db, owner, makeObservation({ language, random, topic }, now));
    if ((n + 1) % TURN_SIZE === 0 || n + 1 === size) insertSummary(db, owner, makeSummary(write, now));
  }
  return sessionId;
}

/** Sessions of the small project are spread over the whole time. */
function projectOf(number: number, sessions: number): string {
  const step = Math.max(1, Math.floor(sessions / SMALL_SESSIONS));
  if (number % step === 0 && number / step < SMALL_SESSIONS) return SMALL_PROJECT;
  const at = createRandom(number)();
  if (at < LARGE_SHARE) return LARGE_PROJECT;
  return `other-${Math.floor(((at - LARGE_SHARE) / (1 - LARGE_SHARE)) * OTHER_PROJECTS)}`;
}

type Writer = { language: Language; random: Random; topic: number[] };

function makeObservation({ language, random, topic }: Writer, at: number): ObservationDraft {
  const write = (words: number) => language.text(random, topic, words);
  const file = language.path(random, topic);
  return {
    type: OBSERVATION_TYPES[Math.floor(random() * OBSERVATION_TYPES.length)] ?? 'change',
    title: write(8),
    subtitle: write(10),
    narrative: write(40 + Math.floor(random() * 41)),
    facts: [10, 12, 8].map((words) => ({ text: write(words), sources: ['event-1', 'event-2'] })),
    concepts: [write(1), write(1)],
    filesRead: [file, language.path(random, topic)],
    filesModified: [file],
    outcome: 'passed',
    origin: 'agent',
    sources: ['event-1', 'event-2'],
    at,
  };
}

/** About as long as those of real sessions are. */
const makeRecord = (write: (words: number) => string, file: string): TurnRecord => ({
  steps: [
    { kind: 'said', text: write(20) },
    { kind: 'ran', command: write(5), isOk: true, output: write(10) },
    { kind: 'edited', file, isNew: false, added: 1, removed: 1, diff: `@@ 4\n-${write(5)}\n+${write(5)}` },
    { kind: 'said', text: write(20) },
  ],
  closing: write(40),
});

const makeSummary = (write: (words: number) => string, at: number) => ({
  request: write(12),
  investigated: write(15),
  learned: write(15),
  completed: write(15),
  nextSteps: write(10),
  filesRead: [],
  filesEdited: [],
  notes: null,
  at,
});
