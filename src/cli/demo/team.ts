// `claude-mem demo --team`: two people, three machines and a hub on one screen, each with a real worker in a home of its own.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askWorker, callApi } from '../../client/api.ts';
import { plainLine } from '../../core/plain-line.ts';
import { DEFAULT_KINDS } from '../../core/shapes/sync.ts';
import { createTeam } from '../../hub/accounts.ts';
import { openStorage, serveHub } from '../../hub/serve.ts';
import { shellPath } from '../../paths.ts';
import { createHubClient } from '../../sync/client.ts';
import { joinByCode, loginByInvitation, offerPairing } from '../../sync/login.ts';
import { type Account, writeAccount } from '../../sync/state.ts';
import { countIn, type Voice } from './show.ts';
import { IDLE, openMemory } from './stage.ts';

type Machine = ReturnType<typeof makeMachine>;
type Found = { items: { id: string; title: string; agent?: string }[] };

const PROJECT = 'git.example.org/acme/shop';
const DECISION = 'Amounts are integer cents, never floats';
const RULED = 'Refunds go through the queue, not through the request';
const ASIDE = 'The quarterly numbers are worse than the plan says';

export async function runTeamDemo(voice: Voice, { postgres }: { postgres?: string | undefined }): Promise<number> {
  const startedAt = performance.now();
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'claude-mem-demo-')));
  mkdirSync(join(home, 'hub'));
  const address = postgres ?? join(home, 'hub/hub.db');
  const server = await serveHub({ address, port: 0, host: '127.0.0.1', log: { warn: () => undefined, error: () => undefined } });
  const machines = ['anna-laptop', 'anna-desk', 'ben-laptop'].map((name) => makeMachine(home, name));
  try {
    const isRight = await perform(voice, { home, hub: server.url, address, machines, isSqlite: postgres === undefined });
    voice.say('', `It took ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`);
    return isRight ? 0 : 1;
  } finally {
    for (const machine of machines) await machine.close();
    await server.close();
    rmSync(home, { recursive: true, force: true });
    voice.say('Everything it made is removed.');
  }
}

function makeMachine(home: string, name: string) {
  const own = join(home, name);
  const folder = join(own, 'shop');
  const git = (cwd: string, ...args: string[]) => {
    const env = { PATH: shellPath(), HOME: home, GIT_CONFIG_NOSYSTEM: '1', LANG: 'C' };
    const { success, stderr } = Bun.spawnSync(['git', '-c', 'user.name=anna', '-c', 'user.email=anna@example.org', ...args], { cwd, env });
    if (!success) throw new Error(`git ${args[0]} failed: ${stderr.toString().trim()}`);
  };
  mkdirSync(own);
  const origin = join(home, 'origin');
  if (name === 'anna-laptop') {
    mkdirSync(origin);
    git(origin, 'init', '-q', '-b', 'main');
    git(origin, 'commit', '-q', '--allow-empty', '-m', 'Start the shop');
  }
  git(own, 'clone', '-q', '--no-local', origin, folder);
  git(folder, 'remote', 'set-url', 'origin', `https://${PROJECT}.git`);
  const memory = openMemory({ home: own, dist: import.meta.dir, folder, settings: { workerPort: 0, embedder: 'off', ...IDLE } });
  const session = { session_id: crypto.randomUUID(), cwd: folder, hook_event_name: 'SessionStart', source: 'startup' };
  return { name, ...memory, work: () => memory.hook('context', session) };
}

type Scene = { home: string; hub: string; address: string; machines: Machine[]; isSqlite: boolean };

