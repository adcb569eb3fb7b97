// `claude-mem reindex`: has the worker make the index anew, and shows how far it is.
import { askWorker } from '../../client/api.ts';
import { findPaths, type Paths } from '../../paths.ts';
import { describeIndex, IndexState, listIndexProblems } from '../worker-index.ts';

const LOOK_MS = 500;
/** Not a terminal: a line now and then, for a log. */
const LINE_MS = 10_000;
const BAR_WIDTH = 30;
/** So many looks without progress and with a problem: it goes on by itself, but nobody needs to watch. */
const PATIENCE = 20;
const ENDS = new Set(['done', 'failed']);

export async function reindex(options: { json?: boolean; words?: boolean }): Promise<void> {
  const paths = findPaths();
  await askWorker(paths, `/api/reindex${options.words ? '?words=true' : ''}`, { method: 'POST' });
  if (options.json) return console.log(JSON.stringify(await fetchIndex(paths), null, 2));
  const stop = onInterrupt(() => {
    console.log('\nThe worker goes on with it. `claude-mem status` says how far it is.');
    process.exit(130);
  });
  const state = await watch(paths);
  stop();
  if (state.job?.step === 'failed')
    throw new Error(`The index could not be made anew. ${state.job.error ?? ''}`.trim());
  const problems = listIndexProblems(state);
  console.log(`${state.job?.step === 'done' ? 'Done: ' : ''}${describeIndex(state)}`);
  if (state.job?.step === 'done') return;
  console.log(`It does not get on: ${problems.join('; ')}\nThe worker tries again by itself.`);
  process.exitCode = 1;
}

const fetchIndex = async (paths: Paths): Promise<IndexState> => IndexState.parse(await askWorker(paths, '/api/index'));

function onInterrupt(act: () => void): () => void {
  process.on('SIGINT', act);
  return () => process.off('SIGINT', act);
}

/** Until it is done, or until it stands still for a reason. */
async function watch(paths: Paths): Promise<IndexState> {
  const started = performance.now();
  const show = process.stdout.isTTY ? showBar : showLines();
  let [lastDone, still] = [-1, 0];
  for (;;) {
    const state = await fetchIndex(paths);
    show(state, performance.now() - started);
    const done = state.job?.done ?? 0;
    still = done === lastDone && listIndexProblems(state).length > 0 ? still + 1 : 0;
    lastDone = done;
    if (state.job === null || ENDS.has(state.job.step) || still > PATIENCE) return endLine(state);
    await Bun.sleep(LOOK_MS);
  }
}

function endLine(state: IndexState): IndexState {
  if (process.stdout.isTTY) process.stdout.write('\r\x1b[K');
  return state;
}

function showBar(state: IndexState, ms: number): void {
  process.stdout.write(`\r\x1b[K${describeProgress(state, ms, true)}`);
}

function showLines(): (state: IndexState, ms: number) => void {
  let nextAt = 0;
  return (state, ms) => {
    if (ms < nextAt) return;
    nextAt = ms + LINE_MS;
    console.log(describeProgress(state, ms, false));
  };
}

/** `[██████    ]  1,200 of 4,000 vectors, 85 a second, about 33 s left` */
export function describeProgress({ job }: IndexState, ms: number, hasBar: boolean): string {
  if (!job || job.step === 'words' || job.step === 'failed') return 'looking through the index of words …';
  const { done, total } = job;
  const share = total === 0 ? 1 : done / total;
  const bar = hasBar ? `[${'█'.repeat(Math.floor(share * BAR_WIDTH)).padEnd(BAR_WIDTH)}] ` : '';
  const rate = done / (ms / 1000);
  const left = rate > 0 ? `, ${Math.round(rate)} a second, about ${formatSeconds((total - done) / rate)} left` : '';
  return `${bar}${done.toLocaleString('en')} of ${total.toLocaleString('en')} vectors${left}`;
}

function formatSeconds(seconds: number): string {
  if (seconds < 120) return `${Math.ceil(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3600)} h`;
}
