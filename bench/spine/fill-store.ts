// A store with a past: projects, sessions, observations and summaries, written by the store's own functions.
import { mkdirSync } from 'node:fs';
import { completeSession, describeSession, ensureSession } from '../../src/capture/sessions.ts';
import { OBSERVATION_TYPES, type ObservationDraft } from '../../src/core/observation.ts';
import { identifyProject } from '../../src/git/identity.ts';
import { insertObservation } from '../../src/memory/observations.ts';
import { insertSummary } from '../../src/memory/summaries.ts';
import type { Paths } from '../../src/paths.ts';
import { ensureProject } from '../../src/projects/projects.ts';
import { openStore } from '../../src/store/open.ts';

type Database = ReturnType<typeof openStore>;

/** `folders` are the projects, which share the observations evenly. The worker must not run. */
export type Past = { folders: string[]; observations: number };

const SESSION_SIZE = 25;
const SESSION_MS = 45 * 60_000;

export function fillStore(paths: Paths, { folders, observations }: Past): void {
  mkdirSync(paths.dataDir, { recursive: true, mode: 0o700 });
  const db = openStore(paths.database);
  const sessions = Math.ceil(observations / SESSION_SIZE);
  const begin = Date.now() - (sessions + 1) * SESSION_MS;
  db.transaction(() => {
    for (let at = 0; at < sessions; at++) {
      const size = Math.min(SESSION_SIZE, observations - at * SESSION_SIZE);
      addSession(db, { folder: folders[at % folders.length] ?? '/', number: at, size, at: begin + at * SESSION_MS });
    }
  }).immediate();
  db.close();
}

type PastSession = { folder: string; number: number; size: number; at: number };

function addSession(db: Database, { folder, number, size, at }: PastSession): void {
  const identity = identifyProject(folder);
  const projectId = ensureProject(db, identity, at).id;
  const { id: sessionId } = ensureSession(db, {
    host: 'claude-code',
    hostSessionId: crypto.randomUUID(),
    projectId,
    cwd: folder,
    root: identity.root,
    branch: 'main',
    at,
  });
  const owner = { sessionId, projectId, promptNumber: 1, batchId: null, isProvisional: false };
  for (let n = 0; n < size; n++) insertObservation(db, owner, makeObservation(number * SESSION_SIZE + n, at + n * 60_000));
  insertSummary(db, owner, makeSummary(number, at + size * 60_000));
  describeSession(db, sessionId, {
    title: `Make the ${pick(PARTS, number)} ${pick(WISHES, number * 3)}`,
    subtitle: `Session ${number}: ${pick(CAUSES, number * 7)}`,
    isSummarized: true,
  });
  completeSession(db, sessionId, 'other', at + size * 60_000);
}

function makeObservation(number: number, at: number): ObservationDraft {
  const part = pick(PARTS, number * 5 + 1);
  const cause = pick(CAUSES, number * 11 + 2);
  const file = `src/${part.replaceAll(' ', '-')}/${pick(FILES, number)}.ts`;
  const sources = [`${number}-a`, `${number}-b`];
  return {
    type: pick(OBSERVATION_TYPES, number * 7),
    title: `The ${part} must ${pick(WISHES, number * 3)} (#${number})`,
    subtitle: `Seen in ${file} because ${cause}`,
    narrative: `The ${part} did not ${pick(WISHES, number)}, because ${cause}. It was changed in ${file} and the tests of the ${part} passed after the second attempt; the first one had only moved the failure to its callers.`,
    facts: [
      { text: `${file}: ${cause}`, sources },
      { text: `"bun test ${part}" passed with ${10 + (number % 90)} tests`, sources },
      { text: `Ruled out: a longer timeout for the ${part}`, sources },
    ],
    concepts: ['how-it-works', pick(PARTS, number)],
    filesRead: [file, `test/${pick(FILES, number * 3)}.test.ts`],
    filesModified: number % 3 === 0 ? [] : [file],
    outcome: number % 4 === 0 ? 'unverified' : 'passed',
    origin: 'agent',
    sources,
    at,
  };
}

const makeSummary = (number: number, at: number) => ({
  request: `Make the ${pick(PARTS, number)} ${pick(WISHES, number * 3)}`,
  investigated: `How the ${pick(PARTS, number)} is called and why it failed`,
  learned: `It failed because ${pick(CAUSES, number * 7)}`,
  completed: `The ${pick(PARTS, number)} works again; the change is committed`,
  nextSteps: `Do the same for the ${pick(PARTS, number + 1)}`,
  filesRead: [`src/${pick(FILES, number)}.ts`],
  filesEdited: [`src/${pick(FILES, number)}.ts`],
  notes: null,
  at,
});

function pick<T>(values: readonly T[], number: number): T {
  const value = values[number % values.length];
  if (value === undefined) throw new Error('nothing to pick from');
  return value;
}

const PARTS = ['price table', 'cart', 'login form', 'retry queue', 'export job', 'search box', 'invoice mailer'];
const WISHES = [
  'include the tax',
  'survive a restart',
  'answer within a second',
  'keep the order of its rows',
  'refuse an empty name',
  'show the time of the user',
];
const CAUSES = [
  'the cache was read before it was filled',
  'two requests shared one connection',
  'String.replace stops after one match',
  'the index did not cover the second column',
  'an await was missing in the loop',
];
const FILES = ['index', 'table', 'rows', 'queue', 'format', 'parse', 'store', 'client'];
