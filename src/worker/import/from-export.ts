// The job that reads an export: line by line, through the same door as everything else, a few milliseconds at a time.
import { type Database, SQLiteError } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { AskError } from '../../core/ask-error.ts';
import { EXPORT_VERSION, type ExportLine, LONGEST_LINE } from '../../core/export.ts';
import { countUnreadable } from '../../core/job.ts';
import { readExportLine } from '../../importer/export-line.ts';
import { type NumberedLine, readNumberedLines } from '../../importer/lines.ts';
import type { Log } from '../../log.ts';
import { count } from '../../store/counters.ts';
import type { RunJob } from '../jobs/job.ts';
import { createLineTaker, type LineTaker } from './take-line.ts';
import type { TakerDeps } from './taken.ts';
import { countMissing, describeImport, type ImportTally, startTally } from './tally.ts';

export type ExportImportDeps = Omit<TakerDeps, 'asMine'> & {
  log: Log;
  /** Something new is there to be indexed. */
  onStored: () => void;
};

const Parameters = z.object({ path: z.string().min(1), asMine: z.boolean().default(false) });

/** One commit for so much work: hooks wait no longer than that. */
const SLICE_MS = 10;
const MOST_LINES = 256;

export function runExportImport(deps: ExportImportDeps): RunJob {
  return async (given, control) => {
    const { path, asMine } = readParameters(given);
    const total = statSync(path).size;
    const [tally, taker] = [startTally(), createLineTaker({ ...deps, asMine })];
    let waiting: NumberedLine[] = [];
    let wanted = 16;

    const store = (isLast: boolean) => {
      const started = performance.now();
      unsynced(deps.db, () => deps.db.transaction(() => takeAll(deps, waiting, { taker, tally })).immediate());
      const ms = performance.now() - started;
      wanted = Math.max(1, Math.min(MOST_LINES, Math.floor((wanted * SLICE_MS) / Math.max(ms, 1))));
      const done = waiting.at(-1)?.end ?? 0;
      waiting = [];
      const unreadable = tally.bad + (isLast ? countMissing(tally) : 0);
      const counts = {
        memories: tally.added.observation + tally.added.summary + tally.added.prompt,
        ...countUnreadable(unreadable),
      };
      control.report({ step: 'reading', done, total, unit: 'bytes', counts });
    };

    for await (const line of readNumberedLines(path, { longestBytes: LONGEST_LINE })) {
      if (line.number === 1) tally.expected = readHeader(path, line);
      else waiting.push(line);
      if (waiting.length < wanted) continue;
      store(false);
      await control.pause();
      if (control.signal.aborted) break;
    }
    if (!control.signal.aborted) store(true);
    // Not before: the index would be made beside it, by the same thread.
    deps.onStored();
    deps.log.info('imported an export', {
      added: tally.added,
      known: tally.known,
      refused: tally.refused,
      bad: tally.bad,
    });
    return describeImport(tally);
  };
}

/**
 * Thousands of commits need not each wait for the disk: what a crash of the machine takes back is still in the file, and the job is
 * done only with a commit that does wait, for all of them. Only with a log, which no crash can leave half written.
 */
function unsynced(db: Database, work: () => void): void {
  const { journal_mode: journal } = db.query<{ journal_mode: string }, []>('PRAGMA journal_mode').get() ?? {};
  if (journal === 'wal') db.run('PRAGMA synchronous = NORMAL');
  try {
    work();
  } finally {
    db.run('PRAGMA synchronous = FULL');
  }
}

function readParameters(given: unknown): z.infer<typeof Parameters> {
  const read = Parameters.safeParse(given);
  const { path, asMine } = read.success ? read.data : { path: '', asMine: false };
  if (!isAbsolute(path)) throw new AskError('invalid', 'It is not said which file.', 'Give its whole path.');
  const there = statSync(path, { throwIfNoEntry: false });
  if (!there?.isFile()) throw new AskError('unknown', `There is no file ${path}.`, 'Look at its name.');
  return { path, asMine };
}

/** The counts that the file promises. */
function readHeader(path: string, line: NumberedLine) {
  const read = line.kind === 'text' ? readExportLine(line.text) : null;
  if (read?.kind === 'header') return read.header.counts;
  if (read?.kind === 'newer') throw newer(path, read.version);
  throw new AskError(
    'invalid',
    `${path} is not an export of claude-mem: it does not begin with the header of one.`,
    'Nothing was changed.',
  );
}

const newer = (path: string, version: number) =>
  new AskError(
    'invalid',
    `${path} was written by a newer claude-mem (format ${version}, this one knows ${EXPORT_VERSION}).`,
    'Update claude-mem. Nothing was changed.',
  );

type Taking = { taker: LineTaker; tally: ImportTally };

/** Inside a transaction. */
function takeAll(deps: ExportImportDeps, lines: NumberedLine[], { taker, tally }: Taking): void {
  for (const line of lines) {
    if (line.kind === 'unreadable') {
      tally.addBad(line.number, line.reason === 'too long' ? 'it is longer than 4 MB' : 'it is not UTF-8');
      continue;
    }
    const read = readExportLine(line.text);
    // Another header in the middle: two exports in one file.
    if (read.kind === 'empty' || read.kind === 'header') continue;
    if (read.kind === 'bad') tally.addBad(line.number, read.reason);
    else if (read.kind === 'newer') tally.addBad(line.number, `its format ${read.version} is not known`);
    else takeOne(deps, { line: read.line, number: line.number }, { taker, tally });
  }
}

/** What a line asks for that cannot be stored does not take the others along. */
function takeOne(
  { db, clock }: ExportImportDeps,
  { line, number }: { line: ExportLine; number: number },
  { taker, tally }: Taking,
): void {
  try {
    const taken = db.transaction(() => taker.take(line))();
    if (taken.kind === 'added') {
      tally.added[line.kind]++;
      if (line.kind === 'session' && line.host === 'git') tally.gitLogs++;
    } else if (taken.kind === 'known') tally.known++;
    else if (taken.kind === 'bad') tally.addBad(number, taken.reason);
    else {
      tally.addRefused(taken.reason);
      count(db, `dropped:${taken.reason}`, clock());
    }
  } catch (error) {
    if (!(error instanceof SQLiteError && error.code?.startsWith('SQLITE_CONSTRAINT'))) throw error;
    tally.addBad(number, 'it contradicts what is stored');
  }
}
