// What a session is told in the middle of it: with its first prompt, before it edits a file, and after an error that was seen before.
import type { Database } from 'bun:sqlite';
import type { Config } from '../config.ts';
import { recallError } from '../context/after-error.ts';
import { MOST_CHARACTERS, writeFileNote } from '../context/file-note.ts';
import { writeNote } from '../context/note.ts';
import { joinPieces, type Piece, toToldPieces } from '../context/page.ts';
import { NOWHERE } from '../context/surroundings.ts';
import type { TellDeps } from '../context/tell.ts';
import type { Occasion } from '../core/context.ts';
import type { SessionEvent } from '../core/event.ts';
import { readBranch } from '../git/identity.ts';
import { relativePath } from '../observer/local/project-path.ts';
import type { Observation } from '../store/observations.ts';
import { findSession, type Session } from '../store/sessions.ts';
import { listToldInFull, recordTelling, wasTold } from '../store/tellings.ts';

export type NotesDeps = TellDeps & {
  db: Database;
  /** The settings of the project that a session is of. */
  settingsOf: (session: Session) => Config;
  isSilent: (session: Session, at: number) => boolean;
  /** The block for a prompt: what matters for it, or nothing. */
  recall: (prompt: string, session: Session) => Promise<Piece[]>;
  clock: () => number;
};

export type Notes = {
  /** The session as it was before this prompt. */
  withPrompt: (event: Extract<SessionEvent, { kind: 'prompt' }>, session: Session) => Promise<string>;
  beforeEdit: (question: { session: string; cwd: string; file: string }) => Promise<string>;
  afterError: (event: Extract<SessionEvent, { kind: 'tool' }>, session: Session) => Promise<string>;
};

export function createNotes(deps: NotesDeps): Notes {
  const { db, settingsOf, isSilent, recall, checkFreshness, clock } = deps;

  const tell = (session: Session, occasion: Occasion, about: string | null, pieces: Piece[]): string => {
    if (pieces.length === 0) return '';
    const telling = { sessionId: session.id, occasion, about, source: occasion, at: clock() };
    db.transaction(() => recordTelling(db, { ...telling, pieces: toToldPieces(pieces) })).immediate();
    return joinPieces(pieces);
  };
  const check = (observations: Observation[], { root }: Session) =>
    checkFreshness(observations, { ...NOWHERE, root, branch: readBranch(root) });

  return {
    async withPrompt({ text }, session) {
      const { promptRecall } = settingsOf(session);
      const isFirst = session.promptCounter === 0;
      if (promptRecall === 'off' || (!isFirst && promptRecall === 'first')) return '';
      return tell(session, 'first-prompt', null, await recall(text, session));
    },
    async beforeEdit({ session: hostSessionId, cwd, file }) {
      const session = findSession(db, hostSessionId);
      if (!session) return '';
      const { id: sessionId, projectId, root } = session;
      const path = relativePath(file, root, cwd);
      if (!settingsOf(session).fileContext || isSilent(session, clock())) return '';
      if (wasTold(db, { sessionId, occasion: 'edit', about: path })) return '';
      return tell(session, 'edit', path, await writeFileNote(deps, { projectId, sessionId, root, path }));
    },
    async afterError(event, session) {
      if (event.error === null || !settingsOf(session).errorRecall) return '';
      const { projectId, id: sessionId } = session;
      const found = recallError(db, { projectId, sessionId, event });
      if (!found || wasTold(db, { sessionId, occasion: 'error', about: found.mark })) return '';
      const freshness = await check(found.observations, session);
      const subject = 'this error, which was seen before,';
      const known = new Set(listToldInFull(db, sessionId));
      const note = {
        subject,
        known,
        section: 'error',
        why: 'the same error',
        mostCharacters: MOST_CHARACTERS,
      } as const;
      return tell(session, 'error', found.mark, writeNote({ ...note, observations: found.observations, freshness }));
    },
  };
}
