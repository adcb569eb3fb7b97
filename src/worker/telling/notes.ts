// What a session is told in the middle of it: with a prompt, before it edits a file, and after an error that was seen before.
import type { Database } from 'bun:sqlite';
import type { Config } from '../../config.ts';
import { KNOWN_ERROR, readErrorText, recallError } from '../../context/after-error.ts';
import { recallFile } from '../../context/before-edit.ts';
import { createEarlierNames } from '../../context/earlier-names.ts';
import type { ErrorNoteQuery } from '../../context/error-note.ts';
import { type FileQuery, writeFileNote } from '../../context/file-note.ts';
import { writeNote } from '../../context/note.ts';
import { joinPieces, type Piece, toToldPieces } from '../../context/page.ts';
import { inPairs } from '../../context/pair-replaced.ts';
import { readQuestion } from '../../context/question.ts';
import { NOWHERE } from '../../context/surroundings.ts';
import type { TellDeps } from '../../context/tell.ts';
import type { Occasion } from '../../core/context.ts';
import type { SessionEvent, ToolEvent } from '../../core/event.ts';
import { relativePath } from '../../core/project-path.ts';
import { readBranch } from '../../git/identity.ts';
import { spellFolder, spellInTree } from '../../git/real-path.ts';
import type { Observation } from '../../store/memories/observations.ts';
import { findSession, type Session } from '../../store/sessions/sessions.ts';
import { countNotes, listToldInFull, recordTelling, wasTold } from '../../store/trust/tellings.ts';

export type NotesDeps = TellDeps & {
  db: Database;
  /** The settings of the project that a session is of. */
  settingsOf: (session: Session) => Config;
  isSilent: (session: Session, at: number) => boolean;
  /** A path, absolute or relative to the root, of which nothing is kept or told. */
  isExcluded: (session: Session, path: string) => boolean;
  /** Where a file is known from another project than the session's; null where it is not. */
  placeFile: (session: Session, file: string) => Pick<FileQuery, 'projectId' | 'root' | 'path'> | null;
  /** The block for a prompt: what matters for it, or nothing. */
  promptNote: (prompt: string, session: Session) => Promise<Piece[]>;
  /** The same for an error that no memory is known by. */
  errorNote: (query: Omit<ErrorNoteQuery, 'isExcluded'>, session: Session) => Promise<Piece[]>;
  clock: () => number;
};

/** Until when the hook waits, epoch ms: what comes later is heard by nobody, and counts as not told. */
type Until = { until: number };

export type Notes = {
  /** The session as it was before this prompt. */
  withPrompt: (event: Extract<SessionEvent, { kind: 'prompt' }>, session: Session, wait: Until) => Promise<string>;
  beforeEdit: (question: { session: string; cwd: string; file: string }, wait: Until) => Promise<string>;
  afterError: (event: Extract<SessionEvent, { kind: 'tool' }>, session: Session, wait: Until) => Promise<string>;
};

export function createNotes(deps: NotesDeps): Notes {
  const { db, settingsOf, isSilent, isExcluded, placeFile, promptNote, errorNote, checkFreshness, clock } = deps;
  const earlierNames = createEarlierNames(db);

  type Tellable = { occasion: Occasion; about: string | null; pieces: Piece[] };
  /** Once: several tools may fail in the same moment. */
  const tell = (session: Session, { occasion, about, pieces }: Tellable, { until }: Until): string => {
    if (pieces.length === 0 || clock() > until) return '';
    const telling = { sessionId: session.id, occasion, about, source: '', at: clock() };
    const isTold = db
      .transaction(() => {
        if (about !== null && wasTold(db, telling)) return false;
        recordTelling(db, { ...telling, pieces: toToldPieces(pieces) });
        return true;
      })
      .immediate();
    return isTold ? joinPieces(pieces) : '';
  };
  const isAboutExcluded = (session: Session, { filesModified, filesRead }: Observation) =>
    [...filesModified, ...filesRead].some((file) => isExcluded(session, file));
  const check = (observations: Observation[], { root }: Session) =>
    checkFreshness(observations, { ...NOWHERE, root, branch: readBranch(root) });

  return {
    async withPrompt({ text }, session, wait) {
      const { promptRecall: most } = settingsOf(session);
      const note = { sessionId: session.id, occasion: 'first-prompt', about: null } as const;
      if (most === 0 || readQuestion(text) === null || countNotes(db, note) >= most) return '';
      return tell(session, { ...note, pieces: await promptNote(text, session) }, wait);
    },
    async beforeEdit({ session: hostSessionId, cwd, file }, wait) {
      const session = findSession(db, hostSessionId);
      if (!session) return '';
      const { id: sessionId, projectId, root } = session;
      const about = relativePath(spellInTree(file, root), root, spellFolder(cwd, root));
      const places = [placeFile(session, about), { projectId, root, path: about }].filter((one) => one !== null);
      if (!settingsOf(session).fileContext || wasTold(db, { sessionId, occasion: 'edit', about })) return '';
      const known = await Promise.all(places.map(async (one) => ({ ...one, earlier: await earlierNames(one) })));
      const place = known.find((one) => recallFile(db, { ...one, sessionId }).length > 0);
      // Mostly there is nothing to say: then nothing else is looked at.
      if (!place) return '';
      if (isSilent(session, clock()) || isExcluded(session, file)) return '';
      const pieces = await writeFileNote(deps, { ...place, sessionId });
      return tell(session, { occasion: 'edit', about, pieces }, wait);
    },
    async afterError(event, session, wait) {
      if (event.error === null || !settingsOf(session).errorRecall) return '';
      const found = recallError(db, { projectId: session.projectId, sessionId: session.id, event });
      const mark = found?.mark ?? readErrorText(event)?.mark;
      if (!mark || wasTold(db, { sessionId: session.id, occasion: 'error', about: mark })) return '';
      const pieces = found ? await writeKnown(found.observations, session) : await lookUp(event, session);
      return tell(session, { occasion: 'error', about: mark, pieces }, wait);
    },
  };

  async function writeKnown(known: Observation[], session: Session): Promise<Piece[]> {
    const observations = inPairs(db, known).filter(({ observation }) => !isAboutExcluded(session, observation));
    return writeNote({
      subject: KNOWN_ERROR,
      known: new Set(listToldInFull(db, session.id)),
      section: 'error',
      why: 'the same error',
      observations,
      freshness: await check(
        observations.map(({ observation }) => observation),
        session,
      ),
    });
  }

  async function lookUp(event: Pick<ToolEvent, 'error'>, session: Session): Promise<Piece[]> {
    const { projectId, root, id: sessionId } = session;
    const text = readErrorText(event)?.text;
    return text ? errorNote({ text, projectId, root, sessionId }, session) : [];
  }
}
