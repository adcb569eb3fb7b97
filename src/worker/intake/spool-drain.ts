// The spool → the store: what hooks saved while nobody answered. At start beside everything else, when a file appears, and now and then.
import {
  closeSync,
  constants,
  existsSync,
  type FSWatcher,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  unlinkSync,
  watch,
} from 'node:fs';
import type { Envelope } from '../../core/envelope.ts';
import { codeOf, isPassing } from '../../core/passing-fault.ts';
import type { Log } from '../../log.ts';
import { readOwnFile } from '../../own-files.ts';
import { STABLE_MS } from '../watchdog.ts';
import { readMessage } from './read-message.ts';
import { createBehind } from './spool-behind.ts';
import { holdsMore, listSpooled, plainName, readTries, withMark } from './spool-names.ts';

export type SpoolDrain = {
  /** Resolves when every file that was there is in the store, or when one has to wait for better times. */
  drain: () => Promise<void>;
  /**
   * Takes up what lies here from before. A little is stored when it resolves; of much the order is kept by `before`, and the rest is stored
   * beside everything else.
   */
  begin: () => Promise<void>;
  /** Resolves when nothing of this session lies here from before: what came first is stored first. Rejects when that cannot be now. */
  before: (session: string) => Promise<void>;
  /** Waits for that no longer than so long, not at all where there is too much for that, and never rejects. */
  settle: (ms: number) => Promise<void>;
  /** Whatever was set aside waits again; how much that is. */
  retry: () => number;
  close: () => void;
};

const DEBOUNCE_MS = 5;
/** fs.watch may miss a file; nothing waits longer than this. */
const POLL_MS = 5000;
const BATCH = 200;
/** While there is much, hooks get their turn more often. */
const SMALL_BATCH = 50;
/** So many are stored in less time than a hook has. */
const FEW = 500;
/** So often a worker may end at one event: then that is set aside, and the next worker lives. */
const MOST_DEATHS = 2;

export type SpoolDeps = {
  folder: string;
  /** Resolves once the envelope is committed; rejects when it could not be. */
  take: (envelope: Envelope) => Promise<unknown>;
  log: Log;
  clock: () => number;
  /** False when the folder is no longer the one we began with: what lies there is for another worker. */
  isOurs: () => boolean;
  /** Somebody wrote here, or nobody did for a while: the moment to look whether hooks still find us. */
  onWake?: () => void;
  /** After so long it is no chance that this worker lives. */
  stableMs?: number;
};

