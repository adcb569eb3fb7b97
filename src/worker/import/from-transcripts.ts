// The job that reads the past from transcripts: every session on this machine, oldest first, at no cost.
import type { Database } from 'bun:sqlite';
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { sayCount } from '../../core/say-count.ts';
import type { FoundSession } from '../../importer/transcript-files.ts';
import { latestLife } from '../../store/forgetting/retention.ts';
import { countPast, listRoots } from '../../store/memories/past.ts';
import type { JobControl, RunJob } from '../jobs/job.ts';
import { type DoorSettings, pickSettings } from '../silence/leave-out.ts';
import { chooseSessions } from './choose-sessions.ts';
import { type ImportProcess, startImportProcess } from './process.ts';
import { createImportProgress, type ImportProgress } from './progress.ts';
import type { ImportNews } from './wire.ts';

export type ImportDeps = {
  db: Database;
  database: string;
  options: () => DoorSettings;
  clock: () => number;
  home: string;
  /** How long raw payloads are kept. */
  keepDays: () => number;
  /** How long memories are kept; 0 for ever. What is older would only be let go again. */
  memoryDays?: () => number;
  /** Whether a model can be asked at all. */
  hasModel: () => boolean;
  /** Keeps others off a session while it is read. */
  hold: (hostSessionId: string) => () => void;
  /** A process that reads the database: how to make it begin anew. Returns what to call when it has ended. */
  addReader?: (end: () => void) => () => void;
  /** Something was stored. */
  onStored: () => void;
  /** Work was done in this folder: what else is there of it can be read, too. */
  onProject: (folder: string) => void;
};

export const TranscriptParameters = z.object({
  /** A folder or a file; without one, where the hosts keep them. */
  path: z.string().min(1).max(4096).optional(),
  agent: z.string().max(100).optional(),
  project: z.string().max(4096).optional(),
  claudeDir: z.string().max(4096).optional(),
  since: z.number().optional(),
  /** The newest sessions that a model may look at, under its budget. */
  deepen: z.number().int().min(0).max(100_000).default(0),
});

/** A session that was written to so lately may still go on. */
const LIVE_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** While one is read the next is on its way: nobody waits for the worker to find time. */
const AT_ONCE = 2;

export function runTranscriptImport(deps: ImportDeps): RunJob {
  return async (parameters, control) => {
    const { deepen, ...wanted } = TranscriptParameters.parse(parameters);
    const found = await chooseSessions(deps, wanted);
    const since = keptSince(deps, found);
    const sessions = found.filter(({ lastAt }) => lastAt >= since);
    const before = countPast(deps.db);
    const progress = createImportProgress(sessions, control);
    const deep = new Set(deps.hasModel() ? sessions.slice(Math.max(0, sessions.length - deepen)) : []);
    const untouched = new Set<FoundSession>();
    await importAll(deps, sessions, { control, progress, deep, untouched });
    // Not before: to index what comes in would slow it down.
    deps.onStored();
    for (const folder of listRoots(deps.db)) if (existsSync(folder)) deps.onProject(folder);
    const said = progress.finish(countPast(deps.db), before);
    if (sessions.length < found.length) said.push(describeOld(found.length - sessions.length));
    return deepen > 0 ? [...said, ...describeDeepening(deps, deep.size, untouched.size)] : said;
  };
}

/** As retention reckons: by the latest sign of life, not by a clock that may be set wrong. */
function keptSince({ db, clock, memoryDays }: ImportDeps, found: FoundSession[]): number {
  const days = memoryDays?.() ?? 0;
  if (days === 0) return Number.NEGATIVE_INFINITY;
  const latest = found.reduce((last, { lastAt }) => Math.max(last, lastAt), latestLife(db));
  return Math.min(clock(), latest) - days * DAY_MS;
}

const describeOld = (count: number) => `Left out: ${sayCount(count, 'sessions')} older than \`keepDays\` keeps.`;

function describeDeepening({ hasModel }: ImportDeps, count: number, untouched: number): string[] {
  if (!hasModel()) return ['No model can be asked, so nothing was deepened: docs/model.md says how to set one.'];
  const asked = count - untouched;
  return [
    `A model looks at the newest ${asked} now, within its budget: \`claude-mem status\` says how many turns wait.`,
    ...(untouched > 0
      ? [
          `Not deepened: ${sayCount(untouched, 'sessions')} of which hooks told, too, or that you pinned, corrected or hid something of.`,
        ]
      : []),
  ];
}

type Run = {
  control: JobControl;
  progress: ImportProgress;
  deep: ReadonlySet<FoundSession>;
  untouched: Set<FoundSession>;
};

/** One process: two would wait for each other at the database. Oldest first: a later session knows what an earlier one left. */
async function importAll(deps: ImportDeps, sessions: FoundSession[], run: Run): Promise<void> {
  const { control } = run;
  const waiting = [...sessions];
  const underWay: { found: FoundSession; news: Promise<ImportNews> }[] = [];
  let worker: ImportProcess | null = null;
  const end = () => worker?.end();
  control.signal.addEventListener('abort', end);
  try {
    while (!control.signal.aborted && waiting.length + underWay.length > 0) {
      if (!worker?.isAlive()) worker = await begin(deps);
      while (underWay.length < AT_ONCE) {
        const found = waiting.shift();
        if (!found) break;
        underWay.push({ found, news: importOne(deps, worker, found, run) });
      }
      const first = underWay.shift();
      const news = await first?.news;
      // It was still on its way when the process died of another.
      if (first && news?.kind === 'failed' && news.isUntried) waiting.unshift(first.found);
      else if (first && news && !control.signal.aborted) run.progress.took(first.found, news);
    }
  } finally {
    control.signal.removeEventListener('abort', end);
    await worker?.end();
  }
}

async function importOne(deps: ImportDeps, worker: ImportProcess, found: FoundSession, run: Run): Promise<ImportNews> {
  const release = deps.hold(found.files[0]?.session ?? '');
  const isOver = deps.clock() - found.lastAt > LIVE_MS;
  const settings = pickSettings(deps.options());
  const order = { kind: 'session', settings, host: found.host.name, files: found.files, isOver } as const;
  const isDeep = run.deep.has(found);
  const news = await worker.take({ ...order, isDeep }, (bytes) => run.progress.add(found, bytes));
  release();
  if (news.kind === 'taken' && news.isLeftAsItIs) run.untouched.add(found);
  return news;
}

async function begin({ database, keepDays, clock, addReader }: ImportDeps): Promise<ImportProcess> {
  const worker = startImportProcess({ onStart: addReader });
  const news = await worker.take({
    kind: 'begin',
    database,
    keepSince: clock() - keepDays() * DAY_MS,
  });
  if (news.kind !== 'ready')
    throw new Error(`The import cannot start: ${news.kind === 'failed' ? news.error : news.kind}`);
  return worker;
}
