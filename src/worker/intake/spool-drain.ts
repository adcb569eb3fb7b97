// The spool → the store: what hooks saved while nobody answered. At start, when a file appears, and now and then.
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
import type { Log } from '../../log.ts';
import { readOwnFile } from '../../own-files.ts';
import { STABLE_MS } from '../watchdog.ts';
import { readMessage } from './read-message.ts';

export type SpoolDrain = {
  /** Resolves when every file that was there is in the store. */
  drain: () => Promise<void>;
  close: () => void;
};

const DEBOUNCE_MS = 5;
/** fs.watch may miss a file; nothing waits longer than this. */
const POLL_MS = 5000;
const ORPHAN_MS = 3_600_000;
const BATCH = 200;
const MAX_FAILURES = 5;
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
  /** After so long it is no chance that this worker lives. */
  stableMs?: number;
};

export function createSpoolDrain({ folder, take, log, clock, isOurs, stableMs = STABLE_MS }: SpoolDeps): SpoolDrain {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let running: Promise<void> | null = null;
  let timer: Timer | null = null;

  /** How often a file could not be stored: a full disk passes, a poisoned file does not. */
  const failures = new Map<string, number>();

  /** Left by a worker that ended while it stored what lay here: then each file is tried by itself. */
  const mark = `${folder}/.draining`;
  let isCareful = existsSync(mark);

  const drainOnce = async () => {
    for (let names = listFiles(folder, clock()); names.length > 0; names = listFiles(folder, clock())) {
      for (let from = 0; from < names.length; from += BATCH) {
        if (!isOurs()) return;
        const taken = await takeBatch(names.slice(from, from + BATCH));
        if (taken.includes(false)) return;
      }
    }
    isCareful = false;
  };

  const takeBatch = async (names: string[]): Promise<boolean[]> => {
    closeSync(openSync(mark, constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW, 0o600));
    try {
      if (!isCareful && names.length > 1) return await Promise.all(names.map((name) => takeFile(name)));
      const taken: boolean[] = [];
      for (const name of names) taken.push(await takeAlone(name));
      return taken;
    } finally {
      unlinkSync(mark);
    }
  };

  /** Its name counts how often a worker ended at it. A fault that can be told, such as a full disk, does not count. */
  const takeAlone = async (name: string): Promise<boolean> => {
    const { plain, times } = readTries(name);
    if (times >= MOST_DEATHS) return setAside(name, `a worker ended while it stored this, ${times} times`);
    const tried = plain.replace(/\.json$/, `.try${times + 1}.json`);
    renameSync(`${folder}/${name}`, `${folder}/${tried}`);
    const isTaken = await takeFile(tried, plain);
    if (!isTaken) renameSync(`${folder}/${tried}`, `${folder}/${name}`);
    return isTaken;
  };

  /** False when it has to be tried again later. */
  const takeFile = async (name: string, key = name): Promise<boolean> => {
    const path = `${folder}/${name}`;
    let text: string;
    try {
      text = readOwnFile(path);
    } catch (error) {
      return setAside(name, String(error));
    }
    const message = readMessage(text, clock());
    if (message.kind !== 'envelope') return setAside(name, message.kind === 'bad' ? message.error : 'not an event');
    try {
      await take(message.envelope);
    } catch (error) {
      const times = (failures.get(key) ?? 0) + 1;
      failures.set(key, times);
      return times < MAX_FAILURES ? false : setAside(name, String(error));
    }
    failures.delete(key);
    unlinkSync(path);
    return true;
  };

  const setAside = (name: string, error: string): true => {
    mkdirSync(`${folder}/bad`, { recursive: true, mode: 0o700 });
    renameSync(`${folder}/${name}`, `${folder}/bad/${name}`);
    log.error('a spooled event could not be stored and was set aside in spool/bad', { name, error });
    return true;
  };

  const drain = () => {
    running ??= drainOnce().finally(() => {
      running = null;
    });
    return running;
  };
  const soon = () => {
    timer ??= setTimeout(() => {
      timer = null;
      drain().catch((error) => log.error('draining the spool failed', { error: String(error) }));
    }, DEBOUNCE_MS);
  };

  /** Two workers may have been killed at one by chance: a worker that has lived for long tries it once more, and for the last time. */
  const tryLast = async () => {
    const bad = `${folder}/bad`;
    for (const name of existsSync(bad) && isOurs() ? readdirSync(bad) : []) {
      const { plain, times } = readTries(name);
      if (times !== MOST_DEATHS) continue;
      const last = `${bad}/${plain.replace(/\.json$/, `.try${times + 1}.json`)}`;
      renameSync(`${bad}/${name}`, last);
      const message = readMessage(readOwnFile(last), clock());
      if (message.kind !== 'envelope') continue;
      await take(message.envelope);
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
    close: () => {
      watcher.close();
      clearInterval(poll);
      clearTimeout(stable);
      if (timer) clearTimeout(timer);
    },
  };
}

/** `X.json`, or `X.try1.json` after a worker ended at it once. */
function readTries(name: string): { plain: string; times: number } {
  const found = /^(.*)\.try(\d)\.json$/.exec(name);
  return found ? { plain: `${found[1]}.json`, times: Number(found[2]) } : { plain: name, times: 0 };
}

/** Oldest first: the name begins with the time of arrival. Removes what a killed hook left half written. */
function listFiles(folder: string, now: number): string[] {
  const names = readdirSync(folder);
  for (const name of names.filter((name) => name.startsWith('.'))) {
    const stat = lstatSync(`${folder}/${name}`, { throwIfNoEntry: false });
    if (stat && now - stat.mtimeMs > ORPHAN_MS) unlinkSync(`${folder}/${name}`);
  }
  return names.filter((name) => name.endsWith('.json') && !name.startsWith('.')).sort();
}
