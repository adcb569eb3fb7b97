// What becomes of a line that a file brings: added, known already, left out by the checks, or not to be understood.
// What is there already stays as it is.
import type { Database } from 'bun:sqlite';
import type { CaptureSettings } from '../capture/judge.ts';
import { findSession } from '../capture/sessions.ts';
import type { Evidence } from '../core/evidence.ts';
import { authorName, type MemoryKind, type MemoryRef } from '../core/memory.ts';
import type { ObservationDraft } from '../core/observation.ts';
import type { ExportLine, Line } from '../core/shapes/export.ts';
import { distrust, parseSource } from '../memory/blocked.ts';
import { insertObservation } from '../memory/observations.ts';
import { putSteps } from '../memory/open-steps.ts';
import { importReplacement } from '../memory/replacements.ts';
import { insertSummary } from '../memory/summaries.ts';
import { findProject, getProject, type Project } from '../projects/projects.ts';
import { bury, isForgotten } from '../store/tombstones.ts';
import { readRecord } from '../turns/record.ts';
import { findTurn, putTurn } from '../turns/turns.ts';
import {
  admitObservation,
  admitPrompt,
  admitRecord,
  admitSteps,
  admitSummary,
  asImported,
  type MemoryPlace,
  refuseMemory,
} from './admit.ts';
import {
  findCommitMemory,
  findPromptNumbered,
  hasOpenPrompt,
  importCommit,
  importProject,
  importPrompt,
  importSession,
  markImported,
  wasCaptured,
} from './import-rows.ts';
import { createTwins, findSummary, type Twins } from './same-memory.ts';

export type TakerDeps = {
  db: Database;
  settings: () => CaptureSettings;
  /** A person says that the file is their own. */
  asMine: boolean;
};

export type Taken = { kind: 'added' } | { kind: 'known' } | { kind: 'refused'; reason: string } | { kind: 'bad'; reason: string };

/** Takes the lines of one file, in their order. */
export function createLineTaker(deps: TakerDeps) {
  const state: State = { ...deps, refs: new Map(), sessions: new Map(), noted: new Map(), standIns: new Map(), lost: new Map() };
  return {
    /** Before each transaction: since the last one somebody may have forgotten a session or merged two projects. */
    begin() {
      for (const [hostId, { id, project }] of state.sessions) {
        const there = findSession(state.db, hostId);
        if ((there?.id ?? null) !== id || (there && there.projectId !== project.id)) state.sessions.delete(hostId);
      }
    },
    /** Inside a transaction. */
    take(said: ExportLine): Taken {
      const line = state.asMine ? said : asImported(said);
      return line ? takeLine(state, line) : NOT_MINE;
    },
  };
}

const ADDED: Taken = { kind: 'added' };
const KNOWN: Taken = { kind: 'known' };
const refused = (reason: string): Taken => ({ kind: 'refused', reason });
/** Only whoever wrote it may say so. */
const NOT_MINE = refused('not-mine');
/** The checks left nothing of it. */
const NOTHING_LEFT = refused('nothing-left');
const isNew = (added: boolean): Taken => (added ? ADDED : KNOWN);

type State = TakerDeps & {
  /** What lines call by a number, and when they say that was. */
  refs: Map<number, { memory: MemoryRef; at: number }>;
  /** By the host's id: the lines of a session mostly stand together. */
  sessions: Map<string, OpenSession>;
  /** Of what no session made: what is there of it, by project. */
  noted: Map<number, Twins>;
  /** Sessions of an older file that stood where there was none, with the member of a team who published what hangs on them. */
  standIns: Map<string, string | null>;
  /** Projects that are off and sessions of them, by key and id: what becomes of lines that name them. */
  lost: Map<string, Taken>;
};

type OpenSession = {
  hostId: string;
  cwd: string;
  project: Project;
  /** Null until it was let in, or the first of its memories was. */
  id: number | null;
  line: Line<'session'> | null;
  /** Hooks or a transcript told of it here. */
  isCaptured: boolean;
  twins: Twins;
};

