// activity.flag: `{active, project, timestamp}` for status bars; active from a prompt until its turn ends.
import { renameSync, writeFileSync } from 'node:fs';
import type { SessionEvent } from '../core/event.ts';
import type { Log } from '../log.ts';

export type ActivityFlag = {
  note: (event: SessionEvent, findProject: () => string) => void;
  close: () => void;
};

/** A session that was killed never ends its turn. */
const FORGOTTEN_MS = 30 * 60_000;

export function createActivityFlag(deps: { path: string; log: Log; clock: () => number }): ActivityFlag {
  const { path, log, clock } = deps;
  const working = new Map<string, { project: string; since: number }>();
  let written = '';
  let isClosed = false;

  const show = (project: string) => {
    for (const [session, { since }] of working) if (clock() - since > FORGOTTEN_MS) working.delete(session);
    // Of several that work the one that began last is shown.
    const shown = [...working.values()].at(-1)?.project ?? project;
    const state = { active: working.size > 0, project: shown };
    if (JSON.stringify(state) === written) return;
    written = JSON.stringify(state);
    write({ ...state, timestamp: clock() });
  };

  const write = (flag: { active: boolean; project: string; timestamp: number }) => {
    try {
      writeFileSync(`${path}.part`, JSON.stringify(flag), { mode: 0o600 });
      renameSync(`${path}.part`, path);
    } catch (error) {
      // A full disk must not stop what the flag only tells about.
      log.warn('the activity flag could not be written', { error: String(error) });
    }
  };

  return {
    note(event, findProject) {
      if (isClosed) return;
      if (event.kind !== 'prompt' && event.kind !== 'stop' && event.kind !== 'end') return;
      const project = findProject();
      working.delete(event.session);
      if (event.kind === 'prompt') working.set(event.session, { project, since: clock() });
      show(project);
    },
    close() {
      isClosed = true;
      if (working.size === 0) return;
      const project = [...working.values()].at(-1)?.project ?? '';
      working.clear();
      show(project);
    },
  };
}
