// Which sessions have files in the spool from before, and who waits for them: what came first is stored first.
import { ownerOf, readOwner } from '../core/envelope.ts';

/** Whoever hears it waits in the spool, where the order is kept. */
const LATER = Object.assign(new Error('what came before waits in the offline queue'), { code: 'EAGAIN' });

type Waiting = { names: string[]; waiters: PromiseWithResolvers<void>[] };

export class SpoolOrder {
  /** By the hash of a session that stands in the names. */
  private readonly sessions = new Map<string, Waiting>();
  private readonly owners = new Map<string, string>();
  private indexing: Promise<void> | null = null;

  holdsMore(few: number): boolean {
    return this.indexing !== null || this.owners.size > few;
  }

  index(list: () => Promise<string[]>): Promise<void> {
    const look = async () => {
      for (const name of await list()) this.note(name, readOwner(name));
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
    for (const { names, waiters } of this.sessions.values()) if (waiters.length > 0) return names.slice(0, most);
    return null;
  }

  done(names: string[]): void {
    const left = new Set(names);
    for (const owner of new Set(names.map((name) => this.owners.get(name) ?? ''))) {
      const waiting = this.sessions.get(owner);
      if (!waiting) continue;
      waiting.names = waiting.names.filter((name) => !left.has(name));
      if (waiting.names.length > 0) continue;
      this.sessions.delete(owner);
      for (const { resolve } of waiting.waiters) resolve();
    }
    for (const name of names) this.owners.delete(name);
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

  private note(name: string, owner: string | null): void {
    if (owner === null) return;
    this.owners.set(name, owner);
    const known = this.sessions.get(owner);
    if (known) known.names.push(name);
    else this.sessions.set(owner, { names: [name], waiters: [] });
  }
}
