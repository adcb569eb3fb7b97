// `claude-mem import`: the past, from transcripts, an export, or another claude-mem's database. The worker does it.
import { resolve } from 'node:path';
import { askWorker } from '../../client/api.ts';
import { withQuery } from '../../client/memory-api.ts';
import { formatSize } from '../../core/format-size.ts';
import { CHOOSING, type ImportAnswer } from '../../core/import.ts';
import { UNREADABLE } from '../../core/job.ts';
import { formatDate } from '../../core/local-time.ts';
import { parseWhen } from '../../core/when.ts';
import { findPaths, homeDir, type Paths } from '../../paths.ts';
import { askPerson } from '../ask-person.ts';
import { canAsk, isYes, withQuestions } from '../install/ask-line.ts';
import { findClaudeFolder } from '../install/claude-folder.ts';
import { requirePerson } from '../only-person.ts';
import { readProject } from '../project-option.ts';
import { sayTranscripts } from '../say-transcripts.ts';
import { watchJob } from '../watch-job.ts';

export type ImportOptions = {
  agent?: string;
  project?: string;
  since?: string;
  deepen?: string;
  asMine?: boolean;
  yes?: boolean;
  dryRun?: boolean;
  json?: boolean;
  /** Whoever calls it has said what was found. */
  isTold?: boolean;
};

export async function importPast(source: string | undefined, options: ImportOptions): Promise<void> {
  const paths = findPaths();
  const { since, json = false } = options;
  const deepen = readCount(options.deepen);
  const from = since === undefined ? {} : { since: parseWhen(since, 'since', Date.now()) };
  if (deepen > 0) await requireModel(paths);
  const wanted = readWanted(source, options);
  const found = await lookFor(paths, { ...wanted, ...(since && { since }) });
  if (found.source !== 'transcripts') requireWhole(found, { ...options, deepen });
  else if (options.asMine)
    throw new Error(
      '--as-mine works with an export or a database: transcripts of this machine are yours. Leave it out.',
    );
  if (options.dryRun) return console.log(json ? JSON.stringify(found, null, 2) : describe(found));
  if (!json && (!options.isTold || isEmpty(found))) console.log(describe(found));
  if (isEmpty(found)) process.exitCode = source === undefined ? 0 : 1;
  if (isEmpty(found) && !json) return;
  const isWanted = options.asMine ? await isOwn() : options.yes || json || (await isAgreed(deepen));
  if (!isWanted) return console.log('Nothing was read.');
  const parameters = { ...wanted, ...from, ...(deepen > 0 && { deepen }), ...(options.asMine && { asMine: true }) };
  const job = await watchJob(paths, { kind: 'import', parameters }, { quiet: json });
  console.log(json ? JSON.stringify(job, null, 2) : (job.result ?? []).join('\n'));
  // What could be read is kept; what could not is named in the result.
  if (job.status === 'cancelled' || (job.progress.counts[UNREADABLE] ?? 0) > 0) process.exitCode = 1;
}

function readCount(text: string | undefined): number {
  if (text === undefined) return 0;
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new Error(`--deepen takes a number of sessions, not "${text}".`);
}

/** Before anything is read: who wants a model to look at it does not want it without one. */
async function requireModel(paths: Paths): Promise<void> {
  // The worker is ours: `model` is as cli/worker-status.ts describes it.
  const { model } = (await askWorker(paths, '/api/status')) as { model: { provider: string | null; why: string } };
  if (model.provider !== null) return;
  throw new Error(
    `--deepen has a model look at sessions, and there is none (${model.why.split(';')[0]}). Nothing was read. Run \`claude-mem config set claudeLogin allow\` to use your Claude login, or set a provider: docs/model.md.`,
  );
}

function readWanted(source: string | undefined, { agent, project }: ImportOptions) {
  const claudeDir = findClaudeFolder();
  const said = project === undefined ? null : readProject(project);
  return {
    ...(source !== undefined && { path: resolve(source) }),
    ...(claudeDir !== `${homeDir()}/.claude` && { claudeDir }),
    ...(agent && { agent }),
    ...(said && { project: said.kind === 'folder' ? said.path : said.name }),
  };
}

/** Thousands of files may have to be looked into. */
const LOOK_TIMEOUT_MS = 120_000;

// The worker is ours: its answers keep to core/import.ts.
const lookFor = (paths: Paths, wanted: Record<string, string>) =>
  askWorker(paths, withQuery('/api/import', wanted), { timeoutMs: LOOK_TIMEOUT_MS }) as Promise<ImportAnswer>;

function requireWhole(
  { path, source }: ImportAnswer,
  options: Omit<ImportOptions, 'deepen'> & { deepen: number },
): void {
  const said = CHOOSING.filter((name) => options[name]).map((name) => `--${name}`);
  if (said.length === 0) return;
  const [works, them] = said.length === 1 ? ['works', 'it'] : ['work', 'them'];
  const whole = `${path} is ${NAMES[source]} and is taken as a whole`;
  throw new Error(`${said.join(' and ')} ${works} with transcripts only: ${whole}. Leave ${them} out.`);
}

const NAMES = { transcripts: 'transcripts', export: 'an export', 'claude-mem.db': 'a database' };

const isEmpty = ({ source, sessions }: ImportAnswer) => source === 'transcripts' && Object.keys(sessions).length === 0;

/** Its lines will speak as this person: nobody but them can say so, not even by --yes. */
async function isOwn(): Promise<boolean> {
  requirePerson('With --as-mine the file speaks as you.');
  const what = 'Prompts, pins and rules in it come back as your own words, and what it forgot is forgotten here.';
  return await askPerson(`${what} Are these your own memories? [y/N] `);
}

/** Without a terminal nobody can be asked: whoever calls it so means it. */
async function isAgreed(deepen: number): Promise<boolean> {
  if (!canAsk()) return true;
  const cost = deepen > 0 ? `A model will look at the newest ${deepen}, within the budget.` : 'No model is asked.';
  let isYesOrEnter = false;
  await withQuestions(async (ask) => {
    const answer = await ask(`${cost} Read it now? [Y/n] `);
    isYesOrEnter = answer === '' || isYes(answer);
  });
  return isYesOrEnter;
}

function describe({ source, path, sessions, bytes, from, to }: ImportAnswer): string {
  const size = formatSize(bytes);
  if (source === 'export') return `${path}: an export of claude-mem (${size}).`;
  if (source === 'claude-mem.db') return `${path}: the database of another claude-mem (${size}). It is only read.`;
  if (Object.keys(sessions).length === 0)
    return `There are no transcripts${path ? ` in ${path}` : ' on this machine'}.`;
  const days = [...new Set([from, to].map((at) => (at === null ? '' : formatDate(at))))].join(' to ');
  return `${sayTranscripts({ sessions, bytes })}, ${days}.`;
}
