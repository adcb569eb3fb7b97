// What a member takes back or forgets is gone from the files of the others: database, log and backups; what is their own stays.
import { afterAll, expect, test } from 'bun:test';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listCopies, makeCopy } from '../../src/backup/copies.ts';
import { createForget } from '../../src/forget/forget.ts';
import { findPaths, type Paths } from '../../src/paths.ts';
import { openStore } from '../../src/store/open.ts';
import { forget, openMachine, QUIET_LOG, say } from './machines.ts';
import { listTitles, openTeam, PROJECT, publish } from './team.ts';

const folder = mkdtempSync(join(tmpdir(), 'claude-mem-taken-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const filesWith = ({ dataDir }: Paths, word: string) =>
  readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path, 'latin1').includes(word));

type Team = Awaited<ReturnType<typeof openTeam>>;

/** Ben's machine in files, with what a worker does for sync. `kills`: so often it dies before the bytes of what has gone are. */
async function openOnDisk({ a, b, fetch }: Team) {
  const paths = findPaths(join(folder, '.claude-mem'));
  mkdirSync(paths.dataDir, { recursive: true, mode: 0o700 });
  b.db.query('VACUUM INTO ?').run(paths.database);
  const db = openStore(paths.database);
  const index = { removeDropped: () => undefined, wake: () => undefined };
  const forgetting = createForget({ db, paths, clock: a.now, index, log: QUIET_LOG, drainSpool: async () => undefined });
  const kills = { left: 0 };
  const scour = () => (kills.left-- > 0 ? Promise.reject(new Error('killed')) : forgetting.scour());
  const ben = await openMachine('bens', b.account, { fetch, now: a.now, db, scour });
  const both = async () => {
    for (const machine of [a, ben, a, ben]) await machine.sync.round();
  };
  return { paths, ben, kills, both };
}

test('forgotten by its author, or taken back with the project: no byte of it is in any file of a member, killed or not', async () => {
  const team = await openTeam();
  const { a, space } = team;
  const { paths, ben, kills, both } = await openOnDisk(team);
  const one = say(a, 'The first decision about zanzibarpelican and the queue', PROJECT);
  say(a, 'The second decision about quixoticmarmot and the cache', PROJECT);
  say(ben, 'His own sentence about herondove and nothing else', PROJECT);
  await both();
  expect(listTitles(ben)).toHaveLength(3);
  const copy = await makeCopy(paths);
  cpSync(copy.path, join(paths.backups, 'memory-20200101-000000.db'));
  expect(filesWith(paths, 'zanzibarpelican').length).toBeGreaterThan(2);
  forget(a, one);
  // The worker dies after the row went and before its bytes did.
  kills.left = 1;
  await a.sync.round();
  await expect(ben.sync.round()).rejects.toThrow('killed');
  await ben.restart();
  await both();
  expect(filesWith(paths, 'zanzibarpelican')).toEqual([]);
  expect(filesWith(paths, 'quixoticmarmot').length).toBeGreaterThan(2);
  publish(a, space, []);
  await both();
  expect(filesWith(paths, 'quixoticmarmot')).toEqual([]);
  // A copy is whole afterwards, with all that is ben's.
  expect(listCopies(paths)).toHaveLength(2);
  for (const { path } of listCopies(paths)) {
    const db = openStore(path);
    expect(db.query("SELECT title FROM observations WHERE title LIKE '%herondove%'").all()).toHaveLength(1);
    expect(db.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    db.close();
  }
});
