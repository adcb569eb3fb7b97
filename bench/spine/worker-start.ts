// From the spawn of the worker to its first ack, in a data dir that has a past and in a blank one.
import { mkdirSync } from 'node:fs';
import { sendLine } from '../../src/client/send.ts';
import type { BenchHome } from './bench-home.ts';
import { atMost, type BenchDeps, type Benchmark, check, type Figure } from './benchmark.ts';
import { toLine } from './envelope.ts';
import { fillStore } from './fill-store.ts';
import { createBenchSession } from './payloads.ts';
import { formatMs, median, quantile } from './quantile.ts';
import { measureRounds, type Variant } from './rounds.ts';
import { timeProcess } from './time-process.ts';

export const workerStart: Benchmark = {
  name: 'start',
  about: 'from the spawn of the worker to its first ack',
  run: measureWorkerStart,
};

const GOAL_MS = 60;
const GIVE_UP_MS = 5000;

async function measureWorkerStart({ built, makeHome, isQuick, say }: BenchDeps): Promise<Figure[]> {
  const home = makeHome();
  fillStore(home.paths, { folders: [home.project('shop')], observations: 300 });
  const variants: Variant[] = [
    {
      name: 'bun -e 0',
      isYardstick: true,
      measure: async () => (await timeProcess({ command: [built.bun, '-e', '0'], env: home.env })).ms,
    },
    { name: 'with a past', measure: () => timeFirstAck(home, [built.bun, built.worker]) },
    {
      name: 'blank',
      measure: async () => {
        const blank = makeHome();
        const ms = await timeFirstAck(blank, [built.bun, built.worker]);
        await blank.close();
        return ms;
      },
    },
  ];
  const rounds = isQuick ? 5 : 25;
  say(`${rounds} starts`);
  const times = await measureRounds(variants, { count: rounds, warmUp: 2 });
  const stored = home.count('SELECT count(*) AS n FROM events');
  check(stored === rounds + 2, `${rounds + 2} events were acked, ${stored} are in the database`);
  const bare = median(times['bun -e 0'] ?? []);
  return ['with a past', 'blank'].map((name): Figure => {
    const p50 = median(times[name] ?? []);
    return {
      what: `worker start to first ack, data dir ${name}`,
      figure: `p50 ${formatMs(p50)}, p95 ${formatMs(quantile(times[name] ?? [], 0.95))}`,
      ratio: { value: p50 / bare, to: 'bun -e 0' },
      goal: name === 'blank' ? null : atMost(p50, GOAL_MS, ' ms'),
      values: { p50, toBun: p50 / bare },
    };
  });
}

async function timeFirstAck(home: BenchHome, command: string[]): Promise<number> {
  const line = toLine(createBenchSession(home.home).prompt('Go on'));
  // Whoever starts a worker makes its folder.
  mkdirSync(home.paths.dataDir, { recursive: true, mode: 0o700 });
  const startedAt = performance.now();
  Bun.spawn(command, { env: home.env, cwd: home.home, stdio: ['ignore', 'ignore', 'ignore'] });
  let answer = await sendLine(home.paths.workerSocket, line, 1000);
  while (answer.kind === 'down' && performance.now() - startedAt < GIVE_UP_MS) {
    await Bun.sleep(1);
    answer = await sendLine(home.paths.workerSocket, line, 1000);
  }
  const ms = performance.now() - startedAt;
  check(answer.kind === 'answer' && answer.line.includes('"ok":true'), `no ack but ${JSON.stringify(answer)}`);
  await home.stopWorker();
  return ms;
}
