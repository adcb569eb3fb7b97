// The spool → the store: what hooks saved while nobody answered. At start beside everything else, when a file appears, and now and then.
import { existsSync, lstatSync, opendirSync, readdirSync, renameSync, unlink, unlinkSync, watch } from 'node:fs';
import { type Envelope, ownerOf, readOwner } from '../core/envelope.ts';
import { codeOf, isPassing } from '../core/passing-fault.ts';
import type { Log } from '../log.ts';
import { makeOwnFolder, readOwnFile, writeOwnFile } from '../own-files.ts';
import { readMessage } from './message.ts';

const DEBOUNCE_MS = 5;
/** fs.watch may miss a file; nothing waits longer than this. */
const POLL_MS = 5000;
/** Hooks get their turn in between: so many are stored together as that takes, within these bounds. */
const BATCH_MS = 20;
const SMALLEST_BATCH = 25;
const LARGEST_BATCH = 400;
/** So many are mostly stored in less time than a hook has. */
const FEW = 500;
/** And if they are not, hooks are answered all the same. */
const BEGIN_MS = 150;
/** So often a worker may end at one event: then that is set aside, and the next worker lives. */
const MOST_DEATHS = 2;

type SpoolDeps = {
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
  stableMs: number;
};

export class Spool {
  private readonly deps: SpoolDeps;
  private readonly bad: string;
  private readonly order = new SpoolOrder();
  /** Names what is being stored just now. */
  private readonly mark: string;
  /** Left in the mark by a worker that ended while it stored these files: each of them is tried by itself. */
  private readonly careful: Set<string>;
  /** The disk does not give these just now: the others need not wait for them. */
  private readonly unread = new Set<string>();
  private batch = SMALLEST_BATCH;
  private running: Promise<void> | null = null;
  private timer: Timer | null = null;
  private readonly stop: () => void;

  constructor(deps: SpoolDeps) {
    const { folder, stableMs, log } = deps;
    this.deps = deps;
    this.bad = `${folder}/bad`;
    this.mark = `${folder}/.draining`;
    makeOwnFolder(folder);
    this.careful = new Set(existsSync(this.mark) ? readOwnFile(this.mark).split('\n').map(plainName) : []);
    const watcher = watch(folder, () => this.soon());
    const poll = setInterval(() => this.soon(), POLL_MS);
    const stable = setTimeout(() => {
      this.tryLast().catch((error) => log.error('a failed event could not be stored', { error: String(error) }));
    }, stableMs);
    this.stop = () => {
      watcher.close();
      clearInterval(poll);
      clearTimeout(stable);
    };
  }

  /**
   * Takes up what lies here from before. A little is mostly stored when it resolves; the rest is stored beside everything else, and
   * its order kept by `before`.
   */
  async begin(): Promise<void> {
    const { folder, clock, log } = this.deps;
    // An earlier version moved away what a full disk or a locked database refused: under its plain name, and well to read.
    const old = this.listBad().filter((name) => plainName(name) === name && this.readBad(name) !== null);
    if (this.recall(old) > 0) log.info('failed events wait again', { count: old.length });
    const isLong = holdsMore(folder, FEW);
    const listed = async () => {
      // Whoever started us is answered first: to list a hundred thousand takes as long as a hook has.
      if (isLong) await Bun.sleep(DEBOUNCE_MS);
      return listSpooled(folder, clock());
    };
    const stored = this.order.index(listed).then(
      () => this.drainSoon(),
      (error) => log.error('the offline queue cannot be read', { error: String(error) }),
    );
    if (isLong) log.info('the offline queue is long and is stored beside everything else');
    // Each by itself, on a slow disk: nobody waits for that either.
    else await Promise.race([stored, Bun.sleep(BEGIN_MS)]);
  }

  /** Resolves when every file that was there is in the store, or when one has to wait for better times. */
  drain(): Promise<void> {
    this.running ??= this.drainOnce().finally(() => {
      this.running = null;
      this.order.giveUp();
    });
    return this.running;
  }

  /**
   * Resolves when nothing of this session lies here from before: what came first is stored first. Rejects when that cannot be
   * now, or not in time.
   */
  before(session: string, withinMs?: number): Promise<void> {
    return this.order.before(session, () => this.drainSoon(), withinMs);
  }

  /** Drains, and waits for that no longer than so long, not at all where there is too much for that. Never rejects. */
  async settle(ms: number): Promise<void> {
    await Promise.race([this.drainSoon(), Bun.sleep(this.order.holdsMore(FEW) ? 0 : ms)]);
  }

  /** Whatever was set aside waits again; how much that is. */
  retry(): number {
    const count = this.recall(this.listBad());
    if (count > 0) this.soon();
    return count;
  }

  close(): void {
    this.order.giveUp();
    this.stop();
    if (this.timer) clearTimeout(this.timer);
  }

