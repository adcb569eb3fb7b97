// `claude-mem rebuild`, `reindex` and `vacuum`: the worker makes again what is derived, and gives disk back.

import { askWorker } from '../../client/api.ts';

import type { JobProgress } from '../../core/shapes/job.ts';
import { type IndexState, IndexStateSchema } from '../../core/shapes/worker.ts';
import { sayCount } from '../../core/text.ts';
import { findPaths, homeDir, type Paths } from '../../paths.ts';
import { command, IMPORTS, isOwnTranscripts, type OptionsOf } from '../command.ts';
import { findClaudeFolder } from '../install/claude-folder.ts';
import { readPlace } from '../options.ts';
import { printJson } from '../print.ts';
import { createProgress, onInterrupt, runJob } from '../watch-job.ts';
import { describeIndex, listIndexProblems } from '../worker-state.ts';

const OPTIONS = {
  '--project [name]': 'only this project, or another one',
  '--from-transcripts': 'first make the records that are missing, where transcripts still exist',
  '--dry-run': 'only say what there is to do',
  '--json': 'what came of it, as JSON',
};

export const rebuildCommand = command({
  name: 'rebuild',
  about: 'make again what is derived from the records of turns: what search knows, and what rules make of them',
  options: OPTIONS,
  help: `It runs beside everything else, in a process of its own, and goes on where it was after an interruption. What is as it should be
stays; so do pins, edits, marks and deletions. A memory whose turn has no record is only indexed. Repeating it changes nothing.`,
  examples: [
    'claude-mem rebuild --dry-run',
    'claude-mem rebuild --project shop',
    'claude-mem rebuild --from-transcripts            after an update from 0.1.0, which kept no records',
  ],
  who: ({ options }) => (!options.fromTranscripts || options.dryRun || isOwnTranscripts([]) ? 'anyone' : IMPORTS),
  run: (options) => runJob('rebuild', readParameters(options), options),
});

function readParameters({ project, fromTranscripts = false, dryRun = false }: OptionsOf<typeof OPTIONS>) {
  const claudeDir = findClaudeFolder();
  return {
    ...readPlace(project),
    ...(dryRun && { dryRun }),
    ...(fromTranscripts && { fromTranscripts }),
    ...(fromTranscripts && claudeDir !== `${homeDir()}/.claude` && { claudeDir }),
  };
}

export const vacuumCommand = command({
  name: 'vacuum',
  about: 'give back the disk that erased and expired memories took',
  options: { '--json': 'what came of it, as JSON' },
  who: 'anyone',
  run: ({ json }) => runJob('vacuum', {}, { json, cancelled: 'Cancelled.' }),
});

const LOOK_MS = 500;
/** So many looks without progress and with a problem: it goes on by itself, but nobody needs to watch. */
const PATIENCE = 20;
const ENDS = new Set(['done', 'failed']);

export const reindexCommand = command({
  name: 'reindex',
  about: 'make the index of search anew: words and vectors',
  options: {
    '--words': 'the words in any case, not only when they are damaged: holds the worker up for seconds',
    '--json': 'start it and print how far it is, as JSON',
  },
  who: 'anyone',
  async run(options) {
    const paths = findPaths();
    await askWorker(paths, `/api/reindex${options.words ? '?words=true' : ''}`, { method: 'POST' });
    if (options.json) return printJson(await fetchIndex(paths));
    const stop = onInterrupt(() => {
      console.log('\nThe worker goes on with it. `claude-mem status` says how far it is.');
      process.exit(130);
    });
    const state = await watch(paths);
    stop();
    if (state.job?.step === 'failed') throw new Error(`The index could not be made anew. ${state.job.error ?? ''}`.trim());
    const problems = listIndexProblems(state);
    console.log(`${state.job?.step === 'done' ? 'Done: ' : ''}${describeIndex(state)}`);
    if (state.job?.step === 'done') return;
    console.log(`It does not get on: ${problems.join('; ')}\nThe worker tries again by itself.`);
    process.exitCode = 1;
  },
});

const fetchIndex = async (paths: Paths): Promise<IndexState> => IndexStateSchema.parse(await askWorker(paths, '/api/index'));

/** Until it is done, or until it stands still for a reason. */
async function watch(paths: Paths): Promise<IndexState> {
  const { show, end } = createProgress();
  let [lastDone, still] = [-1, 0];
  for (;;) {
    const state = await fetchIndex(paths);
    show(progressOf(state));
    const done = state.job?.done ?? 0;
    still = done === lastDone && listIndexProblems(state).length > 0 ? still + 1 : 0;
    lastDone = done;
    if (state.job === null || ENDS.has(state.job.step) || still > PATIENCE) {
      end();
      return state;
    }
    await Bun.sleep(LOOK_MS);
  }
}

function progressOf({ job }: IndexState): JobProgress {
  const base = { unit: 'rows', counts: {} } as const;
  if (job?.step !== 'vectors') return { ...base, step: 'looking through the index of words', done: 0, total: 0 };
  const { done, total } = job;
  return { ...base, step: `${done.toLocaleString('en')} of ${sayCount(total, 'vectors')}`, done, total };
}
