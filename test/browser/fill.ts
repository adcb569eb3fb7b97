// `bun fill.ts DATABASE COUNT MINUTES`: puts observations into the database of a worker that does not run, one every so many minutes back from now.

import { completeSession, ensureSession } from '../../src/capture/sessions.ts';
import { OBSERVATION_TYPES, type ObservationDraft } from '../../src/core/observation.ts';
import { insertObservation } from '../../src/memory/observations.ts';
import { ensureProject } from '../../src/projects/projects.ts';
import { rebuildWords } from '../../src/store/documents.ts';
import { openStore } from '../../src/store/open.ts';

type Database = ReturnType<typeof openStore>;

function fill(database: string, observations: number, everyMs: number): void {
  const db = openStore(database);
  for (const pragma of ['synchronous = OFF', 'secure_delete = OFF', 'cache_size = -100000']) db.run(`PRAGMA ${pragma}`);
  const restore = dropIndexing(db);
  const first = Date.now() - observations * everyMs;
  db.transaction(() => addSessions(db, observations, (number) => first + number * everyMs)).immediate();
  restore();
  db.close(true);
}

const SESSION_SIZE = 25;
const PROJECTS = ['large', 'other'];

function addSessions(db: Database, observations: number, timeOf: (number: number) => number): void {
  let owner = { sessionId: 0, projectId: 0, promptNumber: 1, batchId: null, isProvisional: false };
  for (let number = 0; number < observations; number++) {
    if (number % SESSION_SIZE === 0) owner = { ...owner, ...addSession(db, number / SESSION_SIZE, timeOf(number)) };
    insertObservation(db, owner, makeObservation(number, timeOf(number)));
  }
}

function addSession(db: Database, number: number, at: number): { sessionId: number; projectId: number } {
  // Every tenth session is the other project's.
  const name = PROJECTS[number % 10 === 9 ? 1 : 0] ?? '';
  const root = `/${name}`;
  const { id: projectId } = ensureProject(db, { key: root, name, root, remote: null }, at);
  const place = { host: 'claude-code', projectId, cwd: root, root, branch: 'main', at };
  const { id: sessionId } = ensureSession(db, { ...place, hostSessionId: `past-${number}` });
  completeSession(db, sessionId, 'other', at);
  return { sessionId, projectId };
}

const PARTS = ['invoice', 'queue', 'parser', 'login page', 'price list', 'search index', 'mailer', 'scheduler'];
const DEEDS = ['keeps its order', 'is retried', 'times out late', 'reads its lock first', 'was split in two'];
const pick = (words: readonly string[], at: number) => words[at % words.length] ?? '';

/** Of every length: a list that is measured has to cope with short and long ones. */
function makeObservation(number: number, at: number): ObservationDraft {
  const sentence = `The ${pick(PARTS, number)} ${pick(DEEDS, number)}, as run ${number} showed.`;
  return {
    type: OBSERVATION_TYPES[number % OBSERVATION_TYPES.length] ?? 'change',
    title: `The ${pick(PARTS, number)} ${pick(DEEDS, number)} (${number})`,
    subtitle: number % 3 === 0 ? `Found on the way, number ${number}` : null,
    narrative: `${sentence} `.repeat(1 + (number % 5)).trim(),
    facts: number % 2 === 0 ? [{ text: `Run ${number} took ${number % 90} s`, sources: [] }] : [],
    concepts: [],
    filesRead: [],
    filesModified: [`src/part-${number % 40}.ts`],
    outcome: null,
    origin: 'agent',
    sources: [],
    at,
  };
}

/** Indexing each word as it comes takes minutes; at the end, all at once, seconds. */
function dropIndexing(db: Database): () => void {
  const triggers = db
    .query<{ name: string; sql: string }, []>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'documents'")
    .all();
  for (const { name } of triggers) db.run(`DROP TRIGGER ${name}`);
  return () => {
    db.run("UPDATE documents SET neighbours = ''");
    rebuildWords(db);
    for (const { sql } of triggers) db.run(sql);
  };
}

const [path = '', count = '0', minutes = '1'] = process.argv.slice(2);
fill(path, Number(count), Number(minutes) * 60_000);