  private soon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.deps.onWake?.();
      this.drainSoon();
    }, DEBOUNCE_MS);
  }

  private drainSoon(): Promise<void> {
    return this.drain().catch((error) => this.deps.log.error('the offline queue could not be stored', { error: String(error) }));
  }

  private async drainOnce(): Promise<void> {
    const { folder, clock, isOurs } = this.deps;
    const list = () => listSpooled(folder, clock()).filter((name) => !this.unread.has(name));
    this.unread.clear();
    for (let names = list(); names.length > 0; names = list()) {
      for (let at = 0; at < names.length; ) {
        if (!isOurs()) return;
        const urgent = this.order.urgent(this.batch);
        const next = urgent ?? names.slice(at, at + this.batch);
        if (!urgent) at += next.length;
        const startedAt = performance.now();
        if (!(await this.takeBatch(next))) return;
        const fitting = Math.floor((next.length * BATCH_MS) / (performance.now() - startedAt));
        this.batch = Math.max(SMALLEST_BATCH, Math.min(fitting, 2 * this.batch, LARGEST_BATCH));
        this.order.done(next);
      }
    }
  }

  /** In their order. False when something has to wait. */
  private async takeBatch(names: string[]): Promise<boolean> {
    const isCareful = (name: string) => this.careful.has(plainName(name)) || readTries(name) > 0;
    for (let rest = names; rest.length > 0; ) {
      const first = isCareful(rest[0] ?? '') ? 1 : rest.findIndex(isCareful);
      const next = first < 0 ? rest : rest.slice(0, first);
      rest = rest.slice(next.length);
      if (!this.markDraining(next)) return false;
      const take = (name: string) => (next.length === 1 ? this.takeAlone(name) : this.takeFile(name));
      const taken = await Promise.all(next.map(take)).finally(() => unlinkSync(this.mark));
      if (!taken.every(Boolean)) return false;
    }
    return true;
  }

  /** False on a full disk: then nothing can be stored either. */
  private markDraining(names: string[]): boolean {
    try {
      writeOwnFile(this.mark, names.join('\n'));
      return true;
    } catch (error) {
      if (!isPassing(error)) throw error;
      return false;
    }
  }

  /** Its name counts how often a worker ended at it. A fault that can be told, such as a full disk, does not count. */
  private async takeAlone(name: string): Promise<boolean> {
    const { folder } = this.deps;
    const times = readTries(name);
    if (times >= MOST_DEATHS) return this.setAside(name, name, `a worker ended while it stored this, ${times} times`);
    if (!existsSync(`${folder}/${name}`)) return true;
    const tried = withMark(name, `try${times + 1}`);
    renameSync(`${folder}/${name}`, `${folder}/${tried}`);
    const isTaken = await this.takeFile(tried);
    if (existsSync(`${folder}/${tried}`)) renameSync(`${folder}/${tried}`, `${folder}/${name}`);
    return isTaken;
  }

  /** False when it has to be tried again later: only what nobody can read or store is set aside. */
  private async takeFile(name: string): Promise<boolean> {
    const { folder, take, clock } = this.deps;
    let text: string;
    try {
      text = readOwnFile(`${folder}/${name}`);
    } catch (error) {
      // Gone: it was urgent.
      if (codeOf(error) === 'ENOENT') return true;
      if (!isPassing(error)) return this.setAside(name, plainName(name), String(error));
      this.unread.add(name).add(plainName(name));
      return true;
    }
    const message = readMessage(text, clock());
    if (message.kind !== 'envelope') return this.setAside(name, plainName(name), message.kind === 'bad' ? message.error : 'not an event');
    try {
      await take(message.envelope);
    } catch (error) {
      return isPassing(error) ? false : this.setAside(name, withMark(name, 'failed'), String(error));
    }
    // A disk that is busy with commits lets it wait for a millisecond: hooks are answered meanwhile.
    await new Promise<void>((resolve, reject) => unlink(`${folder}/${name}`, (error) => (error ? reject(error) : resolve())));
    return true;
  }

  private setAside(name: string, as: string, error: string): true {
    makeOwnFolder(this.bad);
    renameSync(`${this.deps.folder}/${name}`, `${this.bad}/${as}`);
    this.deps.log.error('an event of the offline queue could not be stored and lies in spool/bad', { name: as, error });
    return true;
  }

  private listBad(): string[] {
    return existsSync(this.bad) && this.deps.isOurs() ? readdirSync(this.bad) : [];
  }

  private recall(names: string[]): number {
    for (const name of names) renameSync(`${this.bad}/${name}`, `${this.deps.folder}/${plainName(name)}`);
    return names.length;
  }

  private readBad(name: string): Envelope | null {
    try {
      const message = readMessage(readOwnFile(`${this.bad}/${name}`), this.deps.clock());
      return message.kind === 'envelope' ? message.envelope : null;
    } catch {
      // It cannot be read: that is why it lies there.
      return null;
    }
  }

  /** Two workers may have been killed at one by chance: a worker that has lived for long tries it once more, and for the last time. */
  private async tryLast(): Promise<void> {
    for (const name of this.listBad().filter((one) => readTries(one) === MOST_DEATHS)) {
      const last = withMark(name, `try${MOST_DEATHS + 1}`);
      renameSync(`${this.bad}/${name}`, `${this.bad}/${last}`);
      const envelope = this.readBad(last);
      if (!envelope) continue;
      await this.deps.take(envelope).catch((error) => {
        if (isPassing(error)) renameSync(`${this.bad}/${last}`, `${this.bad}/${name}`);
        throw error;
      });
      unlinkSync(`${this.bad}/${last}`);
    }
  }
}

