// The page "Health": what is wrong and what to do, then how fast, how large, and what was kept out.

import '../styles/health.css';
import type { Processing } from '../../../src/core/shapes/stream.ts';
import type { Stats, Status } from '../../../src/core/shapes/worker.ts';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { useAnswer } from '../use-answer.ts';
import { useWhileVisible } from '../while-visible.ts';
import { Facts } from './health/facts.tsx';
import { HealthLine } from './health/health-line.tsx';
import { Latencies } from './health/latencies.tsx';
import { Sizes } from './health/sizes.tsx';
import type { PageProps } from './index.ts';

const EVERY_MS = 5000;

export function HealthPage(_: PageProps) {
  const status = useAnswer<Status>('/api/status');
  const processing = useAnswer<Processing>('/api/processing-status');
  const stats = useAnswer<Stats>('/api/stats');
  useWhileVisible(() => {
    for (const one of [status, processing, stats]) one.again();
  }, EVERY_MS);
  const error = status.error ?? stats.error;
  return (
    <div class="page health">
      <header>
        <h1>Health</h1>
        <a href="/view/logs">Log of the worker</a>
      </header>
      {error && !status.data && <Problem error={error} onRetry={status.again} />}
      {!status.data && !error && <Skeleton />}
      {status.data && <HealthLine status={status.data} processing={processing.data} isWhole />}
      {status.data && stats.data && (
        <div class="figures">
          <Facts status={status.data} />
          <Latencies latencies={stats.data.latencies} />
          <Sizes sizes={stats.data.sizes} dataDir={status.data.dataDir} />
        </div>
      )}
    </div>
  );
}
