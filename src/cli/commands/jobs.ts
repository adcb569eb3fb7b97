// `claude-mem jobs`: what the worker was asked to do, and how far it is. `rebuild`, `reindex` and `vacuum`: three of these.
import { askWorker } from '../../client/api.ts';
import type { Job, JobProgress, JobsAnswer } from '../../core/shapes/job.ts';
import type { IndexState } from '../../core/shapes/worker.ts';
import { sayCount } from '../../core/text.ts';
import { formatDate } from '../../core/time.ts';
import { findPaths, homeDir } from '../../paths.ts';
import { command, IMPORTS, isOwnTranscripts } from '../command.ts';
import { findClaudeFolder } from '../install/claude-cli.ts';
import { readPlace } from '../options.ts';
import { type Column, listed, whenColumn } from '../print.ts';
import { askJob, createProgress, describeProgress, isOpen, onInterrupt, runJob } from '../watch-job.ts';
import { describeIndex, listIndexProblems } from '../worker-state.ts';

/** It ends between two pieces of work. */
const CANCEL_MS = 5000;
const LOOK_MS = 100;

export const jobsCommand = command({
  name: 'jobs',
  about: 'Show imports and other long work, and how far it is',
  who: 'anyone',
  commands: [
    command({
      name: 'cancel <id>',
      about: 'End a job. What it did stays; the same command resumes there',
      who: 'anyone',
      async run(id, { json }) {
        const path = `/${encodeURIComponent(id)}`;
        let job = await askJob(path, { method: 'DELETE' });
        if (!json && isOpen(job)) console.error(`Job ${job.id} is being cancelled.`);
        for (const deadline = performance.now() + CANCEL_MS; isOpen(job) && performance.now() < deadline; job = await askJob(path)) {
          await Bun.sleep(LOOK_MS);
        }
        if (isOpen(job)) return { answer: job, text: () => 'It has not ended yet; `claude-mem jobs` says when it has.' };
        return { answer: job, text: () => [`Job ${job.id} was cancelled.`, ...(job.result ?? [])].join('\n') };
      },
    }),
  ],
  async run() {
    const { jobs } = await askWorker<JobsAnswer>(findPaths(), '/api/jobs');
    return listed(COLUMNS, jobs, { answer: jobs, none: 'No jobs.' });
  },
});

const COLUMNS: Column<Job>[] = [
  { heading: 'id', isNumber: true, style: 'bold', cell: ({ id }) => String(id) },
  whenColumn('since', ({ createdAt }) => createdAt),
  { heading: 'job', cell: ({ kind }) => kind },
  { heading: 'status', cell: ({ status }) => status },
  { heading: 'what', cell: describeWanted },
  { heading: 'result', isFlexible: true, cell: describeState },
];

function describeWanted({ kind, parameters }: Job): string {
  const { path, decisions, agent, project, cwd, since, deepen } = parameters;
  const place = path ?? decisions ?? (kind === 'import' ? 'transcripts' : '');
  const when = typeof since === 'number' ? formatDate(since) : since;
  const whose = project ?? cwd;
  const parts = [place, agent && `of ${agent}`, whose && `of ${whose}`, when && `since ${when}`, deepen && `deepen ${deepen}`];
  return parts.filter(Boolean).join(' ').replaceAll(`${homeDir()}/`, '~/');
}

function describeState({ status, progress, result, error, createdAt }: Job): string {
  if (status === 'running') return describeProgress(progress, Date.now() - createdAt);
  return error ?? result?.[0] ?? '';
}

export const rebuildCommand = command({
  name: 'rebuild',
  about: 'Make memories and the search index again from the records',
  options: {
    '--project [name]': 'Only this project, or another one',
    '--from-transcripts': 'First make the records that are missing, where transcripts still exist',
    '--dry-run': 'Only say what there is to do',
  },
  help:
    'Only memories made by rules are made again. ' +
    'Runs in the background, in a process of its own, and resumes after an interruption. What is up to date stays; so do pins, ' +
    'edits, marks and deletions. A memory whose turn has no record is only indexed. Repeating it changes nothing. ' +
    'A store of 0.1.0 kept no records: use --from-transcripts after the update.',
  examples: ['claude-mem rebuild --dry-run', 'claude-mem rebuild --project shop', 'claude-mem rebuild --from-transcripts'],
  who: ({ options }) => (!options.fromTranscripts || options.dryRun || isOwnTranscripts([]) ? 'anyone' : IMPORTS),
  run({ project, fromTranscripts, dryRun, json }) {
    const claudeDir = findClaudeFolder();
    const isElsewhere = fromTranscripts && claudeDir !== `${homeDir()}/.claude`;
    const parameters = { ...(dryRun && { dryRun }), ...(fromTranscripts && { fromTranscripts }), ...(isElsewhere && { claudeDir }) };
    return runJob('rebuild', { ...readPlace(project), ...parameters }, { json });
  },
});

export const vacuumCommand = command({
  name: 'vacuum',
  about: 'Give back the disk space of deleted and expired memories',
  who: 'anyone',
  run: ({ json }) => runJob('vacuum', {}, { json }),
});

const INDEX_MS = 500;
/** So many looks without progress and with a problem: the worker tries again, but nobody needs to watch. */
const PATIENCE = 20;

export const reindexCommand = command({
  name: 'reindex',
  about: 'Rebuild the search index',
  options: { '--words': 'The word index in any case, not only when it is damaged: blocks the worker for seconds' },
  who: 'anyone',
  async run({ words, json }) {
    await askWorker(findPaths(), `/api/reindex${words ? '?words=true' : ''}`, { method: 'POST' });
    const stop = onInterrupt('The worker continues. `claude-mem status` shows the progress.');
    const state = await watchIndex(json);
    stop();
    if (state.job?.step === 'failed') throw new Error(`The index could not be rebuilt. ${state.job.error ?? ''}`.trim());
    const isDone = state.job?.step === 'done';
    if (!isDone) process.exitCode = 1;
    const why = () => `No progress: ${listIndexProblems(state).join('; ')}\nThe worker tries again automatically.`;
    return { answer: state, text: () => (isDone ? `Done: ${describeIndex(state)}` : `${describeIndex(state)}\n${why()}`) };
  },
});

async function watchIndex(isQuiet?: boolean): Promise<IndexState> {
  const { show, end } = createProgress(isQuiet);
  for (let [lastDone, still] = [-1, 0]; ; ) {
    const state = await askWorker<IndexState>(findPaths(), '/api/index');
    show(progressOf(state));
    const { done = 0, step = 'done' } = state.job ?? {};
    still = done === lastDone && listIndexProblems(state).length > 0 ? still + 1 : 0;
    lastDone = done;
    if (step === 'done' || step === 'failed' || still > PATIENCE) {
      end();
      return state;
    }
    await Bun.sleep(INDEX_MS);
  }
}

function progressOf({ job }: IndexState): JobProgress {
  const base = { unit: 'rows', counts: {} } as const;
  if (job?.step !== 'vectors') return { ...base, step: 'checking the word index', done: 0, total: 0 };
  const { done, total } = job;
  return { ...base, step: `${done.toLocaleString('en')} of ${sayCount(total, 'vectors')}`, done, total };
}