/** Whoever hears it waits in the spool, where the order is kept. */
const LATER = Object.assign(new Error('what came before waits in the offline queue'), { code: 'EAGAIN' });

/** What lies here of a session from before, and who waits for it: what came first is stored first. */
type Waiting = { names: Set<string>; waiters: PromiseWithResolvers<void>[] };

class SpoolOrder {
  /** By the hash of a session that stands in the names. */
  private readonly sessions = new Map<string, Waiting>();
  private size = 0;
  private indexing: Promise<void> | null = null;

  holdsMore(few: number): boolean {
    return this.indexing !== null || this.size > few;
  }

  index(list: () => Promise<string[]>): Promise<void> {
    const look = async () => {
      // One that an earlier version named tells no session, and nobody waits for it.
      const names = (await list()).filter((name) => readOwner(name) !== null);
      this.size = names.length;
      for (const [owner, own] of Map.groupBy(names, readOwner)) this.sessions.set(owner ?? '', { names: new Set(own), waiters: [] });
    };
    this.indexing = look().finally(() => {
      this.indexing = null;
    });
    return this.indexing;
  }

  /** Resolves when nothing of this session is left; rejects when that cannot be now, or not in time. */
  async before(session: string, drain: () => unknown, withinMs?: number): Promise<void> {
    // Mostly nothing lies here.
    if (this.indexing === null && this.sessions.size === 0) return;
    const stored = this.whenStored(session, drain);
    if (withinMs === undefined) return stored;
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(() => late.reject(LATER), withinMs);
    return Promise.race([stored, late.promise]).finally(() => clearTimeout(timer));
  }

  /** What somebody waits for, oldest first; null when nobody does. */
  urgent(most: number): string[] | null {
    for (const { names, waiters } of this.sessions.values()) if (waiters.length > 0) return [...names.values().take(most)];
    return null;
  }

  done(names: string[]): void {
    for (const name of names) {
      const owner = readOwner(name) ?? '';
      const waiting = this.sessions.get(owner);
      if (!waiting?.names.delete(name)) continue;
      this.size--;
      if (waiting.names.size > 0) continue;
      this.sessions.delete(owner);
      for (const { resolve } of waiting.waiters) resolve();
    }
  }

  giveUp(): void {
    for (const { waiters } of this.sessions.values()) for (const { reject } of waiters.splice(0)) reject(LATER);
  }

  private async whenStored(session: string, drain: () => unknown): Promise<void> {
    await this.indexing;
    const waiting = this.sessions.get(ownerOf(session));
    if (!waiting) return;
    const waiter = Promise.withResolvers<void>();
    waiting.waiters.push(waiter);
    drain();
    return waiter.promise;
  }
}

/** `X.json`, or `X.try1.json` after a worker ended at it once. */
const readTries = (name: string) => Number(/\.try(\d)\.json$/.exec(name)?.[1] ?? 0);
const plainName = (name: string) => name.replace(/\.(?:try\d|failed)\.json$/, '.json');
const withMark = (name: string, mark: string) => plainName(name).replace(/\.json$/, `.${mark}.json`);

/** Oldest first: the name begins with the time of arrival. Removes what a killed hook left half written. */
function listSpooled(folder: string, now: number): string[] {
  const names = readdirSync(folder);
  for (const name of names) if (name.startsWith('.')) removeOrphan(`${folder}/${name}`, now);
  return names.filter((name) => name.endsWith('.json') && !name.startsWith('.')).sort();
}

/** Without reading all of it. */
function holdsMore(folder: string, few: number): boolean {
  const entries = opendirSync(folder);
  try {
    for (let read = 0; read <= few; read++) if (entries.readSync() === null) return false;
    return true;
  } finally {
    entries.closeSync();
  }
}

/** A hook lives for seconds. */
const ORPHAN_MS = 120_000;
/** After so long its number may be another's. */
const OLD_MS = 3_600_000;

function removeOrphan(path: string, now: number): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  const age = stat ? now - stat.mtimeMs : 0;
  const pid = Number(/\.json\.(\d+)$/.exec(path)?.[1]);
  if (age > OLD_MS || (age > ORPHAN_MS && pid > 0 && !isAlive(pid))) unlinkSync(path);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's is alive, too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
