// `claude-mem jobs`: what the worker was asked to do, how far it is; `jobs cancel` ends one.
import { askWorker } from '../../client/api.ts';
import type { Job, JobsAnswer } from '../../core/job.ts';
import { findPaths } from '../../paths.ts';
import { describeProgress } from '../watch-job.ts';

export async function listJobs(options: { json?: boolean }): Promise<void> {
  // The worker is ours: its answers keep to core/job.ts.
  const { jobs } = (await askWorker(findPaths(), '/api/jobs')) as JobsAnswer;
  if (options.json) return console.log(JSON.stringify(jobs, null, 2));
  console.log(jobs.length === 0 ? 'No jobs.' : jobs.map(describeJob).join('\n'));
}

export async function cancelJob(id: string, options: { json?: boolean }): Promise<void> {
  const job = (await askWorker(findPaths(), `/api/jobs/${encodeURIComponent(id)}`, { method: 'DELETE' })) as Job;
  console.log(options.json ? JSON.stringify(job, null, 2) : describeJob(job));
}

function describeJob({ id, kind, status, progress, error, createdAt }: Job): string {
  const far = status === 'running' ? ` ${describeProgress(progress, Date.now() - createdAt, false)}` : '';
  return `${id} ${kind} ${status}${far}${error ? `: ${error}` : ''}`;
}
