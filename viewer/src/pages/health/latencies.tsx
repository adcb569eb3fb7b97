// How fast each stage was lately: what is usual, and the slowest of a hundred.
import type { Latency } from '../../../../src/core/shapes/worker.ts';
import type { Stage } from '../../../../src/core/time.ts';
import { formatNumber } from '../../format.ts';
import { formatDuration } from './durations.ts';

const WORDS: Record<Stage, string> = {
  ack: 'Hook answered',
  queueWait: 'Event waits',
  observe: 'Turn processed',
  index: 'Batch indexed',
  note: 'Note with a prompt',
  lateNote: 'Note left out: too late',
};

export function Latencies({ latencies }: { latencies: Record<Stage, Latency> }) {
  const stages = (Object.keys(WORDS) as Stage[]).filter((stage) => latencies[stage].count > 0);
  if (stages.length === 0) {
    return (
      <section class="figure">
        <h2>Speed</h2>
        <p class="faint small">Nothing was measured since the worker started. The next session brings figures.</p>
      </section>
    );
  }
  return (
    <section class="figure">
      <h2>Speed</h2>
      <p class="faint small">Since the worker started. Log scale.</p>
      <div class="numbers-scroll">
        <table class="latencies small">
          <thead>
            <tr>
              <th scope="col">Stage</th>
              <th scope="col">Usual</th>
              <th scope="col">Slowest 1%</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {stages.map((stage) => (
              <Row key={stage} words={WORDS[stage]} latency={latencies[stage]} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Row({ words, latency: { p50, p99, count } }: { words: string; latency: Latency }) {
  return (
    <tr title={`of ${formatNumber(count)}`}>
      <th scope="row">{words}</th>
      <td>{p50 === null ? '–' : formatDuration(p50)}</td>
      <td>{p99 === null ? '–' : formatDuration(p99)}</td>
      <td class="bars" aria-hidden="true">
        <span class="bar weak" style={{ width: share(p99) }} />
        <span class="bar" style={{ width: share(p50) }} />
      </td>
    </tr>
  );
}

const SHORTEST_MS = 0.1;
const LONGEST_MS = 3_600_000;

/** By the power of ten: a millisecond and a minute fit into one picture. */
function share(ms: number | null): string {
  if (ms === null) return '0';
  const part = Math.log10(Math.max(ms, SHORTEST_MS) / SHORTEST_MS) / Math.log10(LONGEST_MS / SHORTEST_MS);
  return `${Math.min(100, Math.max(1.5, part * 100)).toFixed(1)}%`;
}