function takeLine(state: State, line: ExportLine): Taken {
  switch (line.kind) {
    case 'project':
      return takeProject(state, line);
    case 'session':
      return takeSession(state, line);
    case 'prompt':
      return takePrompt(state, line);
    case 'turn':
      return takeTurn(state, line);
    case 'observation':
      return takeObservation(state, line);
    case 'summary':
      return takeSummary(state, line);
    case 'replaced':
      return takeReplaced(state, line);
    case 'commit': {
      const project = findProject(state.db, line.project);
      return project ? isNew(importCommit(state.db, project.id, line, null)) : lostWith(state, 'project', line.project);
    }
    case 'distrusted': {
      const source = parseSource(line.source);
      if (!source) return { kind: 'bad', reason: 'its source is none that is known' };
      return isNew(distrust(state.db, source, Date.parse(line.at)));
    }
    case 'forgotten': {
      if (isForgotten(state.db, line.what, line.hash)) return KNOWN;
      bury(state.db, line.what, line.hash, Date.parse(line.at));
      return ADDED;
    }
  }
}

const lostWith = ({ lost }: State, what: 'session' | 'project', name: string): Taken =>
  lost.get(name) ?? { kind: 'bad', reason: `the line of its ${what} is not in the file, or could not be read` };

/** One that is off leaves no trace of its name. */
function takeProject(state: State, line: Line<'project'>): Taken {
  const { key, name, root, at } = line;
  const isThere = findProject(state.db, key) !== null;
  const place = { project: { key, name, root, remote: null }, session: '', cwd: root, at: Date.parse(at) };
  const refusal = isThere ? null : refuseMemory(state.db, place, state.settings());
  if (refusal === 'off' || refusal === 'excluded') {
    state.lost.set(key, refused(refusal));
    return refused(refusal);
  }
  importProject(state.db, line);
  return isNew(!isThere);
}

function takeSession(state: State, line: Line<'session'>): Taken {
  const { db, asMine } = state;
  const standIn = /^(?:git|claude-mem|team\/(.*))$/s.exec(line.host);
  if (standIn) {
    const [, author] = standIn;
    state.standIns.set(line.session, author === undefined ? null : authorName(author));
    return KNOWN;
  }
  const project = findProject(db, line.project);
  if (!project) {
    const taken = lostWith(state, 'project', line.project);
    state.lost.set(line.session, taken);
    return taken;
  }
  const known = findOpen(db, line.session);
  const bare = { hostId: line.session, cwd: line.cwd, project, id: null, isCaptured: false };
  const own = known ?? { ...bare, line, twins: createTwins(db) };
  keepOpen(state, own);
  if (known && !asMine) return KNOWN;
  const place = placeOf(own, project, line.startedAt);
  const refusal = known ? null : refuseMemory(db, place, state.settings());
  if (refusal) return refused(refusal);
  own.id = importSession(db, withCleanWords(db, line, place), project.id);
  return isNew(!known);
}

/** So many are at hand; any other is looked up again. */
const MOST_OPEN = 200;

function keepOpen({ sessions }: State, own: OpenSession): OpenSession {
  if (sessions.size >= MOST_OPEN) sessions.clear();
  sessions.set(own.hostId, own);
  return own;
}

function sessionOf(state: State, hostId: string): OpenSession | null {
  const open = state.sessions.get(hostId);
  if (open) return open;
  const found = findOpen(state.db, hostId);
  return found && keepOpen(state, found);
}

function findOpen(db: Database, hostId: string): OpenSession | null {
  const session = findSession(db, hostId);
  const project = session && getProject(db, session.projectId);
  if (!session || !project) return null;
  const { id, root: cwd } = session;
  return { hostId, cwd, project, id, line: null, isCaptured: wasCaptured(db, id), twins: createTwins(db) };
}

function notedOf({ db, noted }: State, key: string): OpenSession | null {
  const project = findProject(db, key);
  if (!project) return null;
  const twins = noted.get(project.id) ?? createTwins(db);
  noted.set(project.id, twins);
  return { hostId: '', cwd: project.root, project, id: null, line: null, isCaptured: false, twins };
}

/** Its id. One that was not let in itself is there for its memories, without its words. */
function ensureSession({ db }: State, own: OpenSession): number {
  if (own.id !== null) return own.id;
  if (!own.line) throw new Error(`session ${own.hostId} has no line`);
  own.id = importSession(db, { ...own.line, title: null, subtitle: null, firstPrompt: null }, own.project.id);
  return own.id;
}

