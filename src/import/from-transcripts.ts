// The job that reads the past from transcripts: every session on this machine, oldest first, at no cost.
import type { Database } from 'bun:sqlite';
import { existsSync } from 'node:fs';
import { type CaptureSettings, pickSettings } from '../capture/judge.ts';
import type { Unreadable } from '../capture/take-session.ts';
import type { FoundSession } from '../capture/transcript-files.ts';
import { AskError } from '../core/ask-error.ts';
import { countUnreadable, type JobControl } from '../core/job.ts';
import { sayCount } from '../core/text.ts';
import { latestLife } from '../forget/retention.ts';
import { countPast, listRoots, type PastCounts } from '../memory/overview.ts';
import { listUnreadable } from './from-lines.ts';
import { chooseSessions, type RunImport } from './import.ts';
import { type ImportNews, type ImportProcess, startImportProcess } from './process.ts';

type ImportDeps = {
  db: Database;
  database: string;
  options: () => CaptureSettings;
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
  onStored: () => void;
  /** Work was done in this folder: what else is there of it can be read, too. */
  onProject: (folder: string) => void;
};

/** A session that was written to so lately may still go on. */
const LIVE_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** While one is read the next is on its way: nobody waits for the worker to find time. */
const AT_ONCE = 2;

export function runTranscriptImport(deps: ImportDeps): RunImport {
  return async ({ deepen = 0, ...wanted }, control) => {
    const found = await chooseSessions(deps, wanted);
    const since = keptSince(deps, found);
    const sessions = found.filter(({ lastAt }) => lastAt >= since);
    const before = countPast(deps.db);
    const progress = new ImportProgress(sessions, control);
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
  if (!hasModel()) return ['No model can be asked, so nothing was summarised with one: docs/model.md says how to set one.'];
  const asked = count - untouched;
  return [
    `A model looks at the newest ${asked} now, within its budget: \`claude-mem status\` says how many turns wait.`,
    ...(untouched > 0 ? [`Not summarised with a model: ${sayCount(untouched, 'sessions')} ${UNTOUCHED}`] : []),
  ];
}

const UNTOUCHED = 'that hooks delivered, too, or in which you pinned, corrected or hid something.';

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
  const order = { host: found.host.name, files: found.files, isOver, isDeep: run.deep.has(found), settings: pickSettings(deps.options()) };
  const news = await worker.take({ kind: 'session', ...order }, (bytes) => run.progress.add(found, bytes));
  release();
  if (news.kind === 'taken' && news.isLeftAsItIs) run.untouched.add(found);
  return news;
}

async function begin({ database, keepDays, clock, addReader }: ImportDeps): Promise<ImportProcess> {
  const worker = startImportProcess({ onStart: addReader });
  const news = await worker.take({ kind: 'begin', database, keepSince: clock() - keepDays() * DAY_MS });
  if (news.kind !== 'ready') throw new Error(`The import cannot start: ${news.kind === 'failed' ? news.error : news.kind}`);
  return worker;
}

const MOST_NAMED = 10;

class ImportProgress {
  private readonly sessions: FoundSession[];
  private readonly control: JobControl;
  private readonly total: number;
  private done = 0;
  /** How much of a session is told that is being read. */
  private readonly told = new Map<FoundSession, number>();
  private readonly counts = { sessions: 0, events: 0, observations: 0, read: 0, ended: 0 };
  /** Files as a whole, by their paths. */
  private readonly failed = new Map<string, string>();
  private readonly damage: Unreadable = { count: 0, lines: [] };

  constructor(sessions: FoundSession[], control: JobControl) {
    this.sessions = sessions;
    this.control = control;
    this.total = sessions.reduce((sum, { bytes }) => sum + bytes, 0);
    this.report();
  }

  add(found: FoundSession, bytes: number): void {
    const before = this.told.get(found) ?? 0;
    const more = Math.min(bytes, found.bytes - before);
    this.told.set(found, before + more);
    this.done += more;
    this.report();
  }

  took(found: FoundSession, news: ImportNews): void {
    this.done += found.bytes - (this.told.get(found) ?? 0);
    this.told.delete(found);
    this.counts.ended++;
    // The system names the file again.
    if (news.kind === 'failed') this.failed.set(found.files[0]?.path ?? '', news.error.split(/, \w+ '/)[0] ?? '');
    if (news.kind === 'taken') {
      this.counts.read++;
      this.counts.events += news.added;
      this.counts.observations += news.observations;
      this.counts.sessions += Number(news.added > 0);
      this.damage.count += news.unreadable?.count ?? 0;
      this.damage.lines.push(...(news.unreadable?.lines ?? []).slice(0, MOST_NAMED - this.damage.lines.length));
    }
    this.report();
  }

  /** Throws when nothing could be read. */
  finish(now: PastCounts, before: PastCounts): string[] {
    const { counts, failed, damage } = this;
    if (this.sessions.length === 0) return ['There are no transcripts to read.'];
    const problems = [
      ...listUnreadable(
        failed.size,
        'files',
        [...failed].slice(0, MOST_NAMED).map(([path, why]) => `${path}: ${why}`),
      ),
      ...listUnreadable(
        damage.count,
        'lines',
        damage.lines.map(({ path, line, why }) => `${path}, line ${line.toLocaleString('en')}: ${why}`),
      ),
    ];
    if (failed.size > 0 && counts.read === 0) throw new AskError('invalid', ['Nothing could be read.', ...problems].join('\n'), '');
    const isNew = counts.events > 0;
    const begin = this.control.signal.aborted ? 'Stopped after' : isNew ? 'Imported' : 'Read';
    return [`${begin} ${isNew ? sayNew(counts, now, before) : sayNothing(counts.read, damage.count > 0)}.`, ...problems];
  }

  private report(): void {
    const { counts, sessions, failed, damage, done, total } = this;
    const { events, observations } = counts;
    this.control.report({
      step: `${counts.ended.toLocaleString('en')} of ${sayCount(sessions.length, 'sessions')}`,
      ...{ done, total, unit: 'bytes' },
      counts: { events, observations, ...countUnreadable(failed.size + damage.count) },
    });
  }
}

function sayNew({ events, sessions }: Record<'events' | 'sessions', number>, now: PastCounts, before: PastCounts): string {
  // What is to be made again is gone for a while: then there is less, and nothing to say.
  const more = (['observations', 'summaries', 'prompts'] as const)
    .filter((what) => now[what] > before[what])
    .map((what) => sayCount(now[what] - before[what], what));
  return `${sayCount(sessions, 'sessions')} (${sayCount(events, 'new events')})${more.length > 0 ? `: ${more.join(', ')}` : ''}`;
}

const sayNothing = (read: number, isDamaged: boolean) =>
  `${sayCount(read, 'sessions')}: ${isDamaged ? 'nothing new could be read' : 'all of it was known already, or is to be left out'}`;
