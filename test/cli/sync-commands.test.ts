// `claude-mem sync` on a machine that has joined a hub: what each command says and does, also once the machine is locked out.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTeam } from '../../src/hub/accounts.ts';
import { serveHub } from '../../src/hub/serve.ts';
import { openSqlite } from '../../src/hub/sqlite.ts';
import { createHubClient } from '../../src/sync/client.ts';
import { writePhrase } from '../../src/sync/crypto.ts';
import { loginByInvitation } from '../../src/sync/login.ts';
import { type Account, readAccount, seedOf, writeAccount } from '../../src/sync/state.ts';
import { createSandbox, runAtTerminal } from '../support/sandbox.ts';
import { QUIET_LOG } from '../sync/machines.ts';

const CLI = [process.execPath, join(import.meta.dir, '../../dist/cli.js')];
const machine = createSandbox();
let hub: Awaited<ReturnType<typeof serveHub>>;
let account: Account;

beforeAll(async () => {
  const address = `${machine.home}/hub.db`;
  const storage = openSqlite(address);
  const code = await createTeam(storage, { team: 'acme', admin: 'anna' }, Date.now());
  await storage.close();
  hub = await serveHub({ address, port: 0, host: '127.0.0.1', log: QUIET_LOG });
  account = await loginByInvitation({ hub: hub.url, device: 'laptop' }, code);
  mkdirSync(machine.paths.dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(machine.paths.config, JSON.stringify({ provider: 'local', embedder: 'off', importPast: 'off' }), { mode: 0o600 });
  writeAccount(machine.paths.sync, account);
  await machine.startWorker();
});
afterAll(async () => {
  await machine.dispose();
  await hub.close();
});

/** As a person at a terminal. */
async function sync(...words: string[]): Promise<[number | null, string]> {
  const { code, stdout, stderr } = await runAtTerminal([...CLI, 'sync', ...words], machine.env, { answer: 'y' });
  return [code, stdout + stderr];
}
const remember = (text: string) => machine.cli('remember', '--global', text);
const countAtHub = async () => (await createHubClient(account).pull(account.personal, 0)).records.length;

test('paused nothing leaves and status says how much waits; resumed it does', async () => {
  await remember('A note before');
  expect(await sync('now')).toEqual([0, expect.stringContaining(`up to date: ${hub.url} as anna`)]);
  const before = await countAtHub();
  expect(before).toBeGreaterThan(0);
  expect((await sync('pause'))[0]).toBe(0);
  await remember('A note meanwhile');
  expect(await sync('now')).toEqual([0, expect.stringMatching(/^paused: .*[1-9]\d* changes? waiting/)]);
  expect(await sync('status')).toEqual([0, expect.stringMatching(/^paused: .*[1-9]\d* changes? waiting, the oldest since/)]);
  expect(await countAtHub()).toBe(before);
  expect((await sync('resume'))[0]).toBe(0);
  expect(await sync('now')).toEqual([0, expect.stringContaining('up to date')]);
  expect(await countAtHub()).toBeGreaterThan(before);
});

test('the phrase is that of the key, and the machines are listed by name', async () => {
  expect(await sync('phrase')).toEqual([0, expect.stringContaining(writePhrase(seedOf(account)))]);
  await createHubClient(account).addDevice('desk');
  const [code, said] = await sync('devices');
  expect([code, said]).toEqual([0, expect.stringMatching(/laptop, seen .*\(this machine\)/)]);
  expect(said).toContain('desk, never seen, let in by');
});

test('a machine revokes another and then itself, says so, fails from then on, and leaves', async () => {
  const { device } = await createHubClient(account).addDevice('lost');
  expect(await sync('revoke', device)).toEqual([0, expect.stringContaining('It gets nothing more')]);
  expect((await sync('revoke', 'nobody'))[0]).toBe(1);
  expect(await sync('revoke', account.device)).toEqual([0, expect.stringContaining('It gets nothing more')]);
  await remember('A note of a machine that is locked out');
  expect(await sync('now')).toEqual([1, expect.stringMatching(/^failed: [\s\S]*error: /)]);
  expect(await sync('logout')).toEqual([0, expect.stringMatching(/Left the hub\.\s*$/)]);
  expect([readAccount(machine.paths.sync), (await sync('status'))[1]]).toEqual([null, expect.stringContaining('No hub')]);
});