const placeOf = ({ hostId, cwd }: OpenSession, { key, name, root }: Project, at: string): MemoryPlace => ({
  project: { key, name, root, remote: null },
  session: hostId,
  cwd,
  at: Date.parse(at),
});

/** What a session is called passes the same checks as what was asked in it. */
function withCleanWords(db: Database, line: Line<'session'>, place: MemoryPlace): Line<'session'> {
  const clean = (text: string | null) => (text ? admitPrompt(db, text, place)?.text || null : null);
  return { ...line, title: clean(line.title), subtitle: clean(line.subtitle), firstPrompt: clean(line.firstPrompt) };
}

/** How a line of one kind becomes a row. */
type Way<Draft> = {
  draft: Draft;
  at: string;
  /** The row that is there already; what becomes of the line where that is known without one; null when it is new. */
  find: (own: OpenSession, project: Project, draft: Draft) => number | Taken | null;
  /** What the checks leave of it. */
  admit: (draft: Draft, place: MemoryPlace, settings: CaptureSettings) => Draft | null;
  /** Its id. `session`: makes sure that it is there. */
  insert: (owner: { session: () => number; projectId: number }, draft: Draft) => number;
};

type MemoryOfLine = { kind: string; session: string | null; project?: string; ref?: number | undefined };

function takeMemory<Draft>(state: State, line: MemoryOfLine, { draft, at, find, admit, insert }: Way<Draft>): Taken {
  const { session, project: key = '' } = line;
  const own = session === null ? notedOf(state, key) : sessionOf(state, session);
  if (!own) return session === null ? lostWith(state, 'project', key) : lostWith(state, 'session', session);
  const project = line.project === undefined ? own.project : findProject(state.db, key);
  if (!project) return lostWith(state, 'project', key);
  const note = (id: number) => {
    if (line.kind === 'observation') own.twins.take(id);
    // Only memories have a number in the file.
    if (line.ref !== undefined) state.refs.set(line.ref, { memory: { kind: line.kind as MemoryKind, id }, at: Date.parse(at) });
  };
  const known = find(own, project, draft);
  if (typeof known === 'number') note(known);
  if (known !== null) return typeof known === 'number' ? KNOWN : known;
  const place = placeOf(own, project, at);
  const refusal = refuseMemory(state.db, place, state.settings());
  if (refusal) return refused(refusal);
  const admitted = admit(draft, place, state.settings());
  if (!admitted) return NOTHING_LEFT;
  // Without what is private or secret it may be one that is there.
  const twin = Bun.deepEquals(draft, admitted) ? null : find(own, project, admitted);
  const id = typeof twin === 'number' ? twin : insert({ session: () => ensureSession(state, own), projectId: project.id }, admitted);
  note(id);
  return isNew(id !== twin);
}

function takePrompt(state: State, line: Line<'prompt'>): Taken {
  const { db } = state;
  const { number: promptNumber, promptId, text, isPrivate, at } = line;
  return takeMemory(state, line, {
    draft: { text, isPrivate },
    at,
    find: ({ id }) => (id === null ? null : findPromptNumbered(db, id, promptNumber)),
    admit: (draft, place) => (isPrivate || text === '' ? { text: '', isPrivate } : admitPrompt(db, draft.text, place)),
    insert: ({ session }, admitted) => importPrompt(db, { sessionId: session(), promptNumber, promptId, ...admitted, at: Date.parse(at) }),
  });
}

function takeTurn(state: State, line: Line<'turn'>): Taken {
  const { db } = state;
  const { number: promptNumber, branch, headBefore, headAfter: head, startedAt } = line;
  return takeMemory(state, line, {
    draft: { record: readRecord(line.record), steps: line.openSteps },
    at: startedAt,
    // Without its prompt nobody could find it: that was private, forgotten, or is not in the file.
    find: ({ id: sessionId }) =>
      sessionId !== null && hasOpenPrompt(db, sessionId, promptNumber) ? findTurnId(db, sessionId, promptNumber) : NOTHING_LEFT,
    admit({ record, steps }, place, settings) {
      const admitted = admitRecord(db, record, place, settings);
      return admitted && { record: admitted, steps: admitSteps(db, steps, place, settings) };
    },
    insert({ session, projectId }, { record, steps }) {
      const turn = { sessionId: session(), promptNumber };
      const endedAt = Date.parse(line.endedAt);
      putTurn(db, { ...turn, startedAt: Date.parse(startedAt), endedAt, branch, head, headBefore }, record);
      putSteps(db, { ...turn, projectId, at: endedAt }, steps);
      return findTurnId(db, turn.sessionId, promptNumber) ?? 0;
    },
  });
}

