// What becomes of a line that a file brings: added, known already, left out by the checks, or not to be understood.
// What is there already stays as it is.
import type { Database } from 'bun:sqlite';
import type { DoorSettings } from '../capture/judge.ts';
import { findSession } from '../capture/sessions.ts';
import type { Evidence } from '../core/evidence.ts';
import type { MemoryRef } from '../core/memory.ts';
import type { ObservationDraft } from '../core/observation.ts';
import type { ExportLine, Line } from '../core/shapes/export.ts';
import { bury, isForgotten } from '../forget/tombstones.ts';
import { distrust, parseSource } from '../memory/blocked.ts';
import { insertObservation } from '../memory/observations.ts';
import { putSteps } from '../memory/open-steps.ts';
import { importReplacement } from '../memory/replacements.ts';
import { insertSummary } from '../memory/summaries.ts';
import { findProject, getProject, type Project } from '../projects/projects.ts';
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
  door: () => DoorSettings;
  /** A person says that the file is their own. */
  asMine: boolean;
};

export type Taken = { kind: 'added' } | { kind: 'known' } | { kind: 'refused'; reason: string } | { kind: 'bad'; reason: string };

/** Takes the lines of one file, in their order. */
type LineTaker = {
  /** Before each transaction: since the last one somebody may have forgotten a session or merged two projects. */
  begin: () => void;
  /** Inside a transaction. */
  take: (line: ExportLine) => Taken;
};

