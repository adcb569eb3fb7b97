// All that sessions are told, put together: at their start, with a prompt, before an edit and after an error.
import type { Piece } from '../../context/page.ts';
import { settingsFor } from '../../core/project-settings.ts';
import type { Session } from '../../store/sessions/sessions.ts';
import type { LazyMemories } from '../lazy-memories.ts';
import { createPlaceFile } from '../projects/place-of.ts';
import { isExcludedFile } from '../silence/exclusions.ts';
import { isSilent, projectOfSession } from '../silence/silence.ts';
import { createNotes, type Notes } from './notes.ts';
import { createStartSession, type StartSession, type StartSessionDeps } from './start-session.ts';

export type TellerDeps = StartSessionDeps & { memories: LazyMemories };

/** A prompt waits no longer for what might be said with it. */
const RECALL_MS = 600;

export function createTeller(deps: TellerDeps): { startSession: StartSession; notes: Notes } {
  const { db, config, memories, log, patience } = deps;
  const startSession = createStartSession(deps);

  /** A session of a project that is gone has only the names of its folder. */
  const placeOf = (session: Session) =>
    projectOfSession(db, session) ?? { key: session.root, name: session.root, root: session.root };
  const inRoot = ({ root }: Session) => ({ root, cwd: root });
  const recall = async (prompt: string, session: Session): Promise<Piece[]> => {
    const door = await memories.open();
    const { projectId, root, id: sessionId } = session;
    return door.recall({ prompt, projectId, root, sessionId });
  };
  const notes = createNotes({
    ...deps,
    settingsOf: (session) => settingsFor(config(), placeOf(session)),
    isSilent: (session, at) =>
      isSilent(db, config(), { session: session.hostSessionId, cwd: session.root, project: placeOf(session), at }),
    isExcluded: (session, path) =>
      isExcludedFile({ ...settingsFor(config(), placeOf(session)), ...inRoot(session) }, path),
    placeFile: createPlaceFile(deps),
    recall: (prompt, session) => within(recall(prompt, session), RECALL_MS * patience),
  });
  return {
    notes,
    async startSession(call) {
      const answer = await startSession(call);
      // What the first prompt asks is soon looked for.
      if (config().promptRecall !== 'off')
        memories.warm().catch((error) => log.error('search cannot be made ready', { error: String(error) }));
      return answer;
    },
  };
}

/** What takes longer comes too late to be told. */
function within(pieces: Promise<Piece[]>, ms: number): Promise<Piece[]> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve([]), ms);
    pieces.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