async function perform(voice: Voice, { home, hub, address, machines, isSqlite }: Scene): Promise<boolean> {
  const { say, title } = voice;
  const [laptop, desk, bens] = machines as [Machine, Machine, Machine];
  say('Two people, three machines, one hub; no network beyond this machine.');
  title(`1. Anna's two machines and Ben's join a hub on ${isSqlite ? 'SQLite' : 'PostgreSQL'}`);
  await join3(voice, { hub, address, laptop, desk, bens });

  title('2. What Anna notes on her laptop is on her desk');
  await Promise.all(machines.map(({ ask }) => ask('start')));
  for (const text of [DECISION, RULED]) await laptop.ask('remember', text);
  await laptop.ask('remember', '--type', 'discovery', ASIDE);
  const lag = await waitFor(desk, (titles) => titles.length === 3);
  showAll(voice, desk, await listFound(desk));
  say('', `  There after ${lag.toFixed(1)} s.`);
  const seen = isSqlite ? countIn(join(home, 'hub'), 'integer cents').found : 0;
  if (isSqlite) say(`  On the hub's disk "integer cents" stands ${seen} times: it carries ciphertext.`);

  title('3. Anna gives her team the decisions of this project; Ben gets them as hers');
  const body = { project: PROJECT, kinds: DEFAULT_KINDS, by: 'user' };
  await askWorker(laptop.paths, '/api/sync/publish', { method: 'POST', body, timeoutMs: 30_000 });
  // A session in his clone: its history proves whose decisions these are.
  await bens.work();
  await waitFor(bens, (titles) => titles.length === 2);
  showAll(voice, bens, await listFound(bens));
  say('', '  Her third note is no decision: it stays hers.');

  title('4. Anna forgets one of them on her desk');
  const [doomed] = (await listFound(desk)).items.filter((item) => item.title === RULED);
  await callApi(desk.paths, '/api/memory/erase', { method: 'POST', body: { ids: [doomed?.id] }, timeoutMs: 60_000 });
  await Promise.all([laptop, bens].map((machine) => waitFor(machine, (titles) => !titles.includes(RULED))));
  for (const machine of machines) showAll(voice, machine, await listFound(machine));
  const [hers, his] = [await listFound(laptop), await listFound(bens)];
  const left = await countLeft([...(isSqlite ? [join(home, 'hub')] : []), ...machines.map(({ paths }) => paths.dataDir)]);
  say('', `  In the bytes of all machines${isSqlite ? ' and of the hub' : ''} it stands ${left} times.`);
  return hers.items.length === 2 && his.items.length === 1 && seen === 0 && left === 0;
}

async function join3(
  voice: Voice,
  { hub, address, laptop, desk, bens }: Record<'hub' | 'address', string> & Record<'laptop' | 'desk' | 'bens', Machine>,
) {
  const storage = await openStorage(address);
  const invitation = await createTeam(storage, { team: `demo ${crypto.randomUUID()}`, admin: 'anna' }, Date.now());
  await storage.close();
  const anna = await loginByInvitation({ hub, device: laptop.name }, invitation);
  const shown = Promise.withResolvers<string>();
  const offering = offerPairing(anna, { onCode: shown.resolve, lookMs: 20 });
  const code = await shown.promise;
  const second = await joinByCode({ hub, device: desk.name }, code, 20);
  await offering;
  const { code: forBen } = await createHubClient(anna).invite('ben', 'writer');
  const ben = await loginByInvitation({ hub, device: bens.name }, forBen);
  const accounts: [Machine, Account, string][] = [
    [laptop, anna, `by an invitation`],
    [desk, second, `by the code ${code}`],
    [bens, ben, 'by an invitation of Anna'],
  ];
  for (const [machine, account, how] of accounts) {
    writeAccount(machine.paths.sync, account);
    voice.say(`  ${machine.name.padEnd(12)} ${voice.paint('dim', how)}`);
  }
}

/** The bytes go right after the rows. */
async function countLeft(folders: string[]): Promise<number> {
  const look = () => folders.reduce((sum, folder) => sum + countIn(folder, RULED).found, 0);
  for (let tried = 0; tried < 50 && look() > 0; tried++) await Bun.sleep(100);
  return look();
}

/** What was noted; empty as long as the project is not known there. The commit that each clone has is left out. */
async function listFound({ paths }: Machine): Promise<Found> {
  const known = await callApi<{ items: { key: string }[] }>(paths, '/api/projects');
  if (!known?.items.some(({ key }) => key === PROJECT)) return { items: [] };
  const found = await callApi<Found>(paths, `/api/observations?${new URLSearchParams({ project: PROJECT })}`);
  return { items: (found?.items ?? []).filter(({ title }) => [DECISION, RULED, ASIDE].includes(title)) };
}

function showAll({ say, paint, width }: Voice, { name }: Machine, { items }: Found): void {
  for (const { id, title, agent } of items) {
    const mark = agent?.startsWith('team/') ? ` [${agent}]` : '';
    say(`  ${paint('dim', name.padEnd(12))} ${id.padStart(3)} ${plainLine(title, width - 32)}${paint('dim', mark)}`);
  }
}

const PATIENCE_MS = 30_000;
const LOOK_MS = 20;

/** Seconds until it is so. */
async function waitFor(machine: Machine, isSo: (titles: string[]) => boolean): Promise<number> {
  const from = performance.now();
  while (performance.now() - from < PATIENCE_MS) {
    const { items } = await listFound(machine);
    if (isSo(items.map(({ title }) => title))) return (performance.now() - from) / 1000;
    await Bun.sleep(LOOK_MS);
  }
  throw new Error(`${machine.name} did not get it within ${PATIENCE_MS / 1000} s.`);
}
