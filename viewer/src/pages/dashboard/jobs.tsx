// What a person asked for that takes longer: how far it is, what came of it.
import type { Job } from '../../../../src/core/shapes/job.ts';
import { formatAgo, formatDateTime } from '../../format.ts';

const WORDS: Record<Job['status'], string> = {
  waiting: 'waits',
  running: 'running',
  done: 'done',
  failed: 'failed',
  cancelled: 'ended early',
};

const SHOWN = 5;

export function Jobs({ jobs }: { jobs: Job[] }) {
  if (jobs.length === 0) return null;
  return (
    <section class="figure">
      <h2>Jobs</h2>
      <ul class="jobs plain small">
        {jobs.slice(0, SHOWN).map((job) => (
          <li key={job.id} class="stack">
            <p class="row spread">
              <span>
                <strong>{job.kind}</strong> <span class={job.status === 'failed' ? 'bad-text' : 'faint'}>{WORDS[job.status]}</span>
              </span>
              <span class="faint" title={formatDateTime(job.createdAt)}>
                {formatAgo(job.createdAt)}
              </span>
            </p>
            <Progress job={job} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Progress({ job: { status, progress, result, error, kind } }: { job: Job }) {
  if (error) return <p class="bad-text">{error}</p>;
  if (status === 'done') return <p class="faint">{result?.join(' ') ?? ''}</p>;
  if (status === 'cancelled') return null;
  return (
    <p class="stack tight">
      <progress value={progress.done} max={Math.max(1, progress.total)} aria-label={`How far the ${kind} is`} />
      <span class="faint">{progress.step}</span>
    </p>
  );
}
