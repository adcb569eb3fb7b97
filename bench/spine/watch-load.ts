// The load of the watch benchmark: `watch-load.ts SOCKET PER_SECOND MS`. Says "ready", waits for a line, sends at that rate, reports JSON.
import { toLine } from './envelope.ts';
import { connectLines } from './line-client.ts';
import { createBenchSession, makeText } from './payloads.ts';

export type LoadReport = { acks: number; elapsedMs: number; latenciesMs: number[] };

/** Agents that work at the same time, each with a connection. */
const AGENTS = 16;

async function main([socket = '', perSecond = '', durationMs = '']: string[]): Promise<void> {
  const agents = await Promise.all(
    Array.from({ length: AGENTS }, async (_, at) => ({
      client: await connectLines(socket),
      session: createBenchSession(`/home/dev/shop-${at % 4}`),
      text: makeText(200, process.pid + at),
    })),
  );
  await Bun.write(Bun.stdout, 'ready\n');
  for await (const _ of Bun.stdin.stream()) break;

  const latenciesMs: number[] = [];
  const startedAt = performance.now();
  const restMs = (AGENTS * 1000) / Number(perSecond);
  const work = async ({ client, session, text }: (typeof agents)[number], first: number) => {
    // By the clock: whoever was held up sends the next one sooner.
    for (let dueMs = first; dueMs < Number(durationMs); dueMs += restMs) {
      const waitMs = startedAt + dueMs - performance.now();
      if (waitMs > 0) await Bun.sleep(waitMs);
      const line = toLine(session.bash('bun test', text));
      const askedAt = performance.now();
      const answer = await client.ask(line);
      if (!answer.includes('"ok":true')) throw new Error(`the worker answered ${answer}`);
      latenciesMs.push(performance.now() - askedAt);
    }
  };
  await Promise.all(agents.map((agent, at) => work(agent, (at * restMs) / AGENTS)));
  const report: LoadReport = { acks: latenciesMs.length, elapsedMs: performance.now() - startedAt, latenciesMs };
  await Bun.write(Bun.stdout, JSON.stringify(report));
  process.exit(0);
}

main(process.argv.slice(2));
