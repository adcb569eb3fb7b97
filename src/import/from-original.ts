// Imports the database of the original claude-mem: what it kept becomes lines as an export of ours has them, each with its own date.

import { Database } from 'bun:sqlite';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { chmod, constants, copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findSession } from '../capture/sessions.ts';
import { markSilenced, wasSilenced } from '../capture/silence.ts';
import { AskError } from '../core/ask-error.ts';
import { bareEvidence } from '../core/evidence.ts';
import { hashParts } from '../core/ids.ts';
import { isInjection } from '../core/instruction-like.ts';
import { type ObservationDraft, TRUST } from '../core/observation.ts';
import type { ExportLine } from '../core/shapes/export.ts';
import { bareWords, nameFirst } from '../core/text.ts';
import { isoTime } from '../core/time.ts';
import { readableText } from '../memory/observations.ts';
import { nameSession } from '../memory/session-names.ts';
import { findProject, getProject, isUnmatched, matchProject } from '../projects/projects.ts';
import { readPiece } from '../regular-file.ts';
import { APPLICATION_ID } from '../store/open.ts';
import { cleanWords } from './admit.ts';
import { checkLine } from './from-export.ts';
import { ImportTally, type Item, type LineImportDeps, takeLines } from './from-lines.ts';
import type { RunImport } from './import.ts';
import { dropEmptyProject, findTurnOf, numberPrompt, stretchSession } from './import-rows.ts';
import { countOriginalRows, hasOriginalTables, type OriginalMemory, type OriginalSession, readOriginal } from './original-rows.ts';
import type { Taken } from './take-lines.ts';

type OriginalImportDeps = LineImportDeps & {
  /** Where a copy of the file may lie for a moment. */
  dataDir: string;
};

export const runOriginalImport =
  (deps: OriginalImportDeps): RunImport =>
  async ({ path = '', asMine = false }, control) => {
    const file = await openOriginal(path, deps.dataDir);
    try {
      const tally = new ImportTally('rows');
      const lines = createLines(deps.db, readOriginal(file, deps.clock()), deps.clock());
      const source = { ...lines, total: countOriginalRows(file), unit: 'rows' as const };
      await takeLines({ ...deps, asMine }, source, { tally, control });
      for (const finish of lines.listEnds()) {
        deps.db.transaction(finish).immediate();
        await control.pause();
      }
      return [...tally.describe(), ...lines.sayUnmatched(), ...(control.signal.aborted ? [STOPPED] : [])];
    } finally {
      file.close(true);
    }
  };

const STOPPED = 'It was stopped before its end: what came in stays, and the next time goes on from there.';

/** The other program's observer was a session, too, and some versions kept it like any other. */
const OBSERVERS_OWN = 'observer-sessions';

function createLines(db: Database, memories: Generator<OriginalMemory>, now: number) {
  const sessions = new Set<string>();
  const projects = new Set<string>();
  const unmatched = new Set<string>();
  const placeOf = createPlaceOf(db);
  const isRepeated = createRepeats();

  const describe = (memory: OriginalMemory): (object | Taken)[] => {
    if (memory.kind === 'unreadable') return [{ kind: 'bad', reason: 'the file is damaged there' }];
    const { session } = memory;
    if (session.project === OBSERVERS_OWN) return [{ kind: 'refused', reason: 'own-observer' }];
    const project = placeOf(session, memory.kind === 'session' ? session.project : memory.project);
    const before: object[] = [];
    if (!projects.has(project.key) && !findProject(db, project.key)) before.push(projectLine(project, now));
    // Of one that is gone from their table only its memories tell.
    if (memory.kind === 'session' || !sessions.has(session.id)) before.push(sessionLine(session, project));
    projects.add(project.key);
    sessions.add(session.id);
    if (memory.kind === 'session') return before;
    if (memory.kind === 'prompt') return [...before, ...promptLine(db, memory)];
    const said = draftLine(db, memory, project.key);
    return [...before, memory.kind === 'observation' && isRepeated(project.key, memory.draft) ? KNOWN : said];
  };

  function* items(): Generator<Item> {
    let number = 0;
    for (const memory of memories) {
      number++;
      for (const said of describe(memory)) yield { number, done: number, ...asItem(said) };
    }
  }

  return {
    items: items(),
    onTaken(line: ExportLine, taken: Taken) {
      const isIn = taken.kind === 'added' || taken.kind === 'known';
      if ('project' in line && isIn && isUnmatched(line.project)) unmatched.add(line.project);
      // As when a hook brings it: what sums up the whole session is not kept any more.
      if (!('session' in line) || line.session === null || taken.kind !== 'refused' || !SILENT.includes(taken.reason)) return;
      markSilenced(db, line.session, Date.parse('at' in line ? line.at : line.startedAt));
    },
    /** Sessions are called after what they hold, and of projects only those stay of which something came in. */
    listEnds: () => [
      ...[...sessions].map((id) => () => finishSession(db, id)),
      () => {
        for (const key of projects) if (isUnmatched(key)) dropEmptyProject(db, key);
      },
    ],
    sayUnmatched: () => sayUnmatched([...unmatched].map((key) => findProject(db, key)?.name ?? key)),
  };
}

