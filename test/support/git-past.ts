// A real repository beside a real store, and the worker's part that makes its log memory.

import type { Database } from 'bun:sqlite';
import { createGitMemory, type GitMemory } from '../../src/import/git-memory.ts';
import { insertObservation } from '../../src/memory/observations.ts';
import { readEvidence } from '../../src/observe/evidence.ts';
import { createFinder } from '../../src/search/find.ts';
import { searchMemories } from '../../src/search/search.ts';
import { CAPTURE_ALL } from './capture-settings.ts';
import { EMPTY_OBSERVATION, openShelf, type Shelf } from './memories.ts';
import { createTestRepository, type TestRepository } from './repository.ts';
import { createTestStore } from './store.ts';

export const HOUR = 3_600_000;
export const START = Date.parse('2026-03-01T08:00:00Z');
export const NOW = START + 40 * HOUR;

type CommitRow = {
  id: number;
  type: string;
  title: string;
  narrative: string | null;
  files: string;
  outcome: string | null;
  at: number;
  hash: string;
  quarantined: number;
};

export type GitPast = {
  db: Database;
  repository: TestRepository;
  memory: GitMemory;
  settings: ReturnType<Parameters<typeof createGitMemory>[0]['config']>;
  warnings: string[];
  /** What the worker takes for the time. */
  now: number;
  /** Called when something was stored. */
  onStored: () => void;
  /** One an hour, oldest first. */
  commit: (message: string, files: Record<string, string>) => string;
  readAll: () => Promise<{ added: number }>;
  /** Another worker on the same store. */
  reopen: () => Promise<void>;
  listCommits: () => CommitRow[];
  find: (title: string) => CommitRow | undefined;
  search: (query: string) => ReturnType<typeof searchMemories>;
  openWork: () => Shelf;
  /** A memory of a session that changed a file, as it lies in the work tree now. */
  remember: (title: string, path: string, at?: number) => string;
  knows: (id: string) => { hash: string | null; outcome: string | null } | null;
  close: () => Promise<void>;
};

export function createGitPast(): GitPast {
  const repository = createTestRepository();
  const store = createTestStore();
  const { db } = store;
  const warnings: string[] = [];
  const settings: GitPast['settings'] = { ...CAPTURE_ALL, gitCommits: 5000 };
  let made = 0;
  const nothing = () => undefined;
  const open = () => {
    const note = (message: string) => warnings.push(message);
    const log = { debug: nothing, info: nothing, warn: note, error: note };
    return createGitMemory({
      db,
      config: () => settings,
      log,
      clock: () => past.now,
      home: repository.root,
      onStored: () => past.onStored(),
    });
  };
  const listCommits = () =>
    db
      .query<CommitRow, []>(
        `SELECT id, type, title, narrative, files_modified AS files, outcome, created_at_epoch AS at, commit_hash AS hash, quarantined
         FROM observations WHERE origin = 'commit' ORDER BY id`,
      )
      .all();
  const openWork = () => openShelf(db, repository.root, 's1');

  const past: GitPast = {
    db,
    repository,
    now: NOW,
    onStored: nothing,
    memory: open(),
    settings,
    warnings,
    commit(message, files) {
      for (const [path, text] of Object.entries(files)) repository.write(path, text);
      return repository.commit(message, new Date(START + made++ * HOUR).toISOString());
    },
    readAll: () => past.memory.readNow(repository.root),
    async reopen() {
      await past.memory.close();
      past.memory = open();
    },
    listCommits,
    find: (title) => listCommits().find((row) => row.title === title),
    search(query) {
      const finder = createFinder({ db, models: () => [], clock: () => NOW });
      const page = { order: 'relevance', limit: 10, offset: 0, why: false } as const;
      return searchMemories(finder, { query, filters: { projectIds: null }, ...page });
    },
    openWork,
    remember(title, path, at = START + made * HOUR) {
      const { sessionId, projectId } = openWork();
      const owner = { sessionId, projectId, promptNumber: 1, batchId: null, isProvisional: false };
      const work = { type: 'bugfix', outcome: 'passed', filesModified: [path] } as const;
      const draft = { ...EMPTY_OBSERVATION, ...work, filesModified: [path], title, at };
      return String(insertObservation(db, owner, draft, readEvidence(draft, { root: repository.root, events: [] })));
    },
    knows: (id) =>
      db
        .query<{ hash: string | null; outcome: string | null }, [number]>(
          'SELECT commit_hash AS hash, outcome FROM observations WHERE id = ?',
        )
        .get(Number(id)),
    async close() {
      await past.memory.close();
      store.close();
      repository.close();
    },
  };
  return past;
}
