// The job of kind `rebuild`: what is derived from records is made again, in a process of its own. Taken up again, it goes on where it was.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import { AGENTS } from '../agents/agents.ts';
import { type CaptureSettings, pickSettings } from '../capture/judge.ts';
import { type FoundSession, findSession, listTranscriptsOf } from '../capture/transcript-files.ts';
import { AskError } from '../core/ask-error.ts';
import { countUnreadable, type JobControl, type RunJob } from '../core/job.ts';
import { sayCount } from '../core/text.ts';
import { latestLife } from '../forget/retention.ts';
import { listPast, type PastPlace, readFirstRecord } from '../import/import.ts';
import { type ImportNews, type ImportProcess, type RebuildOrder, startImportProcess } from '../import/process.ts';
import { resolveScope } from '../projects/place.ts';
import { readAll, readFirst } from '../store/read.ts';
import { listSessionsUnrecorded } from '../turns/record-session.ts';

type RebuildDeps = {
  db: Database;
  database: string;
  options: () => CaptureSettings;
  clock: () => number;
  home: string;
  /** In days; 0 for ever. */
  keepRecords: () => number;
  /** Something was stored. */
  onStored: () => void;
};

const Parameters = z.strictObject({
  /** By name, key or folder; without one, all. */
  project: z.string().min(1).max(4096).optional(),
  cwd: z.string().min(1).max(4096).optional(),
  dryRun: z.boolean().default(false),
  fromTranscripts: z.boolean().default(false),
  /** Claude Code's folder, where it is not ~/.claude. */
  claudeDir: z.string().min(1).max(4096).startsWith('/').optional(),
});

type Counts = Record<'turns' | 'documents' | 'records' | 'forgotten' | 'withoutRecord' | 'made' | 'gone', number>;

type Run = {
  deps: RebuildDeps;
  control: JobControl;
  child: ImportProcess;
  /** It has opened the store. */
  isBegun: boolean;
  isDry: boolean;
  projectId: number | null;
  counts: Counts;
  /** Transcripts, with the reason. */
  unreadable: Map<string, string>;
};

const MOST_NAMED = 5;
const DAY_MS = 86_400_000;
/** So many sessions in one order: how far it came is noted after each. */
const SESSIONS = 10;

export function runRebuild(deps: RebuildDeps): RunJob {
  return async (given, control) => {
    const { fromTranscripts, claudeDir, dryRun: isDry, ...named } = readParameters(given);
    const projectId = findProject(deps.db, named);
    const end = () => run.child.end();
    control.signal.addEventListener('abort', end);
    const counts = { turns: 0, documents: 0, records: 0, forgotten: 0, withoutRecord: 0, made: 0, gone: 0 };
    const child = startImportProcess();
    const run: Run = { deps, control, child, isBegun: false, isDry, projectId, counts, unreadable: new Map() };
    try {
      const words = await ask(run, { kind: 'words', isDry });
      if (fromTranscripts) await makeRecords(run, claudeDir);
      await rebuildSessions(run);
      const isSound = words?.kind !== 'words' || words.isSound;
      return describe(run, { isSound, fromTranscripts });
    } finally {
      control.signal.removeEventListener('abort', end);
      await run.child.end();
      if (!isDry) deps.onStored();
    }
  };
}

function readParameters(given: unknown): z.infer<typeof Parameters> {
  const read = Parameters.safeParse(given);
  if (read.success) return read.data;
  throw new AskError('invalid', 'What to rebuild cannot be understood.', `${z.prettifyError(read.error)} See docs/operations.md.`);
}

function findProject(db: Database, { project, cwd }: { project?: string; cwd?: string }): number | null {
  if (project === undefined && cwd === undefined) return null;
  const found = resolveScope(db, { ...(project ? { project } : { cwd: cwd ?? '' }) }).project;
  if (found) return found.id;
  throw new AskError('unknown', `Nothing is remembered of ${project ?? cwd}.`, '`claude-mem projects` lists what is.');
}

