// One client process of the ingest benchmark: `ingest-client.ts SOCKET BYTES MS`. Says "ready", waits for a line, sends, reports JSON.
import { toLine } from './envelope.ts';
import { connectLines } from './line-client.ts';
import { createBenchSession, makeText } from './payloads.ts';

export type ClientReport = { acks: number; elapsedMs: number; latenciesMs: number[] };

/** What the fields of a Bash payload take without its output. */
const FRAME_BYTES = 470;

async function main([socket = '', bytes = '', durationMs = '']: string[]): Promise<void> {
  const client = await connectLines(socket);
  const session = createBenchSession('/home/dev/shop');
  const text = makeText(Math.max(16, Number(bytes) - FRAME_BYTES), process.pid);
  await Bun.write(Bun.stdout, 'ready\n');
  for await (const _ of Bun.stdin.stream()) break;

  const latenciesMs: number[] = [];
  const startedAt = performance.now();
  let now = startedAt;
  while (now - startedAt < Number(durationMs)) {
    const line = toLine(session.bash('ls', text));
    const askedAt = performance.now();
    const answer = await client.ask(line);
    now = performance.now();
    if (!answer.includes('"ok":true')) throw new Error(`the worker answered ${answer}`);
    latenciesMs.push(now - askedAt);
  }
  const report: ClientReport = { acks: latenciesMs.length, elapsedMs: now - startedAt, latenciesMs };
  await Bun.write(Bun.stdout, JSON.stringify(report));
  process.exit(0);
}

main(process.argv.slice(2));