export function createLineTaker(deps: TakerDeps): LineTaker {
  const state: State = { ...deps, refs: new Map(), sessions: new Map(), lost: new Map() };
  return {
    begin() {
      for (const [hostId, { id, project }] of state.sessions) {
        const there = findSession(state.db, hostId);
        if ((there?.id ?? null) !== id || (there && there.projectId !== project.id)) state.sessions.delete(hostId);
      }
    },
    take(said) {
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
  const refusal = isThere ? null : refuseMemory(state.db, place, state.door());
  if (refusal === 'off' || refusal === 'excluded') {
    state.lost.set(key, refused(refusal));
    return refused(refusal);
  }
  importProject(state.db, line);
  return isNew(!isThere);
}

function takeSession(state: State, line: Line<'session'>): Taken {
  const { db, asMine } = state;
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
  const refusal = known ? null : refuseMemory(db, place, state.door());
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

function note({ refs }: State, line: { ref?: number | undefined; at: string }, memory: MemoryRef): void {
  if (line.ref !== undefined) refs.set(line.ref, { memory, at: Date.parse(line.at) });
}

function takePrompt(state: State, line: Line<'prompt'>): Taken {
  const { db } = state;
  const own = sessionOf(state, line.session);
  if (!own) return lostWith(state, 'session', line.session);
  const known = own.id === null ? null : findPromptNumbered(db, own.id, line.number);
  if (known !== null) {
    note(state, line, { kind: 'prompt', id: known });
    return KNOWN;
  }
  const place = placeOf(own, own.project, line.at);
  const refusal = refuseMemory(db, place, state.door());
  if (refusal) return refused(refusal);
  const isMarker = line.isPrivate || line.text === '';
  const admitted = isMarker ? { text: '', isPrivate: line.isPrivate } : admitPrompt(db, line.text, place);
  if (!admitted) return NOTHING_LEFT;
  const { number: promptNumber, promptId } = line;
  const sessionId = ensureSession(state, own);
  const id = importPrompt(db, { sessionId, promptNumber, promptId, ...admitted, at: place.at });
  note(state, line, { kind: 'prompt', id });
  return ADDED;
}

function takeTurn(state: State, line: Line<'turn'>): Taken {
  const { db } = state;
  const own = sessionOf(state, line.session);
  if (!own) return lostWith(state, 'session', line.session);
  const { number: promptNumber, branch, headBefore, headAfter: head } = line;
  // Without its prompt nobody could find it: that was private, forgotten, or is not in the file.
  if (own.id === null || !hasOpenPrompt(db, own.id, promptNumber)) return NOTHING_LEFT;
  const turn = { sessionId: own.id, promptNumber };
  if (findTurn(db, turn)) return KNOWN;
  const place = placeOf(own, own.project, line.startedAt);
  const refusal = refuseMemory(db, place, state.door());
  if (refusal) return refused(refusal);
  const record = admitRecord(db, readRecord(line.record), place, state.door());
  if (!record) return NOTHING_LEFT;
  const endedAt = Date.parse(line.endedAt);
  putTurn(db, { ...turn, startedAt: place.at, endedAt, branch, head, headBefore }, record);
  const owner = { ...turn, projectId: own.project.id, at: endedAt };
  putSteps(db, owner, admitSteps(db, line.openSteps, place, state.door()));
  return ADDED;
}

function takeObservation(state: State, line: Line<'observation'>): Taken {
  const { db, asMine } = state;
  const [own, project] = [sessionOf(state, line.session), findProject(db, line.project)];
  if (!own) return lostWith(state, 'session', line.session);
  if (!project) return lostWith(state, 'project', line.project);
  const draft = draftObservation(line);
  const known = findKnown(state, own, project, line, draft);
  if (known.id !== null) {
    noteObservation(state, own, known.id, line);
    return KNOWN;
  }
  if (known.isGone) return refused('forgotten');
  // Whoever wrote the file was not in a session that was captured here.
  if (!asMine && own.isCaptured) return NOT_MINE;
  const place = placeOf(own, project, line.at);
  const refusal = refuseMemory(db, place, state.door());
  if (refusal) return refused(refusal);
  const admitted = admitObservation(db, draft, place, state.door());
  if (!admitted) return NOTHING_LEFT;
  const isSame = Bun.deepEquals(draft, admitted);
  const twin = isSame ? null : findKnown(state, own, project, line, admitted).id;
  const owner = () => ({ sessionId: ensureSession(state, own), projectId: project.id, promptNumber: line.prompt ?? 0 });
  const id = twin ?? insertObservation(db, { ...owner(), ...NO_BATCH }, admitted, evidenceOf(line, admitted));
  if (twin === null) markImported(db, id, project.id, line);
  noteObservation(state, own, id, line);
  return isNew(twin === null);
}

/** No model is still to look at it. */
const NO_BATCH = { batchId: null, isProvisional: false };

type Known = { id: number | null; isGone: boolean };

/** A commit is known by its hash alone: one that was rebased says the same at the same moment. */
function findKnown(
  { db }: State,
  { id: sessionId, twins }: OpenSession,
  { id: projectId }: Project,
  line: Line<'observation'>,
  draft: ObservationDraft,
): Known {
  if (line.commits.length > 0) {
    const found = line.commits.map(({ hash }) => findCommitMemory(db, projectId, hash));
    const commit = found.find((id) => id !== undefined);
    // Of a commit that is known nothing is to come back.
    return { id: commit ?? null, isGone: commit === null };
  }
  const coming = { projectId, promptNumber: line.prompt ?? 0, draft, isEdited: line.editedAt !== null };
  return { id: sessionId === null ? null : twins.find(sessionId, coming), isGone: false };
}

function noteObservation(state: State, own: OpenSession, id: number, line: Line<'observation'>): void {
  own.twins.take(id);
  note(state, line, { kind: 'observation', id });
}

function takeSummary(state: State, line: Line<'summary'>): Taken {
  const { db } = state;
  const [own, project] = [sessionOf(state, line.session), findProject(db, line.project)];
  if (!own) return lostWith(state, 'session', line.session);
  if (!project) return lostWith(state, 'project', line.project);
  const draft = { ...line, at: Date.parse(line.at) };
  const promptNumber = line.prompt ?? 0;
  const known = own.id === null ? null : findSummary(db, own.id, promptNumber, draft);
  if (known !== null) {
    note(state, line, { kind: 'summary', id: known });
    return KNOWN;
  }
  const place = placeOf(own, project, line.at);
  const refusal = refuseMemory(db, place, state.door());
  if (refusal) return refused(refusal);
  const admitted = admitSummary(db, draft, place, state.door());
  if (!admitted) return NOTHING_LEFT;
  const owner = { sessionId: ensureSession(state, own), projectId: project.id, promptNumber };
  note(state, line, { kind: 'summary', id: insertSummary(db, { ...owner, ...NO_BATCH }, admitted) });
  return ADDED;
}

function takeReplaced({ db, refs }: State, { ref, by, at, ...said }: Line<'replaced'>): Taken {
  const [older, newer] = [refs.get(ref), refs.get(by)];
  if (older === undefined || newer === undefined) return refused('half');
  const since = at === null ? newer.at : Date.parse(at);
  return isNew(importReplacement(db, { ...said, older: older.memory, newer: newer.memory, at: since }));
}

/** A memory as an observer would have made it. */
function draftObservation(line: Line<'observation'>): ObservationDraft {
  const { type, title, subtitle, narrative, facts, concepts, filesRead, filesModified, outcome } = line;
  const words = { type, title, subtitle, narrative, facts, concepts, filesRead, filesModified, outcome };
  const { origin, sources, isRule, keywords, at } = line;
  return { ...words, origin, sources, isRule, keywords, at: Date.parse(at) };
}

/** Without the files that the checks left out. */
function evidenceOf(line: Line<'observation'>, admitted: ObservationDraft): Evidence {
  const { head, branch, errorMarks, trust, isQuarantined } = line;
  const named = new Set([...line.filesRead, ...line.filesModified]);
  const left = new Set([...admitted.filesRead, ...admitted.filesModified]);
  const citations = line.citations.filter(({ path }) => left.has(path) || !named.has(path));
  return { head, branch, citations, errorMarks, trust, isQuarantined };
}
