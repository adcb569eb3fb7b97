// Whether a spinner should turn: a turn that has ended waits or is worked on, or an agent says of itself that it works.
import type { Database } from 'bun:sqlite';
import { readProcessing } from '../capture/queue.ts';
import type { Processing as State } from '../core/shapes/stream.ts';

type ProcessingDeps = {
  db: Database;
  clock: () => number;
  /** Something is put to a model, or will be without anybody's help. */
  hasModelWork: () => boolean;
};

export type Processing = ReturnType<typeof createProcessing>;

/** An agent that was killed says nothing any more. */
const BELIEVED_MS = 10 * 60_000;
/** More sessions than anybody has at once. */
const MOST_SAID = 100;

export function createProcessing({ db, clock, hasModelWork }: ProcessingDeps) {
  const said = new Map<string, number>();
  return {
    read: (): State => {
      for (const [session, at] of said) if (Math.abs(clock() - at) > BELIEVED_MS) said.delete(session);
      const stored = readProcessing(db);
      const sessions = [...new Set([...stored.sessions, ...said.keys()])].filter((session) => session !== '');
      return { ...stored, isProcessing: stored.isProcessing || said.size > 0 || hasModelWork(), sessions };
    },
    /** `session`: the agent's id; '' for an agent as a whole. */
    say: (isProcessing: boolean, session: string) => {
      // To set it anew puts it at the end: the oldest is the first to go.
      said.delete(session);
      if (isProcessing) said.set(session, clock());
      const [oldest] = said.keys();
      if (said.size > MOST_SAID && oldest !== undefined) said.delete(oldest);
    },
  };
}
