// What a machine keeps of its hub by name, in sync_state: the device, its clock, how far each space has been read, what is given to a team;
// and the hybrid logical clock: the time of the machine, never behind what it has seen of others, the same order everywhere. As text that
// sorts: milliseconds, a counter, the device.
import type { Database } from 'bun:sqlite';
import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { WireProject } from '../core/shapes/sync.ts';
import { readOwnFile, writeOwnFile } from '../own-files.ts';
import { readValue } from '../store/read.ts';

export const readState = (db: Database, name: string): string | null =>
  readValue<string>(db, 'SELECT value FROM sync_state WHERE name = ?', name);

export const writeState = (db: Database, name: string, value: string): void =>
  void db
    .query('INSERT INTO sync_state (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value')
    .run(name, value);

/** What the user gives to a team: of which project, and which kinds. */
type Published = { project: WireProject; kinds: string[] };
const PUBLISHED = 'published:';

export function readPublished(db: Database): Map<string, Published> {
  const rows = db
    .query<{ name: string; value: string }, [string, string]>('SELECT name, value FROM sync_state WHERE name > ? AND name < ?')
    .all(PUBLISHED, 'published;');
  return new Map(rows.map(({ name, value }) => [name.slice(PUBLISHED.length), JSON.parse(value)]));
}

/** Inside a transaction. Null: nothing more. */
export function writePublished(db: Database, space: string, published: Published | null): void {
  if (published) writeState(db, `${PUBLISHED}${space}`, JSON.stringify(published));
  else db.query('DELETE FROM sync_state WHERE name = ?').run(`${PUBLISHED}${space}`);
  db.query("INSERT OR IGNORE INTO sync_changes (kind, ref) VALUES ('published', ?)").run(space);
}

export type Clock = ReturnType<typeof createClock>;

const COUNTER = 36 ** 4;
export const NEVER = '';

export const timeOf = (clock: string) => Number.parseInt(clock.slice(0, 9), 36) || 0;
const counterOf = (clock: string) => Number.parseInt(clock.slice(10, 14), 36) || 0;
export const writeClock = (ms: number, counter: number, device: string) =>
  `${Math.max(0, Math.floor(ms)).toString(36).padStart(9, '0')}-${counter.toString(36).padStart(4, '0')}-${device}`;

/** Further ahead no hub takes it: nobody else can have seen such a clock. */
const AHEAD_MS = 86_400_000;

/** The clock of the machine was wrong and is right now: what was stamped is stamped again, in its order. Inside a transaction. */
export function setBack(db: Database, device: string, now: number): boolean {
  const ahead = writeClock(now + AHEAD_MS, 0, '');
  if ((readState(db, 'clock') ?? NEVER) < ahead) return false;
  type Row = { space: string; entity: string; clocks: string };
  const rows = db.query<Row, []>('SELECT space, entity, clocks FROM sync_records').all();
  const read = rows.map(({ clocks, ...row }) => ({ ...row, clocks: JSON.parse(clocks) as Record<string, string> }));
  const all = read.flatMap(({ clocks }) => Object.values(clocks));
  const right = all.filter((clock) => clock < ahead).sort();
  writeState(db, 'clock', right.at(-1) ?? NEVER);
  const { next } = createClock(db, device, () => now);
  const again = new Map([...new Set(all.filter((clock) => clock >= ahead))].sort().map((clock) => [clock, next()]));
  for (const { space, entity, clocks } of read) {
    const entries = Object.entries(clocks).map(([name, clock]) => [name, again.get(clock) ?? clock]);
    const sql = 'UPDATE sync_records SET clocks = ? WHERE space = ? AND entity = ?';
    db.query(sql).run(JSON.stringify(Object.fromEntries(entries)), space, entity);
  }
  return again.size > 0;
}

export function createClock(db: Database, device: string, now: () => number) {
  const last = () => readState(db, 'clock') ?? NEVER;
  return {
    /** Later than everything that was stamped or seen here. Inside a transaction. */
    next() {
      const before = last();
      const [ms, counter] = [timeOf(before), counterOf(before) + 1];
      const clock = now() > ms ? writeClock(now(), 0, device) : writeClock(counter < COUNTER ? ms : ms + 1, counter % COUNTER, device);
      writeState(db, 'clock', clock);
      return clock;
    },
    /** What another machine has stamped. Inside a transaction. */
    see(clock: string) {
      if (clock.slice(0, 14) > last().slice(0, 14)) writeState(db, 'clock', `${clock.slice(0, 15)}${device}`);
    },
  };
}

/** Of two clocks the later; missing ones are before all. */
export const isLater = (one: string | undefined, other: string | undefined) => (one ?? NEVER) > (other ?? NEVER);

// <data dir>/sync.json: which hub, as whom, with which key. Only `claude-mem sync` writes it, for a person at a terminal.

export type Account = {
  hub: string;
  token: string;
  device: string;
  member: string;
  name: string;
  personal: string;
  /** Base64. Leaves the user's machines only sealed, from one to the next. */
  seed: string;
  isPaused: boolean;
};

const TEXTS = ['hub', 'token', 'device', 'member', 'name', 'personal', 'seed'] as const;

/** Null: nobody is logged in. Throws for a file that cannot be read. */
export function readAccount(path: string): Account | null {
  let text: string;
  try {
    text = readOwnFile(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  // By hand: a starting worker asks whether there is one, and loads no schemas for it.
  const said: Partial<Account> = JSON.parse(text);
  if (!TEXTS.every((name) => typeof said[name] === 'string')) throw new Error(`${path} is not an account`);
  return { isPaused: false, ...said } as Account;
}

export function writeAccount(path: string, account: Account): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeOwnFile(path, `${JSON.stringify(account, null, 2)}\n`);
}
export const dropAccount = (path: string) => rmSync(path, { force: true });

export const seedOf = ({ seed }: Account) => new Uint8Array(Buffer.from(seed, 'base64'));
