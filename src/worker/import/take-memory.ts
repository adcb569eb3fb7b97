// The sessions and memories of an export, each through the door. What is there already stays as it is.
import type { Database } from 'bun:sqlite';
import type { ObservationLine, PromptLine, SessionLine, SummaryLine, TurnLine } from '../../core/export.ts';
import type { MemoryRef } from '../../core/memory.ts';
import { putSteps } from '../../memory/open-steps.ts';
import { insertObservation } from '../../store/memories/observations.ts';
import { insertSummary } from '../../store/memories/summaries.ts';
import { findProject, getProject, type Project } from '../../store/projects/projects.ts';
import { insertPrompt } from '../../store/sessions/prompts.ts';
import { findSession } from '../../store/sessions/sessions.ts';
import {
  findCommitMemory,
  findPromptNumbered,
  findSummaryAt,
  hasOpenPrompt,
  importSession,
  markImported,
} from '../../store/transfer/import-rows.ts';
import { wasCaptured } from '../../store/transfer/imported.ts';
import { createTwins, type Twins } from '../../store/transfer/twins.ts';
import { readRecord } from '../../turns/record.ts';
import { findTurn, putTurn } from '../../turns/turns.ts';
import {
  admitObservation,
  admitPrompt,
  admitRecord,
  admitSteps,
  admitSummary,
  type MemoryPlace,
  refuseMemory,
} from './admit.ts';
import { draftObservation, draftSummary, evidenceOf } from './export-drafts.ts';
import { NOT_MINE } from './not-mine.ts';
import { ADDED, KNOWN, NO_PROJECT, NO_SESSION, NOTHING_LEFT, type Taken, type TakerDeps } from './taken.ts';

export type MemoryTaker = {
  takeSession: (line: SessionLine) => Taken;
  takePrompt: (line: PromptLine) => Taken;
  takeTurn: (line: TurnLine) => Taken;
  takeObservation: (line: ObservationLine) => Taken;
  takeSummary: (line: SummaryLine) => Taken;
  /** What a line calls by this number, and when it says that was. */
  idOf: (ref: number) => { memory: MemoryRef; at: number } | undefined;
};

type OpenSession = {
  hostId: string;
  cwd: string;
  project: Project;
  /** Its id; made when the first of its memories comes in, if it was not let in itself. */
  ensure: () => number;
  id: number | null;
  /** Hooks or a transcript told of it here. */
  isCaptured: boolean;
  twins: Twins;
};

type MemoryTakerDeps = Omit<TakerDeps, 'clock'>;

