// From a prompt that the worker acknowledged to its words, which are there already, and to its vectors.
import { callApi } from '../../src/client/api.ts';
import { atMost, type BenchDeps, check, type Figure } from '../spine/benchmark.ts';
import { toLine } from '../spine/envelope.ts';
import { connectLines } from '../spine/line-client.ts';
import { createBenchSession } from '../spine/payloads.ts';
import { formatMs, quantile } from '../spine/quantile.ts';

const GOAL_MS = 1000;
const DEADLINE_MS = 15_000;

type Index = { documents: number; models: { name: string; waiting: number }[] };

export async function measureIndexLag({ makeHome, isQuick, say }: BenchDeps): Promise<Figure[]> {
  const home = makeHome();
  await home.startWorker();
  const client = await connectLines(home.paths.workerSocket);
  const { prompt } = createBenchSession(home.project('shop'));
  const lags: Record<string, number[]> = {};
  const rounds = isQuick ? 5 : 30;
  say(`writing ${rounds} prompts, each to be found`);
  for (let round = 0; round < rounds; round++) {
    const text = `Prompt ${round}: the cart must keep its ${round} rows after a restart, and the price of each`;
    const answer = await client.ask(toLine(prompt(text)));
    check(answer.includes('"ok":true'), `the worker answered ${answer.slice(0, 200)}`);
    const known = home.count(`SELECT count(*) AS n FROM words WHERE words MATCH 'prompt : "Prompt ${round}"'`);
    check(known === 1, 'a prompt that was acked cannot be found by its words: they are not in its transaction');
    await watch(home.paths, round + 1, performance.now(), lags);
  }
  client.close();
  const words: Figure = {
    what: 'write to words',
    figure: `in the same transaction: ${rounds} of ${rounds} found as soon as they were acked`,
    ratio: null,
    goal: null,
    values: { rounds },
  };
  const vectors = Object.entries(lags).map(([name, ms]) => {
    // The first of all has to start and load what embeds.
    const [first = 0, ...rest] = ms;
    const [p50, p99] = [quantile(rest, 0.5), quantile(rest, 0.99)];
    return {
      what: `write to vectors, ${name}`,
      figure: `p50 ${formatMs(p50)}, p99 ${formatMs(p99)}, the first ${formatMs(first)}`,
      ratio: null,
      goal: atMost(p50, GOAL_MS, ' ms'),
      values: { p50, p99, first },
    };
  });
  return [words, ...vectors];
}

async function watch(
  paths: Parameters<typeof callApi>[0],
  documents: number,
  written: number,
  lags: Record<string, number[]>,
): Promise<void> {
  const open = new Set<string>(['']);
  const seen = new Set<string>();
  while (open.size > 0) {
    check(performance.now() - written < DEADLINE_MS, `a prompt has no vectors after ${DEADLINE_MS} ms`);
    // The route is ours, in this tree.
    const index = (await callApi(paths, '/api/index')) as Index | null;
    if (index && index.documents >= documents && index.models.length > 0) {
      open.clear();
      for (const { name, waiting } of index.models) {
        if (waiting > 0) open.add(name);
        else if (!seen.has(name)) {
          seen.add(name);
          lags[name] ??= [];
          lags[name].push(performance.now() - written);
        }
      }
    }
    await Bun.sleep(2);
  }
}
