// A real hub, two real workers, kill -9 of each: what was noted on one machine is found on the other, once, whatever was killed when.
import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { createHubClient } from '../../src/sync/client.ts';
import { readAccount, writeAccount } from '../../src/sync/state.ts';
import { findPostgres, type Postgres, startPostgres } from '../support/postgres.ts';
import { createSandbox, runAtTerminal, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

const CLI = join(import.meta.dir, '../../dist/cli.js');
const ROUNDS = process.env.CLAUDE_MEM_TEST_FULL ? 12 : 1;
const [a, b] = [createSandbox(), createSandbox()];
const hubs: Bun.Subprocess[] = [];
let postgres: Postgres | null = null;
afterAll(async () => {
  for (const hub of hubs) hub.kill();
  await Promise.all(hubs.map(({ exited }) => exited));
  await Promise.all([a.dispose(), b.dispose()]);
  await postgres?.stop();
});

async function startHub(database: string, port = 0) {
  const hub = Bun.spawn([process.execPath, CLI, 'hub', '--database', database, '--port', String(port)], {
    env: a.env,
    stdout: 'pipe',
    stderr: 'ignore',
  });
  hubs.push(hub);
  const reader = hub.stdout.getReader();
  const { value } = await reader.read();
  const url = /http:\S+/.exec(new TextDecoder().decode(value))?.[0] ?? '';
  return { url, kill: () => hub.kill('SIGKILL'), exited: hub.exited };
}

const listTitles = ({ query }: Sandbox) =>
  query<{ title: string }>('SELECT title FROM observations ORDER BY title').map(({ title }) => title);
const note = (sandbox: Sandbox, text: string) => sandbox.cli('remember', '--global', text);
async function killWorker(sandbox: Sandbox) {
  const pid = await sandbox.workerPid();
  if (pid !== null) process.kill(pid, 'SIGKILL');
}

/** In one home a person logs in; the other is another machine of theirs. */
async function join2(hub: string, code: string) {
  const { code: exit, stdout, stderr } = await runAtTerminal([process.execPath, CLI, 'sync', 'login', hub], a.env, { answer: code });
  expect([exit, stdout + stderr]).toEqual([0, expect.stringContaining('Joined')]);
  const account = readAccount(a.paths.sync);
  if (!account) throw new Error('no account');
  const { token, device } = await createHubClient({ hub, token: account.token }).addDevice('other');
  await b.startWorker();
  writeAccount(b.paths.sync, { ...account, token, device });
  expect((await b.cli('sync', 'now')).code).toBe(0);
}

test('nothing is lost, twice or stuck when hub, worker or database are killed', async () => {
  if (findPostgres()) postgres = await startPostgres();
  const database = postgres?.url ?? join(a.home, 'hub.db');
  let hub = await startHub(database);
  const { stdout } = await a.cli('hub', 'add', 'acme', '--admin', 'anna', '--database', database, '--json');
  await join2(hub.url, JSON.parse(stdout).code);
  const port = Number(new URL(hub.url).port);
  const said: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const kills = [() => hub.kill(), () => killWorker(b), () => killWorker(a), ...(postgres ? [postgres.kill] : [])];
    for (const [at, kill] of kills.entries()) {
      const text = `Note ${round}-${at} that must arrive exactly once`;
      said.push(text);
      const noting = note(a, text);
      await kill();
      await noting;
      if (at === 0) {
        await hub.exited;
        hub = await startHub(database, port);
      }
      if (at === 3) await postgres?.start();
      // A worker that was killed is started by whoever asks next.
      for (const sandbox of [a, b]) await sandbox.cli('sync', 'now');
    }
  }
  const wanted = [...said].sort();
  await until(async () => {
    for (const sandbox of [a, b]) await sandbox.cli('sync', 'now');
    return [a, b].every((sandbox) => listTitles(sandbox).length >= wanted.length);
  });
  expect(listTitles(a)).toEqual(wanted);
  expect(listTitles(b)).toEqual(wanted);
  const found = await b.cli('search', '--all', 'arrive exactly once', '--json');
  expect(found.stdout).toContain('must arrive exactly once');
});
