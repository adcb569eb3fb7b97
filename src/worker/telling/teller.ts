// All that sessions are told, put together: at their start, with a prompt, before an edit and after an error.
import type { Piece } from '../../context/page.ts';
import { settingsFor } from '../../core/project-settings.ts';
import type { Session } from '../../store/sessions/sessions.ts';
import type { LazyMemories } from '../lazy-memories.ts';
import { createPlaceFile } from '../projects/place-of.ts';
import { isExcludedFile } from '../silence/exclusions.ts';
import { isSilent, projectOfSession } from '../silence/silence.ts';
import type { Latencies } from '../watch/latencies.ts';
import { createNotes, type Notes } from './notes.ts';
import { createStartSession, type StartSession, type StartSessionDeps } from './start-session.ts';

export type TellerDeps = StartSessionDeps & { memories: LazyMemories; latencies: Pick<Latencies, 'note'> };

/** A prompt waits no longer for its note. */
const NOTE_MS = 150;

export function createTeller(deps: TellerDeps): { startSession: StartSession; notes: Notes } {
  const { db, config, memories, log, latencies, patience } = deps;
  const startSession = createStartSession(deps);

  /** A session of a project that is gone has only the names of its folder. */
  const placeOf = (session: Session) =>
    projectOfSession(db, session) ?? { key: session.root, name: session.root, root: session.root };
  const inRoot = ({ root }: Session) => ({ root, cwd: root });
  const isExcluded = (session: Session, path: string) =>
    isExcludedFile({ ...settingsFor(config(), placeOf(session)), ...inRoot(session) }, path);
  const writeNote = async (prompt: string, session: Session): Promise<Piece[]> => {
    const door = await memories.open();
    const { projectId, root, id: sessionId } = session;
    return door.promptNote({ prompt, projectId, root, sessionId, isExcluded: (path) => isExcluded(session, path) });
  };
  const notes = createNotes({
    ...deps,
    settingsOf: (session) => settingsFor(config(), placeOf(session)),
    isSilent: (session, at) =>
      isSilent(db, config(), { session: session.hostSessionId, cwd: session.root, project: placeOf(session), at }),
    isExcluded,
    placeFile: createPlaceFile(deps),
    errorNote: async (query, session) => {
      const door = await memories.open();
      return door.errorNote({ ...query, isExcluded: (path) => isExcluded(session, path) });
    },
    promptNote: (prompt, session) => inTime(writeNote(prompt, session), { mostMs: NOTE_MS * patience, latencies }),
  });
  return {
    notes,
    async startSession(call) {
      const answer = await startSession(call);
      // What the first prompt asks is soon looked for.
      if (config().promptRecall > 0)
        memories.warm().catch((error) => log.error('search cannot be made ready', { error: String(error) }));
      return answer;
    },
  };
}

/** What is not ready by then is left out, and counted. */
async function inTime(
  note: Promise<Piece[]>,
  { mostMs, latencies }: { mostMs: number; latencies: Pick<Latencies, 'note'> },
): Promise<Piece[]> {
  const startedAt = performance.now();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, mostMs, null);
  });
  const pieces = await Promise.race([note, late]).finally(() => clearTimeout(timer));
  latencies.note(pieces === null ? 'lateNote' : 'note', performance.now() - startedAt);
  // Nobody waits for it any more: why it failed is said by whoever asks next.
  if (pieces === null) note.catch(() => undefined);
  return pieces ?? [];
}