/** Where the session is already, there its memories belong; else by its name. */
function createPlaceOf(db: Database): (session: OriginalSession, name: string) => Place {
  const matched = new Map<string, Place>();
  return (session, name) => {
    const here = name === session.project ? findSession(db, session.id) : null;
    const project = (here && getProject(db, here.projectId)) ?? matched.get(name);
    if (project) return project;
    const { identity } = matchProject(db, name);
    matched.set(name, identity);
    return identity;
  };
}

const KNOWN: Taken = { kind: 'known' };
const SILENT = ['paused', 'off', 'excluded'];

function asItem(said: object | Taken): { line: ExportLine } | { line: null; taken: Taken } {
  // A line has a kind, too, but none of these.
  if ('kind' in said && (said.kind === 'known' || said.kind === 'refused' || said.kind === 'bad'))
    return { line: null, taken: said as Taken };
  const read = checkLine(said);
  return read.kind === 'line' ? { line: read.line } : { line: null, taken: read };
}

type Place = { key: string; name: string; root: string };

const projectLine = ({ key, name, root }: Place, now: number) => ({ kind: 'project', key, name, root, at: isoTime(now) });

/** It is over: whatever a hook still brings of it opens it again. */
const sessionLine = ({ id, host, title, startedAt, completedAt }: OriginalSession, { key, root }: Place) => ({
  ...{ kind: 'session', session: id, host, project: key, cwd: root, root, title },
  ...{ startedAt: isoTime(startedAt), updatedAt: isoTime(Math.max(startedAt, completedAt ?? 0)) },
  ...(completedAt === null ? { status: 'interrupted' } : { status: 'completed', endReason: 'import', completedAt: isoTime(completedAt) }),
});

function promptLine(db: Database, { session, text, promptNumber, at }: Extract<OriginalMemory, { kind: 'prompt' }>) {
  if (text === '') return [];
  const here = findSession(db, session.id);
  const said = { text: cleanWords({ text }).text, at };
  const number = here ? numberPrompt(db, here.id, promptNumber, said) : (promptNumber ?? 1);
  return [{ kind: 'prompt', session: session.id, number, text, at: isoTime(at) }];
}

type Draft = Extract<OriginalMemory, { kind: 'observation' | 'summary' }>;

function draftLine(db: Database, { kind, session, promptNumber, draft }: Draft, project: string): object | Taken {
  const here = findSession(db, session.id);
  const turn = here && findTurnOf(db, here.id, promptNumber, draft.at);
  // Both programs may have watched: here nothing of a private turn is kept, whoever tells of it.
  if (turn?.isPrivate) return { kind: 'refused', reason: 'private' };
  // It sums up more than its own turn.
  if (kind === 'summary' && wasSilenced(db, session.id)) return { kind: 'refused', reason: 'silenced' };
  const prompt = turn?.promptNumber ?? promptNumber ?? 0;
  const place = { kind, session: session.id, project, prompt, at: isoTime(draft.at) };
  return kind === 'summary' ? { ...draft, ...place } : { ...draft, ...judge(draft), ...place };
}

/** What it rests on is not known: what can be meant for nobody but an agent is told to none. */
function judge(draft: ObservationDraft) {
  const isQuarantined = isInjection(readableText(draft));
  const { citations, trust } = bareEvidence(draft);
  return { citations, isQuarantined, trust: isQuarantined ? TRUST.web : trust };
}

/** What is shorter others may say, too. */
const OWN_LENGTH = 40;

/** A session that was continued under another id repeats what it had: once is enough. */
function createRepeats() {
  const seen = new Set<string>();
  return (project: string, { title, subtitle, narrative, facts }: ObservationDraft) => {
    const words = [title, subtitle, narrative, ...facts.map(({ text }) => text)].map((text) => bareWords(text ?? ''));
    if (words.slice(1).join('').length < OWN_LENGTH) return false;
    const mark = hashParts([project, ...words]).slice(0, 16);
    const isSeen = seen.has(mark);
    seen.add(mark);
    return isSeen;
  };
}

function finishSession(db: Database, hostId: string): void {
  const session = findSession(db, hostId);
  if (!session) return;
  stretchSession(db, session.id);
  if (session.title === null) nameSession(db, session.id);
}

const MOST_NAMED = 20;

