// What it costs that somebody watches: the same load on a worker with 50 viewers and on one without, turn by turn.
import { join } from 'node:path';
import { callApi } from '../../src/client/api.ts';
import { until } from '../../test/support/until.ts';
import type { BenchHome } from './bench-home.ts';
import { atLeast, atMost, type BenchDeps, type Benchmark, check, type Figure } from './benchmark.ts';
import { createBenchSession, makeText } from './payloads.ts';
import { formatMs, median, quantile } from './quantile.ts';
import { startChild, type TalkingChild } from './talking-child.ts';
import { timeProcess } from './time-process.ts';
import type { LoadReport } from './watch-load.ts';
import type { ViewersReport } from './watch-viewers.ts';

export const watch: Benchmark = {
  name: 'watch',
  about: '50 viewers while 1,000 events a second come in: what they hear, and what hooks feel of it',
  run: measureWatching,
};

const VIEWERS = 50;
const PER_SECOND = 1000;
const GOAL_HOOK = 1.5;
const GOAL_ACK_P99_MS = 50;
/** Between two hooks of a session that works. */
const HOOK_REST_MS = 40;

type Scene = {
  name: string;
  home: BenchHome;
  address: string;
  hooksMs: number[];
  acksMs: number[];
  rates: number[];
  spooled: number;
};

async function measureWatching(deps: BenchDeps): Promise<Figure[]> {
  const [rounds, durationMs] = deps.isQuick ? [1, 3000] : [8, 3000];
  const [alone, watched] = [await openScene(deps, 'nobody watches'), await openScene(deps, `${VIEWERS} watch`)];
  const viewers = await startChild([
    ...[deps.built.bun, program('watch-viewers'), watched.address, String(VIEWERS)],
    watched.home.paths.token,
  ]);
  // The first of all is slower, whoever it meets.
  for (const scene of [alone, watched]) await work(deps, { ...scene, ...nothingMeasured() }, 1000);
  for (let round = 0; round < rounds; round++) {
    deps.say(`round ${round + 1} of ${rounds}`);
    for (const scene of round % 2 === 0 ? [alone, watched] : [watched, alone]) await work(deps, scene, durationMs);
  }
  const heard = await checkHeard(viewers, watched.home);
  await viewers.end();
  return [...describeHooks(alone, watched), describeAcks(alone, watched), describeHeard(heard, watched)];
}

async function openScene({ makeHome }: BenchDeps, name: string): Promise<Scene> {
  const home = makeHome();
  await home.startWorker();
  const port = await until(async () => {
    const health = await callApi(home.paths, '/health').catch(() => null);
    return health !== null && typeof health === 'object' && 'port' in health && health.port;
  });
  return { name, home, address: `http://127.0.0.1:${port}`, ...nothingMeasured() };
}

const nothingMeasured = () => ({ hooksMs: [], acksMs: [], rates: [], spooled: 0 });
const program = (name: string) => join(import.meta.dir, `${name}.ts`);

/** The load, and meanwhile one fresh hook process after the other. */
async function work({ built }: BenchDeps, scene: Scene, durationMs: number): Promise<void> {
  const { home, hooksMs, acksMs, rates } = scene;
  const spoolBefore = home.spoolChangedAt();
  const load = await startChild([
    ...[built.bun, program('watch-load'), home.paths.workerSocket],
    ...[String(PER_SECOND), String(durationMs)],
  ]);
  const report = load.ask<LoadReport>();
  const session = createBenchSession(home.project('worked'));
  const startedAt = performance.now();
  while (performance.now() - startedAt < durationMs - 100) {
    const { command, payload } = session.bash('bun test', makeText(400));
    const stdin = Buffer.from(JSON.stringify(payload));
    hooksMs.push((await timeProcess({ command: home.hook(command), env: home.env, stdin })).ms);
    await Bun.sleep(HOOK_REST_MS);
  }
  const { latenciesMs, acks, elapsedMs } = await report;
  acksMs.push(...latenciesMs);
  rates.push((1000 * acks) / elapsedMs);
  await load.end();
  // Such a flood is no agent's: a hook that was not acked within its time is told, and its event is heard like any other.
  if (home.spoolChangedAt() !== spoolBefore) scene.spooled++;
}

async function checkHeard(viewers: TalkingChild, home: BenchHome): Promise<ViewersReport> {
  const stored = home.count('SELECT count(*) AS n FROM events');
  let heard = await viewers.ask<ViewersReport>();
  const isAll = async () => {
    heard = await viewers.ask<ViewersReport>();
    return heard.events >= stored && heard.alike === VIEWERS;
  };
  await until(isAll, 5000).catch(() => undefined);
  check(heard.open === VIEWERS, `${VIEWERS - heard.open} streams were cut off`);
  check(heard.events === stored, `${stored} events were stored, ${heard.events} were heard`);
  check(heard.twice === 0, `${heard.twice} events were heard more than once`);
  check(heard.gaps === 0, `${heard.gaps} messages came out of order`);
  check(heard.alike === VIEWERS, `${VIEWERS - heard.alike} viewers heard something else than the first`);
  return heard;
}

function describeHooks(alone: Scene, watched: Scene): Figure[] {
  const p50 = median(alone.hooksMs);
  return [alone, watched].map((scene) => {
    const own = median(scene.hooksMs);
    const p95 = quantile(scene.hooksMs, 0.95);
    return {
      what: `hook save at ${PER_SECOND} events/s, ${scene.name}`,
      figure: `p50 ${formatMs(own)}, p95 ${formatMs(p95)} (${scene.hooksMs.length} hooks${scene.spooled > 0 ? `, spooled in ${scene.spooled} rounds` : ''})`,
      ratio: { value: own / p50, to: 'nobody watches' },
      goal: scene === watched ? atMost(own / p50, GOAL_HOOK, 'x') : null,
      values: { p50: own, p95, spooled: scene.spooled },
    };
  });
}

function describeAcks(alone: Scene, watched: Scene): Figure {
  const [p50, p99] = [median(watched.acksMs), quantile(watched.acksMs, 0.99)];
  return {
    what: `acks at ${PER_SECOND} events/s, ${watched.name}`,
    figure: `p50 ${formatMs(p50)}, p99 ${formatMs(p99)}, max ${formatMs(Math.max(...watched.acksMs))}`,
    ratio: { value: p99 / quantile(alone.acksMs, 0.99), to: 'nobody watches' },
    goal: atMost(p99, GOAL_ACK_P99_MS, ' ms p99'),
    values: { p50, p99, p50Alone: median(alone.acksMs), p99Alone: quantile(alone.acksMs, 0.99) },
  };
}

function describeHeard({ events, messages, lagsMs }: ViewersReport, { rates }: Scene): Figure {
  const perSecond = median(rates);
  const [p50, p99] = [median(lagsMs), quantile(lagsMs, 0.99)];
  return {
    what: `events heard by each of ${VIEWERS}`,
    figure: `${events} once and in order, ${formatMs(p50)} later (p99 ${formatMs(p99)}), at ${Math.round(perSecond)}/s`,
    ratio: null,
    goal: atLeast(perSecond, PER_SECOND * 0.95, '/s'),
    values: { events, messages, lagP50: p50, lagP99: p99, perSecond },
  };
}
