// The hooks that tell a session something, as real processes against a worker with 100,000 observations and a real repository.
import { writeFileSync } from 'node:fs';
import { ensureSession } from '../../src/capture/sessions.ts';
import { bareEvidence } from '../../src/core/evidence.ts';
import { citeFiles } from '../../src/git/cite.ts';
import { insertObservation } from '../../src/memory/observations.ts';
import { findProject } from '../../src/projects/projects.ts';
import { openStore } from '../../src/store/open.ts';
import { EMPTY_OBSERVATION } from '../../test/support/memories.ts';
import { LARGE_PROJECT } from '../search/fill-memory.ts';
import { createFilledMemories } from '../search/filled-memory.ts';
import { createQueries } from '../search/queries.ts';
import type { BenchHome } from './bench-home.ts';
import { atMost, type BenchDeps, type Benchmark, check, type Figure } from './benchmark.ts';
import { createPastRepository, nameFile } from './past-repository.ts';
import { createBenchSession, type HookCall } from './payloads.ts';
import { formatMs, median, quantile } from './quantile.ts';
import { measureRounds, type Variant } from './rounds.ts';
import { timeProcess } from './time-process.ts';

export const told: Benchmark = {
  name: 'told',
  about: 'what a session is told at its start, with its first prompt, before an edit and after an error, at 100,000 observations',
  run: measureTold,
};

const FILES = 50;
const CHANGED = 10;
const EMBEDDERS = ['static', 'minilm'] as const;
/** In starts of the bare runtime. */
const GOALS: Record<string, number> = {
  start: 6,
  'first prompt': 12,
  'edit, nothing to say': 2,
  'error, nothing to say': 2,
};

async function measureTold(deps: BenchDeps): Promise<Figure[]> {
  const observations = deps.isQuick ? 10_000 : 100_000;
  const memories = createFilledMemories(deps);
  const { home } = await memories.take(observations);
  const repo = addRepository(home);
  const figures: Figure[] = [];
  for (const embedder of EMBEDDERS) {
    writeFileSync(home.paths.config, JSON.stringify({ embedder, gitCommits: 0 }), { mode: 0o600 });
    await home.startWorker();
    deps.say(`${observations} observations, ${embedder}`);
    const nextQuery = createQueries(memories.language, observations);
    const { times, notes } = await measureHooks(deps, home, { repo, nextQuery });
    // The filled memory's MiniLM vectors are made up: by them no memory is near enough to a prompt.
    if (embedder === 'static') check(notes > 0, 'no prompt was told anything');
    figures.push(...Object.keys(times).map((name) => describe(name, times, { observations, embedder })));
    await home.stopWorker();
  }
  // What does not search costs the same with any embedder.
  return figures.filter(({ what }, at) => figures.findIndex((other) => other.what === what) === at);
}

/** The large project is a repository now: its newest memories are about 50 files of it, ten of which have been changed since. */
function addRepository({ paths, project }: BenchHome): string {
  const root = project('large-repository');
  const repository = createPastRepository(root, 300);
  repository.addCommits(
    299,
    Array.from({ length: 200 }, (_, file) => file),
  );
  const db = openStore(paths.database);
  db.query('UPDATE projects SET key = ?, root = ? WHERE key = ?').run(root, root, LARGE_PROJECT);
  const projectId = findProject(db, root)?.id ?? 0;
  const place = { host: 'claude-code', projectId, cwd: root, root, branch: 'main', at: Date.now() };
  db.transaction(() => {
    for (let file = 0; file < FILES; file++) {
      const { id: sessionId } = ensureSession(db, { ...place, hostSessionId: `repository-${file % 10}` });
      const draft = {
        ...EMPTY_OBSERVATION,
        type: file % 3 === 0 ? ('decision' as const) : ('bugfix' as const),
        title: `Decided how part ${file} of the repository rounds value${file * 3}`,
        narrative: `It rounds half up, measured against ledger ${file}.`,
        filesModified: [nameFile(file)],
        outcome: 'passed' as const,
        at: Date.now() - file * 1000,
      };
      const owner = { sessionId, projectId, promptNumber: 1, batchId: null, isProvisional: false };
      insertObservation(db, owner, draft, { ...bareEvidence(draft), ...citeFiles(draft, { root, events: [] }) });
    }
  }).immediate();
  db.close(true);
  repository.addCommits(
    CHANGED,
    Array.from({ length: CHANGED }, (_, file) => file),
  );
  return root;
}