/** Null when the job is to end. Throws when two processes died of it, or it could not be done; not for a file that cannot be read. */
async function ask(run: Run, order: RebuildOrder): Promise<ImportNews | null> {
  const { control } = run;
  let news = await take(run, order);
  // Somebody ended the process: what it did stays, and is not done twice.
  if (news.kind === 'failed' && !run.child.isAlive() && !control.signal.aborted) {
    run.child = startImportProcess();
    run.isBegun = false;
    news = await take(run, order);
  }
  if (control.signal.aborted) return null;
  if (news.kind !== 'failed' || (order.kind === 'records' && run.child.isAlive())) return news;
  throw new Error(`The rebuild failed (${news.error}). What it did stays. Look at \`claude-mem logs\`, and try again.`);
}

async function take(run: Run, order: RebuildOrder): Promise<ImportNews> {
  const begin = { kind: 'begin', database: run.deps.database, keepSince: 0 } as const;
  const begun = run.isBegun ? null : await run.child.take(begin);
  if (begun?.kind === 'failed') return begun;
  run.isBegun = true;
  return run.child.take(order);
}

async function makeRecords(run: Run, claudeDir: string | undefined): Promise<void> {
  const { deps, control, isDry, projectId, counts } = run;
  const { db, home, clock, options, keepRecords } = deps;
  const since = keepRecords() === 0 ? 0 : Math.min(clock(), latestLife(db)) - keepRecords() * DAY_MS;
  const sessions = listSessionsUnrecorded(db, { projectId, since });
  const found = await findTranscripts(db, sessions, { home, ...(claudeDir && { claudeDir }) });
  for (const [at, { host, hostSessionId: session }] of sessions.entries()) {
    if (control.signal.aborted) return;
    const step = `reading transcripts: ${at.toLocaleString('en')} of ${sayCount(sessions.length, 'sessions')}`;
    control.report({ step, done: 0, total: countTurns(db, projectId), unit: 'rows', counts: shown(run) });
    // A copy of the transcript tells of the same turns again.
    let forgotten = 0;
    for (const { host: from, files } of found.get(session) ?? [{ host: { name: host }, files: [] }]) {
      const place = { session, host: from.name, files, settings: pickSettings(options()) };
      const news = await ask(run, { kind: 'records', ...place, since, isDry });
      if (news?.kind === 'failed') run.unreadable.set(files[0]?.path ?? session, news.error);
      if (news?.kind !== 'recorded') continue;
      counts.records += news.records;
      forgotten = news.forgotten;
    }
    counts.forgotten += forgotten;
  }
}

async function rebuildSessions(run: Run): Promise<void> {
  const { deps, control, isDry, projectId, counts } = run;
  const { db } = deps;
  const total = countTurns(db, projectId);
  let reached = control.isResumed && !isDry ? readReached(db) : 0;
  const listNext = () => listSessionsAfter(db, projectId, reached, SESSIONS);
  // First what no session made.
  for (let sessions = reached === 0 ? [null] : listNext(); sessions.length > 0; sessions = listNext()) {
    if (control.signal.aborted) return;
    control.report({ step: 'rebuilding', done: counts.turns, total, unit: 'rows', counts: shown(run) });
    const news = await ask(run, { kind: 'rebuild', sessions, isDry });
    if (news?.kind !== 'rebuilt') return;
    for (const key of ['turns', 'documents', 'withoutRecord', 'made', 'gone'] as const) counts[key] += news[key];
    reached = sessions.at(-1) ?? 0;
    if (!isDry) setReached(db, reached);
  }
  if (!isDry) setReached(db, 0);
  control.report({ step: 'done', done: total, total, unit: 'rows', counts: shown(run) });
}

const shown = ({ counts, unreadable }: Run) => ({
  turns: counts.turns,
  documents: counts.documents,
  records: counts.records,
  'memories without a record': counts.withoutRecord,
  ...countUnreadable(unreadable.size),
});

