// The note after an error that no memory is known by: turns that met it, found by its words, with what came of it.
import { createFinder } from '../search/find.ts';
import { listGiven } from '../store/trust/tellings.ts';
import { KNOWN_ERROR, MOST_MEMORIES } from './after-error.ts';
import { fillNote } from './note.ts';
import { findResults } from './note-results.ts';
import type { Piece } from './page.ts';
import { judgeSameError, maySameErrorBeKnown } from './sure.ts';
import type { TellDeps } from './tell.ts';

export type ErrorNoteQuery = {
  projectId: number;
  root: string;
  sessionId: number;
  /** What identifies it. */
  text: string;
  isExcluded: (path: string) => boolean;
};
export type ErrorNote = (query: ErrorNoteQuery) => Promise<Piece[]>;

/** By its words alone: a meaning tells nothing of an error, and whoever met it waits. */
export function createErrorNote(deps: TellDeps & { clock: () => number }): ErrorNote {
  const finder = createFinder({ db: deps.db, models: () => [], clock: deps.clock });
  return async ({ text, projectId, root, sessionId, isExcluded }) => {
    if (!maySameErrorBeKnown(text, finder.known)) return [];
    const results = await findResults(
      { ...deps, finder },
      {
        text,
        judge: judgeSameError,
        filters: { projectIds: [projectId], exceptSession: sessionId || undefined },
        given: listGiven(deps.db, sessionId),
        root,
        isExcluded,
        most: MOST_MEMORIES,
        withRuledOut: true,
      },
    );
    return fillNote(results, { subject: KNOWN_ERROR, section: 'error' });
  };
}