const findTurnId = (db: Database, sessionId: number, promptNumber: number) => findTurn(db, { sessionId, promptNumber })?.id ?? null;

function takeObservation(state: State, said: Line<'observation'>): Taken {
  const { db, asMine, standIns } = state;
  const author = standIns.get(said.session ?? '');
  const line = author === undefined ? said : { ...said, session: null, author };
  const promptNumber = line.prompt ?? 0;
  return takeMemory(state, line, {
    draft: draftObservation(line),
    at: line.at,
    find(own, project, draft) {
      // A commit is known by its hash alone: one that was rebased says the same at the same moment.
      const commit = line.commits.map(({ hash }) => findCommitMemory(db, project.id, hash)).find((id) => id !== undefined);
      const coming = { projectId: project.id, promptNumber, draft, isEdited: line.editedAt !== null };
      const isFresh = line.session !== null && own.id === null;
      const known = line.commits.length > 0 || isFresh ? commit : own.twins.find(own.id, coming);
      if (typeof known === 'number') return known;
      // Of a commit that is known nothing is to come back.
      if (commit === null) return refused('forgotten');
      // Whoever wrote the file was not in a session that was captured here.
      return !asMine && own.isCaptured ? NOT_MINE : null;
    },
    admit: (draft, place, settings) => admitObservation(db, draft, place, settings),
    insert({ session, projectId }, admitted) {
      const owner = { sessionId: line.session === null ? null : session(), author: line.author, projectId, promptNumber, ...NO_BATCH };
      const id = insertObservation(db, owner, admitted, evidenceOf(line, admitted));
      markImported(db, id, projectId, line);
      return id;
    },
  });
}

/** No model is still to look at it. */
const NO_BATCH = { batchId: null, isProvisional: false };

function takeSummary(state: State, line: Line<'summary'>): Taken {
  const { db } = state;
  const promptNumber = line.prompt ?? 0;
  const { request, investigated, learned, completed, nextSteps, notes, filesRead, filesEdited, at } = line;
  return takeMemory(state, line, {
    draft: { request, investigated, learned, completed, nextSteps, notes, filesRead, filesEdited, at: Date.parse(at) },
    at,
    find: ({ id }, _, draft) => (id === null ? null : findSummary(db, id, promptNumber, draft)),
    admit: (draft, place, settings) => admitSummary(db, draft, place, settings),
    insert: ({ session, projectId }, admitted) =>
      insertSummary(db, { sessionId: session(), projectId, promptNumber, ...NO_BATCH }, admitted),
  });
}

function takeReplaced({ db, refs }: State, { ref, by, at, ...said }: Line<'replaced'>): Taken {
  const [older, newer] = [refs.get(ref), refs.get(by)];
  if (older === undefined || newer === undefined) return refused('half');
  const since = at === null ? newer.at : Date.parse(at);
  return isNew(importReplacement(db, { ...said, older: older.memory, newer: newer.memory, at: since }));
}

/** A memory as an observer would have made it. */
export function draftObservation(line: Line<'observation'>): ObservationDraft {
  const { type, title, subtitle, narrative, facts, concepts, filesRead, filesModified, outcome } = line;
  const words = { type, title, subtitle, narrative, facts, concepts, filesRead, filesModified, outcome };
  const { origin, sources, isRule, keywords, at } = line;
  return { ...words, origin, sources, isRule, keywords, at: Date.parse(at) };
}

/** Without the files that the checks left out. */
export function evidenceOf(line: Line<'observation'>, admitted: ObservationDraft): Evidence {
  const { head, branch, errorMarks, trust, isQuarantined } = line;
  const named = new Set([...line.filesRead, ...line.filesModified]);
  const left = new Set([...admitted.filesRead, ...admitted.filesModified]);
  const citations = line.citations.filter(({ path }) => left.has(path) || !named.has(path));
  return { head, branch, citations, errorMarks, trust, isQuarantined };
}
