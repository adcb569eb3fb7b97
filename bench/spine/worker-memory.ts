// The memory of a worker that took 10,000 events, observed and embedded them, and then had nothing to do.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { callApi } from '../../src/client/api.ts';
import type { Paths } from '../../src/paths.ts';
import { until } from '../../test/support/until.ts';
import { atMost, type BenchDeps, type Benchmark, check, type Figure } from './benchmark.ts';
import { toLine } from './envelope.ts';
import { connectLines } from './line-client.ts';
import { workDays } from './work-day.ts';

export const workerMemory: Benchmark = {
  name: 'memory',
  about: 'RSS of the worker after 10,000 events and 60 s idle',
  run: measureWorkerMemory,
};

const GOAL_MB = 70;
const EVENTS = 10_000;
const PROJECTS = 4;
/** Sessions at once: each has a connection that waits for every ack. */
const CONNECTIONS = 4;

async function measureWorkerMemory({ built, makeHome, isQuick, say }: BenchDeps): Promise<Figure[]> {
  const idleMs = isQuick ? 5000 : 60_000;
  const home = makeHome();
  const folders = Array.from({ length: PROJECTS }, (_, at) => home.project(`project-${at}`));
  const pid = await home.startWorker();
  const atStart = readMemory(pid).rss;
  say(`sending ${EVENTS} events`);
  const sent = await sendAll(home.paths.workerSocket, folders);
  const waiting = () => home.count("SELECT count(*) AS n FROM events WHERE status IN ('pending','claimed')");
  await until(() => waiting() === 0, 120_000);
  const stored = home.count('SELECT count(*) AS n FROM events');
  check(stored === sent, `${sent} events were acked, ${stored} are in the database`);
  check(home.count('SELECT count(*) AS n FROM observations') > 0, 'the observer made nothing of the events');
  const afterLoad = readMemory(pid).rss;
  if (!isQuick) await waitForVectors(home.paths, say);
  say(`idle for ${idleMs / 1000} s`);
  await Bun.sleep(idleMs);
  const { rss, peak } = readMemory(pid);
  const bare = await readBareMemory(built.bun);
  const figure = (mb: number) => `${mb.toFixed(1)} MB`;
  return [
    {
      what: `worker RSS, ${EVENTS} events, ${idleMs / 1000} s idle`,
      figure: `${figure(rss)} (peak ${figure(peak)}, after load ${figure(afterLoad)}, at start ${figure(atStart)})`,
      ratio: { value: rss / bare, to: 'bare bun' },
      goal: atMost(rss, GOAL_MB, ' MB'),
      values: { rss, peak, afterLoad, atStart, bare },
    },
  ];
}

/** A worker that still embeds has something to do. It takes half a core at most, so this takes minutes. */
async function waitForVectors(paths: Paths, say: (line: string) => void): Promise<void> {
  const Index = z.object({ models: z.array(z.object({ waiting: z.number() })) });
  const read = async () => Index.parse(await callApi(paths, '/api/index')).models.map(({ waiting }) => waiting);
  say(`embedding, ${Math.max(...(await read()))} documents wait`);
  await until(async () => (await read()).every((n) => n === 0), 600_000);
}

async function sendAll(socket: string, folders: string[]): Promise<number> {
  const shares = folders.slice(0, CONNECTIONS).map(async (folder) => {
    const client = await connectLines(socket);
    let sent = 0;
    for (const call of workDays([folder], EVENTS / CONNECTIONS)) {
      const answer = await client.ask(toLine(call));
      check(answer.includes('"ok":true'), `the worker answered ${answer.slice(0, 200)}`);
      sent++;
    }
    client.close();
    return sent;
  });
  return (await Promise.all(shares)).reduce((sum, count) => sum + count, 0);
}

/** In MB. */
export function readMemory(pid: number): { rss: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const read = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
  return { rss: read('VmRSS'), peak: read('VmHWM') };
}

/** A runtime that only waits. */
async function readBareMemory(bun: string): Promise<number> {
  const child = Bun.spawn([bun, '-e', 'setTimeout(() => 0, 60000)'], { stdio: ['ignore', 'ignore', 'ignore'] });
  await Bun.sleep(500);
  const { rss } = readMemory(child.pid);
  child.kill('SIGKILL');
  await child.exited;
  return rss;
}