type Scene = { repo: string; nextQuery: () => string };

async function measureHooks({ built, isQuick }: BenchDeps, home: BenchHome, { repo, nextQuery }: Scene) {
  let session = createBenchSession(repo);
  const counts = { prompt: 0 };
  const run = async ({ command, payload }: HookCall) => {
    const stdin = Buffer.from(JSON.stringify(payload));
    return timeProcess({ command: home.hook(command), env: home.env, stdin });
  };
  /** A person types for a while, and between a prompt and what the agent does lies an answer of the model: by then the worker is quiet. */
  const runLater = async (call: HookCall) => {
    await Bun.sleep(150);
    return run(call);
  };
  const isTold = (stdout: string) => stdout.includes('<claude-mem-context');
  const variants: Variant[] = [
    {
      name: 'bun -e 0',
      isYardstick: true,
      measure: async () => (await timeProcess({ command: [built.bun, '-e', '0'], env: home.env })).ms,
    },
    {
      name: 'start',
      measure: async () => {
        session = createBenchSession(repo);
        const { ms, stdout } = await run(session.start());
        check(isTold(stdout), `told: ${stdout.slice(0, 300)}`);
        const { additionalContext = '' } = JSON.parse(stdout).hookSpecificOutput ?? {};
        check(additionalContext.length <= 10_000, `${additionalContext.length} characters were told`);
        return ms;
      },
    },
    {
      name: 'first prompt',
      measure: async (round) => {
        const part = round % FILES;
        const known = `How did we decide that part ${part} of the repository rounds value${part * 3}, against which ledger?`;
        // One that is answered, one that is not.
        const { ms, stdout } = await runLater(session.prompt(round % 2 === 0 ? known : `Why does this happen: ${nextQuery()}`));
        if (isTold(stdout)) counts.prompt++;
        return ms;
      },
    },
    {
      name: 'edit, nothing to say',
      measure: async () => {
        const { ms, stdout } = await runLater(session.beforeEdit(`${repo}/${nameFile(300)}`));
        check(!isTold(stdout), 'something was said about a file that nothing is known of');
        return ms;
      },
    },
    {
      name: 'edit of a file with a past',
      measure: async () => {
        const { ms, stdout } = await runLater(session.beforeEdit(`${repo}/${nameFile(30)}`));
        check(isTold(stdout), `nothing was said about a file with a decision: ${stdout.slice(0, 200)}`);
        return ms;
      },
    },
    {
      name: 'error, nothing to say',
      measure: async (round) => (await runLater(session.bashFails('make', `Exit code 2\nmake: no rule for target-${round}`))).ms,
    },
  ];
  const times = await measureRounds(variants, { count: isQuick ? 15 : 60, warmUp: 5 });
  return { times, notes: counts.prompt };
}

function describe(
  name: string,
  times: Record<string, number[]>,
  { observations, embedder }: { observations: number; embedder: string },
): Figure {
  const p50 = median(times[name] ?? []);
  const p95 = quantile(times[name] ?? [], 0.95);
  const value = p50 / median(times['bun -e 0'] ?? []);
  const goal = GOALS[name];
  const how = name === 'first prompt' ? `, ${embedder}` : '';
  return {
    what: `told: ${name}${how}, ${observations} observations`,
    figure: `p50 ${formatMs(p50)}, p95 ${formatMs(p95)}`,
    ratio: { value, to: 'bun -e 0' },
    goal: goal === undefined ? null : atMost(value, goal, 'x'),
    values: { p50, p95, toBun: value },
  };
}
