// `claude-mem jobs`: what the worker was asked to do, how far it is; `jobs cancel` ends one.
import { askWorker } from '../../client/api.ts';
import { plainLine } from '../../core/plain-line.ts';
import type { Job, JobsAnswer } from '../../core/shapes/job.ts';
import { formatDate, formatMoment } from '../../core/time.ts';
import { findPaths, homeDir } from '../../paths.ts';
import { command } from '../command.ts';
import { type CellOf, clip, drawTable, findTerminal, printJson, printTable, type Terminal } from '../print.ts';
import { describeProgress, isOpen } from '../watch-job.ts';

export const jobsCommand = command({
  name: 'jobs',
  about: 'what the worker was asked to do, and how far it is',
  options: { '--json': 'as JSON' },
  who: 'anyone',
  commands: [
    command({
      name: 'cancel <id>',
      about: 'end one; what it did stays, and the same command goes on from there',
      options: { '--json': 'as JSON' },
      who: 'anyone',
      run: cancelJob,
    }),
  ],
  async run(options) {
    // The worker is ours: its answers keep to core/job.ts.
    const { jobs } = (await askWorker(findPaths(), '/api/jobs')) as JobsAnswer;
    if (options.json) return printJson(jobs);
    if (jobs.length === 0) return console.log('No jobs.');
    const terminal = findTerminal();
    if (terminal.isTerminal) return console.log(drawJobs(jobs, terminal));
    printTable([...COLUMNS, { heading: 'result', cell: describeState }], jobs);
  },
});

const COLUMNS: CellOf<Job>[] = [
  { heading: 'id', isNumber: true, style: 'bold', cell: ({ id }) => String(id) },
  { heading: 'since', style: 'dim', cell: ({ createdAt }) => formatMoment(createdAt) },
  { heading: 'job', cell: ({ kind }) => kind },
  { heading: 'status', cell: ({ status }) => status },
  { heading: 'what', isFlexible: true, cell: describeWanted },
];

/** What came of it is a sentence: it has a line of its own. */
function drawJobs(jobs: Job[], terminal: Terminal): string {
  const [head, ...rows] = drawTable(COLUMNS, jobs, terminal).split('\n');
  const lines = rows.flatMap((row, at) => {
    const job = jobs[at];
    const state = job ? plainLine(describeState(job), LONGEST_STATE) : '';
    return state === '' ? [row] : [row, clip(`    ${state}`, terminal.width)];
  });
  return [head, ...lines].join('\n');
}

const LONGEST_STATE = 400;

function describeWanted({ kind, parameters }: Job): string {
  const { path, decisions, agent, project, cwd, since, deepen } = parameters;
  const place = [path, decisions].find((one) => typeof one === 'string');
  const what = place === undefined ? (kind === 'import' ? 'transcripts' : '') : shorten(String(place));
  const when = typeof since === 'number' ? formatDate(since) : since;
  const parts = [
    what,
    agent && `of ${agent}`,
    (project ?? cwd) && `of ${shorten(String(project ?? cwd))}`,
    when && `since ${when}`,
    deepen && `deepen ${deepen}`,
  ];
  return parts.filter(Boolean).join(' ');
}

const shorten = (path: string) => (path.startsWith(`${homeDir()}/`) ? `~${path.slice(homeDir().length)}` : path);

function describeState({ status, progress, result, error, createdAt }: Job): string {
  if (status === 'running') return describeProgress(progress, Date.now() - createdAt);
  return error ?? result?.[0] ?? '';
}

/** It ends between two pieces of work. */
const WAIT_MS = 5000;
const LOOK_MS = 100;

async function cancelJob(id: string, options: { json?: boolean }): Promise<void> {
  const paths = findPaths();
  const route = `/api/jobs/${encodeURIComponent(id)}`;
  // The worker is ours: its answers keep to core/job.ts.
  let job = (await askWorker(paths, route, { method: 'DELETE' })) as Job;
  if (!options.json && isOpen(job)) console.error(`Job ${job.id} is being cancelled.`);
  const deadline = performance.now() + WAIT_MS;
  while (isOpen(job) && performance.now() < deadline) {
    await Bun.sleep(LOOK_MS);
    job = (await askWorker(paths, route)) as Job;
  }
  if (options.json) return printJson(job);
  if (isOpen(job)) return console.log(`It has not ended yet; \`claude-mem jobs\` says when it has.`);
  console.log([`Job ${job.id} was cancelled.`, ...(job.result ?? [])].join('\n'));
}
