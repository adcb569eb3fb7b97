// Whether a spinner should turn: a turn that has ended waits or is worked on, or a host says of itself that it works.
import type { Database } from 'bun:sqlite';
import type { Processing } from '../../core/stream.ts';
import { readProcessing } from '../../store/events/processing.ts';

export type ProcessingDeps = {
  db: Database;
  clock: () => number;
  /** Something is put to a model, or will be without anybody's help. */
  hasModelWork: () => boolean;
  /** A host has said otherwise. */
  onChange?: (processing: Processing) => void;
};

export type ProcessingState = {
  read: () => Processing;
  /** `session`: the host's id; '' for a host as a whole. */
  say: (isProcessing: boolean, session?: string) => void;
};

/** A host that was killed says nothing any more. */
const BELIEVED_MS = 10 * 60_000;
/** More sessions than anybody has at once. */
const MOST_SAID = 100;

export function createProcessing({ db, clock, hasModelWork, onChange }: ProcessingDeps): ProcessingState {
  const said = new Map<string, number>();

  const listSaid = () => {
    for (const [session, at] of said) if (Math.abs(clock() - at) > BELIEVED_MS) said.delete(session);
    return [...said.keys()];
  };

  const read = (): Processing => {
    const said = listSaid();
    const stored = readProcessing(db);
    return {
      ...stored,
      isProcessing: stored.isProcessing || said.length > 0 || hasModelWork(),
      sessions: [...new Set([...stored.sessions, ...said])].filter((session) => session !== ''),
    };
  };

  return {
    read,
    say(isProcessing, session = '') {
      // To set it anew puts it at the end: the oldest is the first to go.
      said.delete(session);
      if (isProcessing) said.set(session, clock());
      const [oldest] = said.keys();
      if (said.size > MOST_SAID && oldest !== undefined) said.delete(oldest);
      onChange?.(read());
    },
  };
}
