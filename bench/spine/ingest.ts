// How many events per second the worker takes, each synced to the disk before its ack, from clients that wait for every ack.
import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { atLeast, atMost, type BenchDeps, type Benchmark, check, type Figure } from './benchmark.ts';
import type { ClientReport } from './ingest-client.ts';
import { formatMs, median, quantile } from './quantile.ts';

export const ingest: Benchmark = {
  name: 'ingest',
  about: 'acks per second with 1 and 16 client processes',
  run: measureIngest,
};

const GOAL_PER_SECOND = 5000;
const GOAL_P99_MS = 20;

type Load = { clients: number; bytes: number };
const LOADS: Load[] = [
  { clients: 1, bytes: 500 },
  { clients: 16, bytes: 500 },
  { clients: 16, bytes: 4096 },
];

type Round = { perSecond: number; latenciesMs: number[] };

async function measureIngest(deps: BenchDeps): Promise<Figure[]> {
  const rounds = deps.isQuick ? 1 : 4;
  const durationMs = deps.isQuick ? 1000 : 3000;
  const measured = LOADS.map((load) => ({ load, rounds: [] as Round[] }));
  const bareCommits: number[] = [];
  for (let round = 0; round < rounds; round++) {
    deps.say(`round ${round + 1} of ${rounds}`);
    bareCommits.push(countBareCommits(deps.makeHome().home, durationMs / 3));
    for (const { load, rounds } of measured) rounds.push(await measureLoad(deps, load, durationMs));
  }
  return measured.flatMap(({ load, rounds }) => describe(load, rounds, median(bareCommits)));
}

async function measureLoad(deps: BenchDeps, load: Load, durationMs: number): Promise<Round> {
  const home = deps.makeHome();
  await home.startWorker();
  const clients = await Promise.all(
    Array.from({ length: load.clients }, () => startClient(deps.built.bun, home.paths.workerSocket, load, durationMs)),
  );
  const reports = await Promise.all(clients.map((client) => client.go()));
  const acks = reports.reduce((sum, report) => sum + report.acks, 0);
  const rows = home.count('SELECT count(*) AS n FROM events');
  check(rows === acks, `${acks} events were acked, ${rows} are in the database`);
  await home.close();
  return {
    perSecond: reports.reduce((sum, report) => sum + (1000 * report.acks) / report.elapsedMs, 0),
    latenciesMs: reports.flatMap((report) => report.latenciesMs),
  };
}

/** Resolves when the client is connected; go() lets it send and resolves with its report. */
async function startClient(bun: string, socket: string, { bytes }: Load, durationMs: number) {
  const program = join(import.meta.dir, 'ingest-client.ts');
  const child = Bun.spawn([bun, program, socket, String(bytes), String(durationMs)], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const reader = child.stdout.getReader();
  const first = await reader.read();
  check(Buffer.from(first.value ?? []).toString() === 'ready\n', 'a client did not get ready');
  return {
    go: async (): Promise<ClientReport> => {
      child.stdin.write('go\n');
      child.stdin.flush();
      const pieces: Uint8Array[] = [];
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) pieces.push(piece.value);
      check((await child.exited) === 0, 'a client failed');
      return JSON.parse(Buffer.concat(pieces).toString());
    },
  };
}

/** The machine's own limit: one row, one synced commit, nothing else, in this process. */
function countBareCommits(folder: string, durationMs: number): number {
  const db = new Database(join(folder, 'bare.db'), { create: true });
  db.run('PRAGMA journal_mode = WAL');
  db.run('PRAGMA synchronous = FULL');
  db.run('CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT)');
  const insert = db.query('INSERT INTO rows (text) VALUES (?)');
  const text = 'x'.repeat(500);
  const startedAt = performance.now();
  let commits = 0;
  for (; performance.now() - startedAt < durationMs; commits++) insert.run(text);
  db.close();
  return (1000 * commits) / durationMs;
}

function describe({ clients, bytes }: Load, rounds: Round[], bareCommits: number): Figure[] {
  const what = `ingest, ${clients} client${clients === 1 ? '' : 's'}, ${bytes} B`;
  const isJudged = clients === 16 && bytes === 500;
  const perSecond = median(rounds.map((round) => round.perSecond));
  const latencies = rounds.flatMap((round) => round.latenciesMs);
  const [p50, p99] = [median(latencies), quantile(latencies, 0.99)];
  return [
    {
      what,
      figure: `${Math.round(perSecond)} acks/s`,
      ratio: { value: perSecond / bareCommits, to: 'bare synced commits' },
      goal: isJudged ? atLeast(perSecond, GOAL_PER_SECOND, '/s') : null,
      values: { perSecond, bareCommits },
    },
    {
      what: `${what}, until the ack`,
      figure: `p50 ${formatMs(p50)}, p99 ${formatMs(p99)}`,
      ratio: { value: p99 / p50, to: 'p50' },
      goal: isJudged ? atMost(p99, GOAL_P99_MS, ' ms p99') : null,
      values: { p50, p99 },
    },
  ];
}