export function createMemoryTaker({ db, door, asMine }: MemoryTakerDeps): MemoryTaker {
  const ids = new Map<number, { memory: MemoryRef; at: number }>();
  /** The one whose lines are being read: they stand together. */
  let open: OpenSession | null = null;

  const placeOf = ({ hostId, cwd }: OpenSession, { key, name, root }: Project, at: number): MemoryPlace => ({
    project: { key, name, root, remote: null },
    session: hostId,
    cwd,
    at,
  });

  const sessionOf = (hostId: string): OpenSession | null => {
    if (open?.hostId !== hostId) open = findOpen(db, hostId);
    return open;
  };

  const name = (line: { ref?: number | undefined; at: string }, memory: MemoryRef) => {
    if (line.ref !== undefined) ids.set(line.ref, { memory, at: Date.parse(line.at) });
  };

  const note = (own: OpenSession, id: number, line: ObservationLine) => {
    own.twins.take(id);
    name(line, { kind: 'observation', id });
  };

  return {
    idOf: (ref) => ids.get(ref),

    takeSession(line) {
      const project = findProject(db, line.project);
      if (!project) return NO_PROJECT;
      const known = findOpen(db, line.session);
      const own: OpenSession = known ?? {
        ...{ hostId: line.session, cwd: line.cwd, project, id: null, isCaptured: false, twins: createTwins(db) },
        ensure() {
          own.id ??= importSession(db, { ...line, title: null, subtitle: null, firstPrompt: null }, project.id);
          return own.id;
        },
      };
      open = own;
      if (known && !asMine) return KNOWN;
      const place = placeOf(own, project, Date.parse(line.startedAt));
      const refusal = known ? null : refuseMemory(db, place, door());
      if (refusal) return { kind: 'refused', reason: refusal };
      own.id = importSession(db, withCleanWords(db, line, place), project.id);
      return known ? KNOWN : ADDED;
    },

    takePrompt(line) {
      const own = sessionOf(line.session);
      if (!own) return NO_SESSION;
      const known = own.id === null ? null : findPromptNumbered(db, own.id, line.number);
      if (known !== null) name(line, { kind: 'prompt', id: known });
      if (known !== null) return KNOWN;
      const at = Date.parse(line.at);
      const place = placeOf(own, own.project, at);
      const refusal = refuseMemory(db, place, door());
      if (refusal) return { kind: 'refused', reason: refusal };
      const isMarker = line.isPrivate || line.text === '';
      const admitted = isMarker ? { text: '', isPrivate: line.isPrivate } : admitPrompt(db, line.text, place);
      if (!admitted) return NOTHING_LEFT;
      const { number: promptNumber, promptId } = line;
      const sessionId = own.ensure();
      insertPrompt(db, { sessionId, promptNumber, promptId, ...admitted, at });
      const id = findPromptNumbered(db, sessionId, promptNumber);
      if (id !== null) name(line, { kind: 'prompt', id });
      return ADDED;
    },

    takeTurn(line) {
      const own = sessionOf(line.session);
      if (!own) return NO_SESSION;
      const { number: promptNumber, branch, headBefore, headAfter: head } = line;
      // Without its prompt nobody could find it: that was private, forgotten, or is not in the file.
      if (own.id === null || !hasOpenPrompt(db, own.id, promptNumber)) return NOTHING_LEFT;
      const place = { sessionId: own.id, promptNumber };
      if (findTurn(db, place)) return KNOWN;
      const [startedAt, endedAt] = [Date.parse(line.startedAt), Date.parse(line.endedAt)];
      const from = placeOf(own, own.project, startedAt);
      const refusal = refuseMemory(db, from, door());
      if (refusal) return { kind: 'refused', reason: refusal };
      const record = admitRecord(db, readRecord(line.record), from, door());
      if (!record) return NOTHING_LEFT;
      putTurn(db, { ...place, startedAt, endedAt, branch, head, headBefore }, record);
      const owner = { ...place, projectId: own.project.id, at: endedAt };
      putSteps(db, owner, admitSteps(db, line.openSteps, from, door()));
      return ADDED;
    },

    takeObservation(line) {
      const [own, project] = [sessionOf(line.session), findProject(db, line.project)];
      if (!own) return NO_SESSION;
      if (!project) return NO_PROJECT;
      const draft = draftObservation(line);
      // A commit is known by its hash alone: one that was rebased says the same at the same moment.
      const isCommit = line.commits.length > 0;
      const find = (said: typeof draft) => {
        if (own.id === null || isCommit) return null;
        return own.twins.find({ sessionId: own.id, projectId: project.id }, said, line.editedAt !== null);
      };
      const commit = line.commits
        .map(({ hash }) => findCommitMemory(db, project.id, hash))
        .find((id) => id !== undefined);
      const known = commit ?? find(draft);
      if (known) note(own, known, line);
      if (known) return KNOWN;
      // Of a commit that is known nothing is to come back.
      if (commit === null) return { kind: 'refused', reason: 'forgotten' };
      // Whoever wrote the file was not in a session that was captured here.
      if (!asMine && own.isCaptured) return NOT_MINE;
      const place = placeOf(own, project, draft.at);
      const refusal = refuseMemory(db, place, door());
      if (refusal) return { kind: 'refused', reason: refusal };
      const admitted = admitObservation(db, draft, place, door());
      if (!admitted) return NOTHING_LEFT;
      const twin = find(admitted);
      if (twin) note(own, twin, line);
      if (twin) return KNOWN;
      const owner = { sessionId: own.ensure(), projectId: project.id, promptNumber: line.prompt ?? 0 };
      const id = insertObservation(db, { ...owner, ...BY_HAND }, admitted, evidenceOf(line, admitted));
      markImported(db, id, project.id, line);
      note(own, id, line);
      return ADDED;
    },

    takeSummary(line) {
      const [own, project] = [sessionOf(line.session), findProject(db, line.project)];
      if (!own) return NO_SESSION;
      if (!project) return NO_PROJECT;
      const draft = draftSummary(line);
      const owned = own.id === null ? null : { sessionId: own.id, projectId: project.id };
      const known = owned && findSummaryAt(db, owned, line.prompt ?? 0, draft.at);
      if (known !== null) name(line, { kind: 'summary', id: known });
      if (known !== null) return KNOWN;
      const place = placeOf(own, project, draft.at);
      const refusal = refuseMemory(db, place, door());
      if (refusal) return { kind: 'refused', reason: refusal };
      const admitted = admitSummary(db, draft, place, door());
      if (!admitted) return NOTHING_LEFT;
      const owner = { sessionId: own.ensure(), projectId: project.id, promptNumber: line.prompt ?? 0 };
      name(line, { kind: 'summary', id: insertSummary(db, { ...owner, ...BY_HAND }, admitted) });
      return ADDED;
    },
  };
}

/** No model is still to look at it. */
const BY_HAND = { batchId: null, isProvisional: false };

function findOpen(db: Database, hostId: string): OpenSession | null {
  const session = findSession(db, hostId);
  const project = session && getProject(db, session.projectId);
  if (!session || !project) return null;
  const { id, root: cwd } = session;
  const isCaptured = wasCaptured(db, id);
  return { hostId, cwd, project, id, isCaptured, ensure: () => id, twins: createTwins(db) };
}

/** What a session is called passes the same door as what was asked in it. */
function withCleanWords(db: Database, line: SessionLine, place: MemoryPlace): SessionLine {
  const clean = (text: string | null) => (text ? admitPrompt(db, text, place)?.text || null : null);
  return { ...line, title: clean(line.title), subtitle: clean(line.subtitle), firstPrompt: clean(line.firstPrompt) };
}
