// What a session is told in the middle of it: with its first prompt, before it edits a file, and after an error that was seen before.
import type { Database } from 'bun:sqlite';
import type { Config } from '../../config.ts';
import { recallError } from '../../context/after-error.ts';
import { recallFile } from '../../context/before-edit.ts';
import { createEarlierNames } from '../../context/earlier-names.ts';
import { type FileQuery, MOST_CHARACTERS, writeFileNote } from '../../context/file-note.ts';
import { writeNote } from '../../context/note.ts';
import { joinPieces, type Piece, toToldPieces } from '../../context/page.ts';
import { inPairs } from '../../context/pair-replaced.ts';
import { readQuestion } from '../../context/recall-worth.ts';
import { NOWHERE } from '../../context/surroundings.ts';
import type { TellDeps } from '../../context/tell.ts';
import type { Occasion } from '../../core/context.ts';
import type { SessionEvent } from '../../core/event.ts';
import { relativePath } from '../../core/project-path.ts';
import { readBranch } from '../../git/identity.ts';
import { spellFolder, spellInTree } from '../../git/real-path.ts';
import type { Observation } from '../../store/memories/observations.ts';
import { findSession, type Session } from '../../store/sessions/sessions.ts';
import { listToldInFull, recordTelling, wasTold } from '../../store/trust/tellings.ts';

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
  recall: (prompt: string, session: Session) => Promise<Piece[]>;
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

/** A session that began with a greeting asks in earnest soon after. */
const FIRST_PROMPTS = 5;

export function createNotes(deps: NotesDeps): Notes {
  const { db, settingsOf, isSilent, isExcluded, placeFile, recall, checkFreshness, clock } = deps;
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
      const { promptRecall } = settingsOf(session);
      if (promptRecall === 'off' || readQuestion(text) === null) return '';
      const once = { sessionId: session.id, occasion: 'first-prompt', about: null } as const;
      if (promptRecall === 'first' && (session.promptCounter >= FIRST_PROMPTS || wasTold(db, once))) return '';
      const pieces = await recall(text, session);
      // It was looked up, and nothing is to be said: the next prompt is not the first any more.
      if (pieces.length === 0)
        db.transaction(() => recordTelling(db, { ...once, source: '', at: clock(), pieces: [] })).immediate();
      return tell(session, { ...once, pieces }, wait);
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
      const { projectId, id: sessionId } = session;
      const found = recallError(db, { projectId, sessionId, event });
      if (!found || wasTold(db, { sessionId, occasion: 'error', about: found.mark })) return '';
      const observations = inPairs(db, found.observations).filter(
        ({ observation }) => !isAboutExcluded(session, observation),
      );
      const freshness = await check(
        observations.map(({ observation }) => observation),
        session,
      );
      const pieces = writeNote({
        subject: 'this error, which was seen before,',
        known: new Set(listToldInFull(db, sessionId)),
        section: 'error',
        why: 'the same error',
        mostCharacters: MOST_CHARACTERS,
        observations,
        freshness,
      });
      return tell(session, { occasion: 'error', about: found.mark, pieces }, wait);
    },
  };
}
