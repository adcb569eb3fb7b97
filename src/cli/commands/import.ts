// `claude-mem import`: the past, from transcripts, an export, or another claude-mem's database. `install` offers it, too.

import { resolve } from 'node:path';
import { askWorker } from '../../client/api.ts';
import { withQuery } from '../../client/memory-api.ts';
import { CHOOSING } from '../../core/job.ts';
import type { ImportAnswer } from '../../core/shapes/job.ts';
import { formatSize } from '../../core/text.ts';
import { formatDate, parseWhen } from '../../core/time.ts';
import { listPast } from '../../import/choose-sessions.ts';
import { findPaths, homeDir, type Paths } from '../../paths.ts';
import { type Ask, askPerson, canAsk, isYes, requirePerson, withQuestions } from '../ask.ts';
import { command, IMPORTS, isOwnTranscripts, type OptionsOf } from '../command.ts';
import { findClaudeFolder } from '../install/claude-folder.ts';
import { readCount, spellProject } from '../options.ts';
import { printJson } from '../print.ts';
import { runJob } from '../watch-job.ts';

const OPTIONS = {
  '--agent <name>': 'only transcripts of this agent: claude-code, codex or gemini',
  '--project <name>': 'only transcripts of this project',
  '--since <when>': 'only sessions that went on after it: 2026-01-05, "3 weeks"',
  '--deepen <count>': 'have a model look at the newest sessions, within the budget',
  '--as-mine': 'an export or a database of your own: it comes back as your words; asks you',
  '--dry-run': 'only say what would be read',
  '-y, --yes': 'do not ask',
  '--json': 'as JSON; does not ask',
};
type ImportOptions = OptionsOf<typeof OPTIONS> & {
  /** Whoever calls it has said what was found. */
  isTold?: boolean;
};

export const importCommand = command({
  name: 'import [source]',
  about: 'read the past: transcripts of past sessions, an export, or the database of another claude-mem',
  options: OPTIONS,
  help: `Without a source it reads every transcript that Claude Code, Codex and Gemini CLI keep on this machine. What is known already is
not stored again, so it can be repeated and interrupted at any time. No model is asked unless you say --deepen.`,
  examples: [
    'claude-mem import                                everything there is',
    'claude-mem import --project shop --since "2 months"',
    'claude-mem import ~/old-laptop/.claude/projects',
    "claude-mem import memories.jsonl                 what somebody's `claude-mem export` wrote; --as-mine: what yours wrote",
    "claude-mem import ~/.claude-mem/claude-mem.db    another claude-mem's database; it is only read",
  ],
  who: ({ args, options }) => (options.dryRun || isOwnTranscripts(args) ? 'anyone' : IMPORTS),
  run: importPast,
});

export async function importPast(source: string | undefined, options: ImportOptions): Promise<void> {
  const paths = findPaths();
  const { since, json = false } = options;
  const deepen = readCount('--deepen', options.deepen) ?? 0;
  const from = since === undefined ? {} : { since: parseWhen(since, 'since', Date.now()) };
  if (deepen > 0) await requireModel(paths);
  const wanted = readWanted(source, options);
  const found = await lookFor(paths, { ...wanted, ...(since && { since }) });
  if (found.source !== 'transcripts') requireWhole(found, { ...options, deepen });
  else if (options.asMine)
    throw new Error('--as-mine works with an export or a database: transcripts of this machine are yours. Leave it out.');
  if (options.dryRun) return json ? printJson(found) : console.log(describe(found));
  if (!json && (!options.isTold || isEmpty(found))) console.log(describe(found));
  if (isEmpty(found)) process.exitCode = source === undefined ? 0 : 1;
  if (isEmpty(found) && !json) return;
  const isWanted = options.asMine ? await isOwn() : options.yes || json || (await isAgreed(deepen));
  if (!isWanted) return console.log('Nothing was read.');
  const parameters = { ...wanted, ...from, ...(deepen > 0 && { deepen }), ...(options.asMine && { asMine: true }) };
  await runJob('import', parameters, { json });
}