export function createSpoolDrain(deps: SpoolDeps): SpoolDrain {
  const { folder, take, log, clock, isOurs, onWake, stableMs = STABLE_MS } = deps;
  const bad = `${folder}/bad`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let running: Promise<void> | null = null;
  let timer: Timer | null = null;
  const behind = createBehind(folder);

  /** Left by a worker that ended while it stored what lay here: then each file is tried by itself. */
  const mark = `${folder}/.draining`;
  let isCareful = existsSync(mark);

  /** The disk does not give these just now: the others need not wait for them. */
  const unread = new Set<string>();
  const list = () => listSpooled(folder, clock()).filter((name) => !unread.has(name));

  const drainOnce = async () => {
    unread.clear();
    for (let names = list(); names.length > 0; names = list()) {
      while (names.length > 0) {
        if (!isOurs()) return;
        const next = behind.urgent(SMALL_BATCH) ?? names.splice(0, names.length > FEW ? SMALL_BATCH : BATCH);
        if (!(await takeBatch(next))) return;
        behind.done(next);
      }
    }
    isCareful = false;
  };

  /** False when something has to wait. */
  const takeBatch = async (names: string[]): Promise<boolean> => {
    closeSync(openSync(mark, constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW, 0o600));
    try {
      if (!isCareful && names.length > 1) return (await Promise.all(names.map(takeFile))).every(Boolean);
      for (const name of names) if (!(await takeAlone(name))) return false;
      return true;
    } finally {
      unlinkSync(mark);
    }
  };

  /** Its name counts how often a worker ended at it. A fault that can be told, such as a full disk, does not count. */
  const takeAlone = async (name: string): Promise<boolean> => {
    const { times } = readTries(name);
    if (times >= MOST_DEATHS) return setAside(name, name, `a worker ended while it stored this, ${times} times`);
    if (!existsSync(`${folder}/${name}`)) return true;
    const tried = withMark(name, `try${times + 1}`);
    renameSync(`${folder}/${name}`, `${folder}/${tried}`);
    const isTaken = await takeFile(tried);
    if (existsSync(`${folder}/${tried}`)) renameSync(`${folder}/${tried}`, `${folder}/${name}`);
    return isTaken;
  };

  /** False when it has to be tried again later: only what nobody can read or store is set aside. */
  const takeFile = async (name: string): Promise<boolean> => {
    let text: string;
    try {
      text = readOwnFile(`${folder}/${name}`);
    } catch (error) {
      // Gone: it was urgent.
      if (codeOf(error) === 'ENOENT') return true;
      if (!isPassing(error)) return setAside(name, plainName(name), String(error));
      unread.add(name).add(plainName(name));
      return true;
    }
    const message = readMessage(text, clock());
    if (message.kind !== 'envelope')
      return setAside(name, plainName(name), message.kind === 'bad' ? message.error : 'not an event');
    try {
      await take(message.envelope);
    } catch (error) {
      return isPassing(error) ? false : setAside(name, withMark(name, 'failed'), String(error));
    }
    unlinkSync(`${folder}/${name}`);
    return true;
  };

  const setAside = (name: string, as: string, error: string): true => {
    mkdirSync(bad, { recursive: true, mode: 0o700 });
    renameSync(`${folder}/${name}`, `${bad}/${as}`);
    log.error('an event of the offline queue could not be stored and was set aside in spool/bad', { name: as, error });
    return true;
  };

  const drain = () => {
    running ??= drainOnce().finally(() => {
      running = null;
      behind.giveUp();
    });
    return running;
  };
  const drainSoon = () => drain().catch((error) => log.error('draining the spool failed', { error: String(error) }));
  const soon = () => {
    timer ??= setTimeout(() => {
      timer = null;
      onWake?.();
      drainSoon();
    }, DEBOUNCE_MS);
  };

  /** Back to where it waits. */
  const recall = (names: string[]) => {
    for (const name of names) renameSync(`${bad}/${name}`, `${folder}/${plainName(name)}`);
    return names.length;
  };
  const listBad = () => (existsSync(bad) && isOurs() ? readdirSync(bad) : []);

  /** An earlier version set aside what a full disk or a locked database refused five times: under its plain name, and well to read. */
  const recallOld = () => {
    const isOld = (name: string) => plainName(name) === name && isEnvelope(`${bad}/${name}`, clock());
    const count = recall(listBad().filter(isOld));
    if (count > 0) log.info('events that were set aside wait again', { count });
  };

  /** Two workers may have been killed at one by chance: a worker that has lived for long tries it once more, and for the last time. */
  const tryLast = async () => {
    for (const name of listBad()) {
      const { times } = readTries(name);
      if (times !== MOST_DEATHS) continue;
      const last = `${bad}/${withMark(name, `try${times + 1}`)}`;
      renameSync(`${bad}/${name}`, last);
      const message = readMessage(readOwnFile(last), clock());
      if (message.kind !== 'envelope') continue;
      await take(message.envelope).catch((error) => {
        if (isPassing(error)) renameSync(last, `${bad}/${name}`);
        throw error;
      });
      unlinkSync(last);
    }
  };

  const watcher: FSWatcher = watch(folder, soon);
  const poll = setInterval(soon, POLL_MS);
  const stable = setTimeout(() => {
    tryLast().catch((error) => log.error('an event that was set aside could not be stored', { error: String(error) }));
  }, stableMs);
  return {
    drain,
    async begin() {
      recallOld();
      if (!holdsMore(folder, FEW)) return drain();
      const listed = async () => {
        // Whoever started us is answered first: to list a hundred thousand takes as long as a hook has.
        await Bun.sleep(DEBOUNCE_MS);
        return listSpooled(folder, clock());
      };
      log.info('the offline queue is long and is stored beside everything else');
      behind.index(listed).then(drainSoon, (error) => log.error('the spool cannot be read', { error: String(error) }));
    },
    settle: (ms) => Promise.race([drainSoon(), Bun.sleep(behind.isLong() ? 0 : ms)]),
    before: (session) => behind.before(session, drainSoon),
    retry: () => {
      const count = recall(listBad());
      if (count > 0) soon();
      return count;
    },
    close: () => {
      behind.giveUp();
      watcher.close();
      clearInterval(poll);
      clearTimeout(stable);
      if (timer) clearTimeout(timer);
    },
  };
}

function isEnvelope(path: string, now: number): boolean {
  try {
    return lstatSync(path).isFile() && readMessage(readOwnFile(path), now).kind === 'envelope';
  } catch {
    // It cannot be read: that is why it lies there.
    return false;
  }
}
