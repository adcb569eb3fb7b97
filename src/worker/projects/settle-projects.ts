// In the background: projects are looked at when a session begins in them, and documents learn the new name of a renamed one.
import type { Database } from 'bun:sqlite';
import type { Log } from '../../log.ts';
import { type Respelled, respellMore } from '../../store/projects/renamed-projects.ts';
import { listApart, listUnsettled } from '../../store/projects/settled-projects.ts';
import { settleProject } from './settle-project.ts';

export type Settling = {
  /** Something happened in a session: the first time its project is looked at, soon. */
  note: (session: { id: number; projectId: number }) => void;
  /** At once, and not waited for any longer than a starting session can: it may be one that is remembered under another key. */
  settleNow: (projectId: number) => Promise<void>;
  /** A project was renamed or merged, or some came in from elsewhere. */
  wake: () => void;
  hasWork: () => boolean;
  close: () => Promise<void>;
};

export type SettlingDeps = {
  db: Database;
  log: Log;
  clock: () => number;
  /** Its memories are found in another project, or by another name. */
  onSettled: () => void;
  /** How many times as long as usual a session waits. */
  patience: number;
};

/** Hooks come first, and a repository that was just made gets its first commit. */
const LOOK_MS = 300;
const NOW_MS = 250;
/** Those of an older version, a few with each worker. */
const MOST_UNSETTLED = 40;

const NEWS = {
  joined: 'the history of a folder has proven that it is a known project',
  apart:
    'a folder has the remote of a known project, and no proof; if it is the same, `claude-mem projects merge` makes it one',
  reunited: 'a project goes by another key',
  split: 'another repository is where a project was; if it is the same, `claude-mem projects merge` makes it one',
  unsure: 'a project may be one that is gone; if it is, `claude-mem projects merge` makes it one',
};

export function createSettling({ db, log, clock, onSettled, patience }: SettlingDeps): Settling {
  const seen = new Set<number>();
  const said = new Set<string>();
  const waiting = new Set([...listUnsettled(db, MOST_UNSETTLED), ...listApart(db, MOST_UNSETTLED)]);
  let timer: Timer | null = null;
  let running: Promise<void> | null = null;
  let isWoken = false;
  let isClosed = false;

  const settleQuietly = async (projectId: number) => {
    try {
      const settled = await settleProject(db, projectId, clock);
      if (!settled) return;
      const { kind, ...keys } = settled;
      const isNews = !said.has(JSON.stringify(settled));
      said.add(JSON.stringify(settled));
      if (isNews) log.info(NEWS[kind], keys);
      if (kind !== 'unsure' && kind !== 'apart') onSettled();
    } catch (error) {
      // The database is locked or full: the next session there comes back to it.
      log.error('a project could not be settled', { error: String(error) });
    }
  };

  const respell = async () => {
    let from: Respelled | null = null;
    do {
      const startedAt = performance.now();
      from = respellMore(db, from);
      // Half of the time at most: whoever waits comes first.
      await Bun.sleep(performance.now() - startedAt);
    } while (from && !isClosed);
  };

  const run = async () => {
    if (isWoken) for (const projectId of listApart(db, MOST_UNSETTLED)) waiting.add(projectId);
    isWoken = false;
    for (const projectId of waiting) {
      if (isClosed) return;
      waiting.delete(projectId);
      await settleQuietly(projectId);
    }
    await respell().catch((error) => log.error('a new name could not be indexed', { error: String(error) }));
  };

  const schedule = () => {
    if (isClosed || timer || running) return;
    timer = setTimeout(() => {
      timer = null;
      running = run().finally(() => {
        running = null;
        if (waiting.size > 0 || isWoken) schedule();
      });
    }, LOOK_MS);
  };

  schedule();
  return {
    note({ id, projectId }) {
      if (seen.has(id)) return;
      seen.add(id);
      waiting.add(projectId);
      schedule();
    },
    settleNow: (projectId) => Promise.race([settleQuietly(projectId), Bun.sleep(NOW_MS * patience)]),
    wake() {
      isWoken = true;
      schedule();
    },
    hasWork: () => running !== null || timer !== null,
    async close() {
      isClosed = true;
      if (timer) clearTimeout(timer);
      await running;
    },
  };
}
