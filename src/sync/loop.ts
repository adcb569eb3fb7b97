// Sync in the background: nobody waits for it. A hub that is away is tried again, later each time; what changed meanwhile waits in the log.
import type { Database } from 'bun:sqlite';
import type { Config } from '../config.ts';
import { settingsFor } from '../core/project.ts';
import type { MeAnswer, SyncStatus } from '../core/shapes/sync.ts';
import type { Log } from '../log.ts';
import { getProject } from '../projects/projects.ts';
import { createHubClient, type Fetch, HubCallError } from './client.ts';
import { type Account, readAccount } from './state.ts';
import { readSyncStatus, writeOutcome } from './status.ts';
import { createSync, type Sync, type SyncDeps } from './sync.ts';

type LoopDeps = {
  db: Database;
  path: string;
  config: () => Config;
  clock: () => number;
  log: Log;
  onStored: () => void;
  erase: SyncDeps['erase'];
  scour: SyncDeps['scour'];
  fetch?: Fetch;
  /** How long it really waits where it should so long: after a failure, or because a request took its share of the line. */
  waitMs?: (ms: number, why: 'away' | 'line') => number;
};

export type SyncLoop = ReturnType<typeof createSyncLoop>;

/** One alone is sent at once; of many the later ones are sent together. */
const GATHER_MS = 100;
const LONGEST_MS = 5 * 60_000;
const FIRST_MS = 1000;
/** Half as much again or less: machines that lost the same hub do not come back at the same moment. */
const backoff = (failures: number) => Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures, 12)) * (0.5 + Math.random());
const CHARACTERS_PER_MS = 2000;
const asLong = (ms: number) => ms;
/** One that waits for nothing looks at the file now and then. */
const LOOK_MS = 60_000;

export function createSyncLoop(deps: LoopDeps) {
  const { db, path, log, clock } = deps;
  const bell = createBell();
  const ends = new AbortController();
  let state: 'idle' | 'working' = 'idle';
  let failures = 0;
  let current: Opened | null = null;

  const goRound = async (known: MeAnswer | undefined): Promise<Round | null> => {
    const opened = await openAccount(deps, current);
    current = opened ?? current;
    await opened?.sync.stamp();
    if (!opened || opened.account.isPaused) return null;
    state = 'working';
    const me = await opened.sync.round(known);
    failures = 0;
    writeOutcome(db, { lastAt: clock(), error: null }, clock());
    return { me, ...opened };
  };

  const run = async () => {
    let known: MeAnswer | undefined;
    while (!ends.signal.aborted) {
      const from = performance.now();
      try {
        bell.begin();
        const done = await goRound(known).finally(() => {
          state = 'idle';
          known = undefined;
        });
        bell.answer();
        if (done) known = await waitForNews(deps, done, bell, ends.signal);
        else await bell.wait(LOOK_MS);
        if (bell.isRung() && !ends.signal.aborted) await Bun.sleep(Math.max(0, from + GATHER_MS - performance.now()));
      } catch (error) {
        const failure = describeFailure(error);
        if (!ends.signal.aborted) writeOutcome(db, failure, clock());
        if (failures++ === 0) log.warn('sync failed', failure);
        bell.answer();
        await bell.waitForPerson((deps.waitMs ?? asLong)(backoff(failures), 'away'));
      }
    }
  };
  const running = Bun.sleep(0).then(run);
  return {
    wake() {
      bell.ring();
      // Its time is when it was changed, not when the hub came back.
      if (failures > 0) current?.sync.stamp().catch((error) => log.warn('a change could not be stamped', { error: String(error) }));
    },
    /** A person asks: the file is read again, a hub that was away is tried at once. Resolves after the round. */
    now: (): Promise<SyncStatus> => bell.ask().then(() => readSyncStatus(db, path, clock())),
    hasWork: () => state === 'working',
    close() {
      ends.abort();
      bell.ring(true);
      return running;
    },
  };
}

type Opened = { account: Account; sync: Sync };

/** The same again as long as the login is. */
async function openAccount(deps: LoopDeps, current: Opened | null): Promise<Opened | null> {
  const account = readAccount(deps.path);
  if (account === null || (current && Bun.deepEquals(current.account, account))) return account && current;
  return { account, sync: await createSync(syncDeps(deps, account)) };
}

const describeFailure = (error: unknown) => ({
  error: error instanceof Error ? error.message : String(error),
  kind: error instanceof HubCallError ? error.kind : 'failed',
});

type Round = Opened & { me: MeAnswer };

/** Undefined when something changed here first. */
async function waitForNews(
  { fetch }: LoopDeps,
  { me, sync, account }: Round,
  bell: Bell,
  ended: AbortSignal,
): Promise<MeAnswer | undefined> {
  const stop = new AbortController();
  const client = createHubClient({ ...account, fetch });
  const news = client.wait(sync.seen(me), AbortSignal.any([stop.signal, ended]));
  const rang = bell.wait(LOOK_MS).then(() => undefined);
  try {
    return await Promise.race([news, rang]);
  } finally {
    stop.abort();
    // Whoever is cut off here is nobody's failure.
    news.catch(() => undefined);
  }
}

function syncDeps(deps: LoopDeps, account: Account): SyncDeps {
  const { db, config, clock } = deps;
  return {
    ...{ db, account, now: clock, log: deps.log, onStored: deps.onStored, erase: deps.erase, scour: deps.scour },
    client: createHubClient({ ...account, fetch: deps.fetch }),
    door: config,
    policy(projectId) {
      const project = getProject(db, projectId);
      const { sync, syncTurns } = project ? settingsFor(config(), project) : config();
      return { isSent: sync, withTurns: syncTurns };
    },
    rest: (characters) => Bun.sleep((deps.waitMs ?? asLong)(characters / CHARACTERS_PER_MS, 'line')),
  };
}

type Bell = ReturnType<typeof createBell>;

/** Changes ring it; after a failure only a person does. */
function createBell() {
  let isRung = false;
  let wakeUp: ((byPerson: boolean) => void) | null = null;
  let asked: (() => void)[] = [];
  const wait = (ms: number, onlyPerson: boolean) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(end, ms);
      function end() {
        clearTimeout(timer);
        wakeUp = null;
        resolve();
      }
      if (asked.length > 0 || (isRung && !onlyPerson)) return end();
      wakeUp = (byPerson) => {
        if (byPerson || !onlyPerson) end();
      };
    });
  return {
    ring(byPerson = false) {
      isRung = true;
      wakeUp?.(byPerson);
    },
    isRung: () => isRung,
    wait: async (ms: number) => {
      await wait(ms, false);
    },
    waitForPerson: (ms: number) => wait(ms, true),
    /** Resolves at the end of a round that began after this. */
    ask: () =>
      new Promise<void>((resolve) => {
        // The round that runs may have read the file before.
        let left = 2;
        const onRound = () => {
          if (--left === 0) return resolve();
          asked.push(onRound);
        };
        asked.push(onRound);
        isRung = true;
        wakeUp?.(true);
      }),
    /** What changes from here on is another round's. */
    begin() {
      isRung = false;
    },
    answer() {
      const all = asked;
      asked = [];
      for (const one of all) one();
    },
  };
}