/** Before anything is read: who wants a model to look at it does not want it without one. */
async function requireModel(paths: Paths): Promise<void> {
  // The worker is ours: `model` is as cli/worker-status.ts describes it.
  const { model } = (await askWorker(paths, '/api/status')) as { model: { provider: string | null; why: string } };
  if (model.provider !== null) return;
  throw new Error(
    `--deepen has a model look at sessions, and there is none (${model.why.split(';')[0]}). ` +
      'Nothing was read. Run `claude-mem config set claudeLogin allow` to use your Claude login, or set ' +
      'a provider: docs/model.md.',
  );
}

function readWanted(source: string | undefined, { agent, project }: ImportOptions) {
  const claudeDir = findClaudeFolder();
  return {
    ...(source !== undefined && { path: resolve(source) }),
    ...(claudeDir !== `${homeDir()}/.claude` && { claudeDir }),
    ...(agent && { agent }),
    ...(project !== undefined && { project: spellProject(project) }),
  };
}

/** Thousands of files may have to be looked into. */
const LOOK_TIMEOUT_MS = 120_000;

// The worker is ours: its answers keep to core/shapes/job.ts.
const lookFor = (paths: Paths, wanted: Record<string, string>) =>
  askWorker(paths, withQuery('/api/import', wanted), { timeoutMs: LOOK_TIMEOUT_MS }) as Promise<ImportAnswer>;

function requireWhole({ path, source }: ImportAnswer, options: Omit<ImportOptions, 'deepen'> & { deepen: number }): void {
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
  if (Object.keys(sessions).length === 0) return `There are no transcripts${path ? ` in ${path}` : ' on this machine'}.`;
  const days = [...new Set([from, to].map((at) => (at === null ? '' : formatDate(at))))].join(' to ');
  return `${sayTranscripts({ sessions, bytes })}, ${days}.`;
}

/** What `install` offers once: the sessions of the past, read from the transcripts that coding agents have kept. */
type Offer = {
  /** Claude Code's folder. */
  claudeFolder: string;
  /** Null: nobody can be asked. */
  ask: Ask | null;
  /** The answer is yes, without a question. */
  yes: boolean;
  /** Called when the person has answered: it is not offered again. */
  onAnswer: () => void;
  /** Runs to its end and shows how far it is, as `claude-mem import` does. */
  importPast: () => Promise<void>;
};

export async function offerImport({ claudeFolder, ask, yes, onAnswer, importPast }: Offer): Promise<void> {
  const found = await countPast(homeDir(), claudeFolder);
  if (Object.keys(found.sessions).length === 0) return;
  const said = `${sayTranscripts(found)}; reading them costs no tokens.`;
  if (!yes && ask === null) return console.log(`${said} To import them: claude-mem import`);
  if (yes) console.log(said);
  const answer = yes ? 'yes' : ((await ask?.(`${said} Import now? [Y/n] `)) ?? null);
  // Before it begins: whoever interrupts it knows of it.
  if (answer !== null) onAnswer();
  if (answer !== '' && !isYes(answer)) return console.log('Not now. `claude-mem import` does it at any time.');
  await importPast();
}

/** Who keeps Claude Code's elsewhere is offered those alone: the others may be another person's. */
export async function countPast(home: string, claudeFolder: string): Promise<PastFound> {
  const isUsual = claudeFolder === `${home}/.claude`;
  const found = await listPast(home, isUsual ? {} : { agent: 'claude-code', claudeDir: claudeFolder });
  const sessions: Record<string, number> = {};
  for (const { host } of found) sessions[host.name] = (sessions[host.name] ?? 0) + 1;
  return { sessions, bytes: found.reduce((sum, { bytes }) => sum + bytes, 0) };
}

type PastFound = {
  /** By agent. */
  sessions: Record<string, number>;
  bytes: number;
};

/** In one sentence without its end. */
function sayTranscripts({ sessions, bytes }: PastFound): string {
  const counts = Object.entries(sessions).map(([name, count]) => `${count.toLocaleString('en')} of ${name}`);
  return `Found transcripts: ${counts.join(', ')} (${formatSize(bytes)})`;
}
