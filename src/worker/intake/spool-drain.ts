// The spool → the store: what hooks saved while nobody answered. At start, when a file appears, and now and then.
import { type FSWatcher, lstatSync, mkdirSync, readdirSync, renameSync, unlinkSync, watch } from 'node:fs';
import type { Envelope } from '../../core/envelope.ts';
import type { Log } from '../../log.ts';
import { readOwnFile } from '../../own-files.ts';
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

export type SpoolDeps = {
  folder: string;
  /** Resolves once the envelope is committed; rejects when it could not be. */
  take: (envelope: Envelope) => Promise<unknown>;
  log: Log;
  clock: () => number;
  /** False when the folder is no longer the one we began with: what lies there is for another worker. */
  isOurs: () => boolean;
};

export function createSpoolDrain({ folder, take, log, clock, isOurs }: SpoolDeps): SpoolDrain {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let running: Promise<void> | null = null;
  let timer: Timer | null = null;

  /** How often a file could not be stored: a full disk passes, a poisoned file does not. */
  const failures = new Map<string, number>();

  const drainOnce = async () => {
    for (let names = listFiles(folder, clock()); names.length > 0; names = listFiles(folder, clock())) {
      for (let from = 0; from < names.length; from += BATCH) {
        if (!isOurs()) return;
        const taken = await Promise.all(names.slice(from, from + BATCH).map(takeFile));
        if (taken.includes(false)) return;
      }
    }
  };

  /** False when it has to be tried again later. */
  const takeFile = async (name: string): Promise<boolean> => {
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
      const times = (failures.get(name) ?? 0) + 1;
      failures.set(name, times);
      return times < MAX_FAILURES ? false : setAside(name, String(error));
    }
    failures.delete(name);
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

  const watcher: FSWatcher = watch(folder, soon);
  const poll = setInterval(soon, POLL_MS);
  return {
    drain,
    close: () => {
      watcher.close();
      clearInterval(poll);
      if (timer) clearTimeout(timer);
    },
  };
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