function sayUnmatched(names: string[]): string[] {
  if (names.length === 0) return [];
  return [
    `Not matched with one project of yours: ${nameFirst(names, MOST_NAMED)}. The file has only their names.`,
    'They are projects of their own now: claude-mem projects merge FROM INTO puts them where they belong.',
  ];
}

// Opens the database of the original claude-mem so that nothing beside it or in it is ever written: a private copy is read.

const FILE_NAME = 'claude-mem.db';
const HINT = `Give the ${FILE_NAME} of the other program: it usually lies in ~/.claude-mem.`;
const COPY_PREFIX = 'peer-copy-';

/** Made below `workDir`, the copy has no name any more once it is open. */
async function openOriginal(given: string, workDir: string): Promise<Database> {
  const path = findFile(given);
  checkHead(path);
  mkdirSync(workDir, { recursive: true, mode: 0o700 });
  // Of a copy that was being made when the worker was killed.
  for (const name of readdirSync(workDir)) if (name.startsWith(COPY_PREFIX)) rmSync(join(workDir, name), { recursive: true, force: true });
  const db = await openCopy(path, workDir);
  try {
    if (hasOriginalTables(db)) return db;
  } catch (cause) {
    db.close(true);
    throw damaged(path, cause);
  }
  db.close(true);
  throw new AskError('invalid', `${path} holds no memories of another claude-mem.`, HINT);
}

const damaged = (path: string, cause: unknown) =>
  new AskError(
    'invalid',
    `${path} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}.`,
    'It may be damaged: sqlite3 FILE ".recover" writes what is left of it into a new one.',
  );

/** The file itself: its log lies beside it, not beside a link to it. */
function findFile(given: string): string {
  try {
    const path = realpathSync(given);
    return statSync(path).isDirectory() ? realpathSync(join(path, FILE_NAME)) : path;
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause && cause.code !== 'ENOENT' ? ` (${cause.code})` : '';
    throw new AskError('unknown', `There is no database at ${given}${reason}.`, HINT);
  }
}

const MAGIC = 'SQLite format 3\0';
const APPLICATION_ID_AT = 68;

function checkHead(path: string): void {
  const head = readPiece(path, APPLICATION_ID_AT + 4);
  if (head.subarray(0, MAGIC.length).toString('latin1') !== MAGIC) throw new AskError('invalid', `${path} is no SQLite database.`, HINT);
  if (head.length < APPLICATION_ID_AT + 4 || head.readUInt32BE(APPLICATION_ID_AT) !== APPLICATION_ID) return;
  throw new AskError(
    'invalid',
    `${path} is a database of this claude-mem, not of another one.`,
    'Use claude-mem export where it is from, and claude-mem import of that file here.',
  );
}

async function openCopy(path: string, workDir: string): Promise<Database> {
  const folder = mkdtempSync(join(workDir, COPY_PREFIX));
  try {
    const copy = join(folder, FILE_NAME);
    await copyTogether(path, copy);
    const db = new Database(copy, { readwrite: true, create: false });
    db.run('PRAGMA trusted_schema = OFF');
    // Alone with it, SQLite keeps the index of the log in memory; then the log goes into the copy.
    db.run('PRAGMA locking_mode = EXCLUSIVE');
    db.run('PRAGMA synchronous = OFF');
    db.run('PRAGMA journal_mode = DELETE');
    db.run('PRAGMA query_only = ON');
    return db;
  } catch (cause) {
    throw cause instanceof AskError ? cause : damaged(path, cause);
  } finally {
    // Open files live on without a name: killed at any time from here on, we leave nothing behind.
    rmSync(folder, { recursive: true, force: true });
  }
}

const MOST_TRIES = 3;
const ENDS = ['', '-wal', '-journal'];

/** The file and its log belong together: a copy of one from before and of the other from after a change is neither. */
async function copyTogether(path: string, copy: string): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const before = describeFiles(path);
    for (const end of ENDS) {
      rmSync(`${copy}${end}`, { force: true });
      if (!statSync(`${path}${end}`, { throwIfNoEntry: false })?.size) continue;
      // No bytes are copied where the disk can share them.
      await copyFile(`${path}${end}`, `${copy}${end}`, constants.COPYFILE_FICLONE);
      await chmod(`${copy}${end}`, 0o600);
    }
    if (describeFiles(path) === before) return;
  }
  throw new AskError('conflict', `${path} is being written just now.`, 'Stop the program that it belongs to, and try again.');
}

const describeFiles = (path: string) =>
  ENDS.map((end) => statSync(`${path}${end}`, { throwIfNoEntry: false }))
    .map((stat) => (stat ? `${stat.ino}:${stat.size}:${stat.mtimeMs}` : ''))
    .join(' ');
