// What a person asked for that takes longer: how far it is, what came of it; and the way to end it.
import type { Job } from '../../../../src/core/shapes/job.ts';
import { ask } from '../../api.ts';
import { sayProblem } from '../../correct.ts';
import { formatAgo, formatDateTime, formatShare } from '../../format.ts';

const WORDS: Record<Job['status'], string> = {
  waiting: 'waiting',
  running: 'running',
  done: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
};

const NAMES: Record<Job['kind'], string> = {
  import: 'Import',
  export: 'Export',
  rebuild: 'Rebuild',
  vacuum: 'Compact',
  backup: 'Backup',
};

export function Jobs({ jobs, onCancelled }: { jobs: readonly Job[]; onCancelled: () => void }) {
  if (jobs.length === 0) return null;
  const cancel = (id: number) => ask(`/api/jobs/${id}`, { method: 'DELETE' }).then(onCancelled, sayProblem);
  return (
    <section class="box" aria-labelledby="jobs">
      <h2 id="jobs">Jobs</h2>
      <ul class="jobs">
        {jobs.map((job) => (
          <li key={job.id}>
            <p class="row spread">
              <span>
                <strong>{NAMES[job.kind]}</strong> <span class={job.status === 'failed' ? 'bad-text' : 'faint'}>{WORDS[job.status]}</span>
              </span>
              <span class="row">
                <span class="faint small" title={formatDateTime(job.createdAt)}>
                  {formatAgo(job.createdAt)}
                </span>
                {(job.status === 'waiting' || job.status === 'running') && (
                  <button type="button" onClick={() => cancel(job.id)}>
                    Cancel
                  </button>
                )}
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
  if (error) return <p class="bad-text small">{error}</p>;
  if (status === 'done' || status === 'cancelled') return <p class="faint small">{result?.join(' ') ?? ''}</p>;
  return (
    <p class="job-progress">
      <progress value={progress.done} max={Math.max(1, progress.total)} aria-label={`How far the ${kind} is`} />
      <span class="faint small number">
        {progress.step}
        {progress.total > 0 && `, ${formatShare(progress.done / progress.total)}`}
      </span>
    </p>
  );
}
