// The page "Dashboard": how it is in a sentence, then what was made, spent and waited for.
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { JobsAnswer } from '../../../src/core/shapes/job.ts';
import type { Processing } from '../../../src/core/shapes/stream.ts';
import { Problem } from '../parts/problem.tsx';
import { listen } from '../stream.ts';
import '../styles/dashboard.css';
import { useAnswer } from '../use-answer.ts';
import { useWhileVisible } from '../while-visible.ts';
import type { Stats, Status } from './dashboard/answers.ts';
import { type DueQueue, readDue } from './dashboard/due.ts';
import { Facts } from './dashboard/facts.tsx';
import { Health } from './dashboard/health.tsx';
import { Jobs } from './dashboard/jobs.tsx';
import { Latencies } from './dashboard/latencies.tsx';
import { ObservationsFigure } from './dashboard/observations-figure.tsx';
import { QueueFigures } from './dashboard/queue-figure.tsx';
import { addSample } from './dashboard/queue-samples.ts';
import { Sizes } from './dashboard/sizes.tsx';
import { SpendFigure } from './dashboard/spend-figure.tsx';
import type { PageProps } from './index.ts';

const EVERY_MS = 5000;
const MOST_OFTEN_MS = 1000;

export function DashboardPage(_: PageProps) {
  const status = useAnswer<Status>('/api/status');
  const processing = useAnswer<Processing>('/api/processing-status');
  const stats = useAnswer<Stats>('/api/stats');
  const jobs = useAnswer<JobsAnswer>('/api/jobs');
  const lookAtQueue = () => {
    status.again();
    processing.again();
  };
  useWhileVisible(() => {
    lookAtQueue();
    stats.again();
    jobs.again();
  }, EVERY_MS);
  const queue = useMemo(
    () => status.data && processing.data && readDue(status.data.queue, processing.data),
    [status.data, processing.data],
  );
  useQueue(queue, lookAtQueue);
  const error = status.error ?? stats.error;
  return (
    <div class="page wide dashboard">
      <header>
        <h1>Dashboard</h1>
      </header>
      {error && error.status !== 0 && <Problem error={error} onRetry={status.again} />}
      {status.data && stats.data && queue && (
        <>
          <Health status={status.data} queue={queue} />
          <div class="figures">
            <div class="plots">
              <ObservationsFigure counts={stats.data.days} />
              <SpendFigure spend={stats.data.spend} model={status.data.model} />
              <QueueFigures queue={queue} />
            </div>
            <div>
              <Latencies latencies={stats.data.latencies} />
              <Sizes sizes={stats.data.sizes} dataDir={status.data.dataDir} />
              <Facts status={status.data} />
              <Jobs jobs={jobs.data?.jobs ?? []} />
            </div>
          </div>
        </>
      )}
    </div>
  );
}

/** Each answer of the worker is a sample of the queue; when the stream says that it changes, it is asked earlier. */
function useQueue(queue: DueQueue | null, again: () => void): void {
  const askedAt = useRef(0);
  useEffect(() => {
    if (queue) addSample({ at: Date.now(), depth: queue.depth, oldestMs: queue.oldestMs });
  }, [queue]);
  useEffect(
    () =>
      listen('processing', () => {
        if (Date.now() - askedAt.current < MOST_OFTEN_MS) return;
        askedAt.current = Date.now();
        again();
      }),
    [],
  );
}
