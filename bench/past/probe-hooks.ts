// Somebody works while a job runs: one tool every moment, and how long each waits for its ack.
import { sendLine } from '../../src/client/send.ts';
import type { BenchHome } from '../spine/bench-home.ts';
import { check } from '../spine/benchmark.ts';
import { toLine } from '../spine/envelope.ts';
import { createBenchSession } from '../spine/payloads.ts';

const PROBE_MS = 100;
const PATIENCE_MS = 20 * 60_000;

export function probeHooks(home: BenchHome): { end: () => Promise<number[]> } {
  const session = createBenchSession(home.project('at-work'));
  const acks: number[] = [];
  let isOver = false;
  const run = async () => {
    while (!isOver) {
      const started = performance.now();
      const answer = await sendLine(home.paths.workerSocket, toLine(session.bash('ls', 'a file')), PATIENCE_MS);
      check(answer.kind === 'answer', 'a hook was not answered');
      acks.push(performance.now() - started);
      await Bun.sleep(PROBE_MS);
    }
  };
  const running = run();
  return {
    end: async () => {
      isOver = true;
      await running;
      return acks;
    },
  };
}
