// What it costs to check fifty memories against the work tree before a session is told of them.
import { mkdirSync } from 'node:fs';
import { ensureSession } from '../../src/capture/sessions.ts';
import { createFreshness } from '../../src/context/freshness.ts';
import { identifyProject, readHead } from '../../src/git/identity.ts';
import { insertObservation } from '../../src/memory/observations.ts';
import { readEvidence } from '../../src/observe/evidence.ts';
import { ensureProject } from '../../src/projects/projects.ts';
import { openStore } from '../../src/store/open.ts';
import { EMPTY_OBSERVATION } from '../../test/support/memories.ts';
import { atMost, type BenchDeps, type Benchmark, check, type Figure } from './benchmark.ts';
import { createPastRepository, FILES, nameFile } from './past-repository.ts';
import { formatMs, median, quantile } from './quantile.ts';

export const freshness: Benchmark = {
  name: 'freshness',
  about: 'the check of 50 memories of 50 files against a repository of 2,500 commits',
  run: measureFreshness,
};

const GOAL_MS = 20;
const MEMORIES = 50;
const CHANGED = 10;
const COMMITS = { before: 2200, after: 300 };

type Database = ReturnType<typeof openStore>;
type Memory = { id: number; at: number; branch: string | null; head: string | null };

async function measureFreshness({ makeHome, isQuick, say }: BenchDeps): Promise<Figure[]> {
  const home = makeHome();
  const root = home.project('long-past');
  mkdirSync(home.paths.dataDir, { recursive: true, mode: 0o700 });
  const db = openStore(home.paths.database);
  try {
    say(`a repository of ${COMMITS.before + COMMITS.after} commits`);
    const repository = createPastRepository(root, COMMITS.before + COMMITS.after);
    const all = Array.from({ length: FILES }, (_, file) => file);
    repository.addCommits(COMMITS.before, all);
    const memories = remember(db, root, repository.lastAt() + 60_000);
    const measure = (what: string, words: Record<string, number>) =>
      measureChecks({ db, root, memories, what, words, rounds: isQuick ? 10 : 60 });
    const untouched = await measure('as they were', { fresh: MEMORIES });
    repository.addCommits(COMMITS.after, [...all.slice(0, CHANGED), ...all.slice(MEMORIES)]);
    const changed = await measure(`${CHANGED} changed by ${COMMITS.after} commits`, {
      fresh: MEMORIES - CHANGED,
      changed: CHANGED,
    });
    for (const file of [20, 21, 22]) repository.git('mv', nameFile(file), `src/moved${file}.ts`);
    repository.git('rm', '-q', nameFile(23), nameFile(24));
    repository.git('commit', '-q', '-m', 'move and delete');
    const words = { fresh: MEMORIES - CHANGED - 2, changed: CHANGED, gone: 2 };
    return [...untouched, ...changed, ...(await measure(`${CHANGED} changed, 3 renamed, 2 deleted`, words))];
  } finally {
    db.close();
  }
}

/** One memory of each file. */
function remember(db: Database, root: string, at: number): Memory[] {
  const projectId = ensureProject(db, identifyProject(root), at).id;
  const place = { cwd: root, root, branch: 'main', at };
  const sessionId = ensureSession(db, { host: 'claude-code', hostSessionId: 'bench', projectId, ...place }).id;
  const owner = { sessionId, projectId, promptNumber: 1, batchId: null, isProvisional: false };
  const { commit: head, branch } = readHead(root);
  return Array.from({ length: MEMORIES }, (_, file): Memory => {
    const draft = { ...EMPTY_OBSERVATION, title: `memory ${file}`, at, filesModified: [nameFile(file)] };
    const id = insertObservation(db, owner, draft, readEvidence(draft, { root, events: [] }));
    return { id, at, branch, head };
  });
}

type Checks = {
  db: Database;
  root: string;
  memories: Memory[];
  what: string;
  words: Record<string, number>;
  rounds: number;
};

/** By a worker that has just started, and by one that has seen these files before. */
async function measureChecks({ db, root, memories, what, words, rounds }: Checks): Promise<Figure[]> {
  const [first, again]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    const checker = createFreshness({ db });
    for (const times of [first, again]) {
      const started = performance.now();
      const found = await checker.check(memories, { root, branch: 'main' });
      times.push(performance.now() - started);
      const counts = Object.fromEntries(
        Object.entries(Object.groupBy(found.values(), ({ word }) => word)).map(([word, all]) => [word, all.length]),
      );
      check(Bun.deepEquals(counts, words), `${what}: ${[...found.values()].map(({ word }) => word).join(' ')}`);
    }
  }
  return [describe(`freshness of 50 files, ${what}`, first), describe(`the same, asked again`, again)];
}

function describe(what: string, times: number[]): Figure {
  const [p50, p95] = [median(times), quantile(times, 0.95)];
  return {
    what,
    figure: `p50 ${formatMs(p50)}, p95 ${formatMs(p95)}`,
    ratio: null,
    goal: atMost(p50, GOAL_MS, ' ms'),
    values: { p50, p95 },
  };
}