function describe({ counts, isDry, control, unreadable }: Run, about: { isSound: boolean; fromTranscripts: boolean }): string[] {
  const { turns, documents, records, forgotten, withoutRecord, made: added, gone } = counts;
  const [begin, made] = isDry ? ['Would go through', 'to be made'] : ['Went through', 'made'];
  const lines = [
    `${control.signal.aborted ? 'Stopped. ' : ''}${begin} ${sayCount(turns, 'turns')}: ` +
      `${sayCount(documents, 'documents')} of search ${made} again.`,
  ];
  if (added + gone > 0)
    lines.push(`Observations ${made} by today's rules: ${added} new, ${gone} that they no longer make. Pinned and corrected ones stay.`);
  if (about.fromTranscripts) lines.push(`${sayCount(records, 'records')} ${made} from transcripts.`);
  if (forgotten > 0)
    lines.push(`No record for ${sayCount(forgotten, 'turns')} in which something was forgotten: the rest could repeat it.`);
  if (!about.isSound) lines.push(`The index of words was damaged${isDry ? ': a rebuild makes it again.' : ' and was made again.'}`);
  if (withoutRecord > 0) lines.push(`${sayCount(withoutRecord, 'memories')} of turns without a record: unchanged, only indexed.`);
  for (const [path, why] of [...unreadable].slice(0, MOST_NAMED)) lines.push(`Could not be read: ${path}: ${why}`);
  return lines;
}

/** By the host's own id; a session may have copies. */
async function findTranscripts(
  db: Database,
  sessions: { hostSessionId: string }[],
  { home, ...place }: PastPlace & { home: string },
): Promise<Map<string, FoundSession[]>> {
  const wanted = new Set(sessions.map(({ hostSessionId }) => hostSessionId));
  const found = new Map<string, FoundSession[]>();
  const seen = new Set<string>();
  const add = (session: FoundSession) => {
    const [own] = session.files;
    if (!own || seen.has(own.path)) return;
    seen.add(own.path);
    const name = own.session ?? readFirstRecord(session)?.payload.session_id;
    if (name === undefined || !wanted.has(name)) return;
    found.set(name, [...(found.get(name) ?? []), session]);
  };
  if (wanted.size === 0) return found;
  for (const session of await listPast(home, place)) add(session);
  for (const { path, host: name } of listTranscriptsOf(db, [...wanted])) {
    const host = AGENTS.find((one) => one.name === name);
    const session = host && !seen.has(path) ? await findSession(host, path) : null;
    if (session) add(session);
  }
  return found;
}

/** Also those of other projects in which a memory of it was made. */
const IN_PROJECT = `($projectId IS NULL OR s.project_id = $projectId
  OR EXISTS (SELECT 1 FROM observations o WHERE o.session_id = s.id AND o.project_id = $projectId))`;

function listSessionsAfter(db: Database, projectId: number | null, after: number, limit: number): (number | null)[] {
  return readAll<{ id: number }>(db, `SELECT s.id FROM sessions s WHERE s.id > $after AND ${IN_PROJECT} ORDER BY s.id LIMIT $limit + 0`, {
    projectId,
    after,
    limit,
  }).map(({ id }) => id);
}

/** Turns with a record. */
function countTurns(db: Database, projectId: number | null): number {
  return (
    readFirst<{ n: number }>(db, `SELECT count(*) AS n FROM turns t JOIN sessions s ON s.id = t.session_id WHERE ${IN_PROJECT}`, {
      projectId,
    })?.n ?? 0
  );
}

const MARK = 'rebuild';

/** The last session that is done; 0 at the beginning. */
const readReached = (db: Database): number => readFirst<{ last: number }>(db, 'SELECT last FROM id_marks WHERE name = ?', MARK)?.last ?? 0;

function setReached(db: Database, last: number): void {
  db.query('INSERT INTO id_marks VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET last = excluded.last').run(MARK, last);
}
