// A few machines of one person and a hub, in one process: real databases, the hub called as a function, faults on every way between.

import { Database } from 'bun:sqlite';
import { remember } from '../../src/capture/remember.ts';
import { eraseMemories } from '../../src/forget/erase.ts';
import { createTeam } from '../../src/hub/accounts.ts';
import { createHub } from '../../src/hub/hub.ts';
import { openSqlite } from '../../src/hub/sqlite.ts';
import type { Storage } from '../../src/hub/storage.ts';
import { ensureProject } from '../../src/projects/projects.ts';
import { openStore } from '../../src/store/open.ts';
import { createHubClient, type Fetch } from '../../src/sync/client.ts';
import { makeSeed } from '../../src/sync/crypto.ts';
import type { Account } from '../../src/sync/state.ts';
import { createSync, type Sync, type SyncDeps } from '../../src/sync/sync.ts';
import { CAPTURE_ALL } from '../support/capture-settings.ts';

const quiet = () => undefined;
export const QUIET_LOG = { debug: quiet, info: quiet, warn: quiet, error: quiet };
export const HUB_URL = 'http://127.0.0.1:1';
export const T0 = Date.UTC(2026, 10, 1);

export type Machine = {
  name: string;
  db: Database;
  account: Account;
  sync: Sync;
  /** Another process of the same machine: what was not stored is lost. */
  restart: () => Promise<void>;
  now: () => number;
};

let blank: Uint8Array<ArrayBuffer> | null = null;
/** Migrated once: hundreds of machines are made in a run. */
export function openBlank(): Database {
  if (!blank) {
    const store = openStore(':memory:');
    blank = new Uint8Array(store.serialize());
    store.close();
  }
  const db = Database.deserialize(blank, { strict: true });
  db.run('PRAGMA foreign_keys = ON');
  return db;
}

export type World = { hub: ReturnType<typeof createHub>; storage: Storage; admin: string; time: { now: number } };

export async function openWorld(storage: Storage = openSqlite(':memory:')): Promise<World> {
  const time = { now: T0 };
  const hub = createHub({ storage, clock: () => time.now, log: QUIET_LOG, lookMs: 50 });
  const admin = await createTeam(storage, { team: 'shop', admin: 'anna' }, time.now);
  return { hub, storage, admin, time };
}

export const fetchHub =
  ({ fetch }: World['hub']): Fetch =>
  (url, init) =>
    fetch(new Request(url, { ...init, redirect: 'follow' }));

export async function loginWith(fetch: Fetch, code: string, device: string, seed = makeSeed()): Promise<Account> {
  const { token, device: id } = await createHubClient({ hub: HUB_URL, token: null, fetch }).login(code, device);
  return describeAccount(fetch, token, id, seed);
}

/** Another machine of the same person, as pairing would make it. */
export async function addMachine(fetch: Fetch, from: Account, device: string): Promise<Account> {
  const { token, device: id } = await createHubClient({ hub: HUB_URL, token: from.token, fetch }).addDevice(device);
  return describeAccount(fetch, token, id, new Uint8Array(Buffer.from(from.seed, 'base64')));
}

async function describeAccount(fetch: Fetch, token: string, device: string, seed: Uint8Array<ArrayBuffer>): Promise<Account> {
  const { member, name, personal } = await createHubClient({ hub: HUB_URL, token, fetch }).me();
  const key = Buffer.from(seed).toString('base64');
  return { hub: HUB_URL, token, device, member, name, personal, seed: key, isPaused: false };
}

type MachineOptions = { fetch: Fetch; now: () => number; db?: Database } & Partial<SyncDeps>;

export async function openMachine(
  name: string,
  account: Account,
  { fetch, now, db = openBlank(), ...more }: MachineOptions,
): Promise<Machine> {
  const deps: SyncDeps = {
    db,
    account,
    client: createHubClient({ hub: HUB_URL, token: account.token, fetch }),
    now,
    door: () => CAPTURE_ALL,
    policy: () => ({ isSent: true, withTurns: false }),
    erase: async (refs) => void db.transaction(() => eraseMemories(db, refs, { at: now(), onPieces: quiet })).immediate(),
    scour: async () => undefined,
    rest: async () => undefined,
    log: QUIET_LOG,
    onStored: quiet,
    ...more,
  };
  const machine: Machine = {
    ...{ name, db, account, now },
    sync: await createSync(deps),
    async restart() {
      machine.sync = await createSync(deps);
    },
  };
  return machine;
}

export const PROJECT = { key: 'example.org/shop', name: 'shop', root: '', remote: null };

/** As `claude-mem remember` does. */
export function say({ db, now }: Pick<Machine, 'db' | 'now'>, text: string, project = PROJECT): number {
  db.transaction(() => ensureProject(db, project, now())).immediate();
  return Number(remember(db, { text, project: project.key, by: 'user' }, now()).id);
}

export const forget = ({ db, now }: Pick<Machine, 'db' | 'now'>, id: number) =>
  db.transaction(() => eraseMemories(db, [{ kind: 'observation', id }], { at: now(), onPieces: quiet })).immediate();

/** All that a person would see of it, without local numbers. */
export function project({ db }: Pick<Machine, 'db'>): unknown {
  const memories = db
    .query(
      `SELECT o.title, o.narrative, o.type, o.pinned, o.wrong_at IS NOT NULL AS wrong, o.kept, o.is_rule, o.created_at_epoch AS at, p.name,
         (SELECT count(*) FROM documents d WHERE d.kind = 'observation' AND d.ref = o.id) AS documents
       FROM observations o JOIN projects p ON p.id = o.project_id WHERE o.hidden_at IS NULL ORDER BY o.title, o.created_at_epoch`,
    )
    .all();
  const links = db
    .query(
      `SELECT a.title AS older, a.created_at_epoch AS oa, b.title AS newer, b.created_at_epoch AS na, r.certain, r.both_hold AS bothHold
       FROM replacements r JOIN observations a ON a.id = r.older_id JOIN observations b ON b.id = r.newer_id
       WHERE r.older_kind = 'observation' AND r.newer_kind = 'observation' AND a.hidden_at IS NULL AND b.hidden_at IS NULL
       ORDER BY 1, 2, 3, 4`,
    )
    .all();
  const blocked = db.query('SELECT source FROM distrusted ORDER BY source').all();
  return { memories, links, blocked };
}

/** What the hub does not have. */
export async function countPendingOf({ db, sync }: Pick<Machine, 'db' | 'sync'>): Promise<number> {
  await sync.stamp();
  return (db.query('SELECT count(*) AS n FROM sync_records WHERE pending IS NOT NULL').get() as { n: number }).n;
}
