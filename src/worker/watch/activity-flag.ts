// activity.flag: `{active, project, timestamp}` for status bars; active while any session works on a turn.
import type { SessionEvent } from '../../core/event.ts';
import type { Log } from '../../log.ts';
import { writeOwnFile } from '../../own-files.ts';

export type ActivityFlag = {
  /** To be told of everything that is new in any session, private or not, in whatever order it arrives. */
  note: (event: SessionEvent, findProject: () => string) => void;
  close: () => void;
};

/** A session that was killed never ends its turn. */
const FORGOTTEN_MS = 30 * 60_000;

/** More than anybody has at once; the flag is asked with every event. */
const MOST_SESSIONS = 100;

/** Nobody waits for the hook of a tool: it may be a little later than the stop after it. */
const LATE_MS = 3000;

export function createActivityFlag(deps: { path: string; log: Log; clock: () => number }): ActivityFlag {
  const { path, log, clock } = deps;
  const working = new Map<string, { project: string; beganAt: number; seenAt: number }>();
  const stoppedAt = new Map<string, number>();
  let shown = { active: false, project: '' };
  let isClosed = false;

  const stop = (session: string, at: number) => {
    const turn = working.get(session);
    // The stop of an earlier turn, which came late.
    if (turn && at < turn.beganAt) return;
    working.delete(session);
    stoppedAt.delete(session);
    stoppedAt.set(session, at);
  };

  const work = (event: SessionEvent, at: number, findProject: () => string) => {
    const turn = working.get(event.session);
    if (turn) turn.seenAt = Math.max(turn.seenAt, at);
    const isBeginning = event.kind === 'prompt' || (!turn && isOwnTool(event));
    const openFrom = (stoppedAt.get(event.session) ?? 0) + (event.kind === 'tool' ? LATE_MS : 0);
    if (!isBeginning || at < openFrom) return;
    working.delete(event.session);
    working.set(event.session, { project: findProject(), beganAt: at, seenAt: at });
  };

  const forget = () => {
    const isOld = (at: number) => clock() - at > FORGOTTEN_MS;
    for (const [session, { seenAt }] of working) if (isOld(seenAt)) working.delete(session);
    for (const [session, at] of stoppedAt) if (isOld(at)) stoppedAt.delete(session);
    for (const sessions of [working, stoppedAt]) {
      const [oldest] = sessions.keys();
      if (sessions.size > MOST_SESSIONS && oldest !== undefined) sessions.delete(oldest);
    }
  };

  const show = () => {
    // Of several that work the one that began last is shown.
    const newest = [...working.values()].at(-1);
    const active = newest !== undefined;
    const project = newest?.project ?? shown.project;
    if (active === shown.active && project === shown.project) return;
    shown = { active, project };
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
    note(event, findProject) {
      if (isClosed) return;
      const at = Math.min(event.at, clock());
      if (event.kind === 'stop' || event.kind === 'end') stop(event.session, at);
      else work(event, at, findProject);
      forget();
      show();
    },
    close() {
      isClosed = true;
      working.clear();
      show();
    },
  };
}

/** The main agent's: a turn goes on. A subagent may work on in the background after its turn has ended. */
const isOwnTool = ({ kind, agentId }: SessionEvent) => kind === 'tool' && agentId === null;
