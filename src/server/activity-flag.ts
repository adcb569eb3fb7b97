// activity.flag: `{active, project, timestamp}` for status bars; active while any session works on a turn.

import type { Database } from 'bun:sqlite';
import { readProcessing } from '../capture/queue.ts';
import type { SessionEvent } from '../core/event.ts';
import type { Processing as State } from '../core/shapes/stream.ts';
import type { Log } from '../log.ts';
import { writeOwnFile } from '../own-files.ts';

/** A session that was killed never ends its turn. */
const FORGOTTEN_MS = 30 * 60_000;

export function createActivityFlag({ path, log, clock }: { path: string; log: Log; clock: () => number }) {
  const working = new Map<string, { project: string; beganAt: number; seenAt: number }>();
  let shown = { active: false, project: '' };
  let isClosed = false;

  const show = () => {
    // Of several that work the one that began last is shown.
    const newest = [...working.values()].at(-1);
    const next = { active: newest !== undefined, project: newest?.project ?? shown.project };
    if (next.active === shown.active && next.project === shown.project) return;
    shown = next;
    write();
  };
  const write = () => {
    try {
      writeOwnFile(path, JSON.stringify({ ...shown, timestamp: clock() }));
    } catch (error) {
      // A full disk must not stop what the flag only tells about.
      log.warn('the activity flag could not be written', { error: String(error) });
    }
  };

  // A worker that was killed may have left it up.
  write();
  return {
    /** To be told of everything that is new in any session, private or not, in whatever order it arrives. */
    note({ kind, session, at }: SessionEvent, findProject: () => string) {
      if (isClosed) return;
      const turn = working.get(session);
      if (kind === 'prompt') {
        working.delete(session);
        working.set(session, { project: findProject(), beganAt: at, seenAt: Math.min(at, clock()) });
      } else if (turn && (kind === 'stop' || kind === 'end')) {
        // The stop of an earlier turn may come late.
        if (at >= turn.beganAt) working.delete(session);
      } else if (turn) turn.seenAt = Math.max(turn.seenAt, Math.min(at, clock()));
      for (const [one, { seenAt }] of working) if (clock() - seenAt > FORGOTTEN_MS) working.delete(one);
      show();
    },
    close() {
      isClosed = true;
      working.clear();
      show();
    },
  };
}

// Whether a spinner should turn: a turn that has ended waits or is worked on, or an agent says of itself that it works.

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
