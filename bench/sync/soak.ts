// `npm run soak -- --minutes 30`: two people, three machines, two hub processes on one PostgreSQL, and a line that fails, repeats and stalls.
// Workers, hubs and database are killed at random. At the end a ledger of all that was said must be exact on every side.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { SQL } from 'bun';
import { askWorker } from '../../src/client/api.ts';
import { createTeam } from '../../src/hub/accounts.ts';
import { openPostgres } from '../../src/hub/postgres.ts';
import { createHubClient } from '../../src/sync/client.ts';
import { joinByCode, loginByInvitation, offerPairing } from '../../src/sync/login.ts';
import { type Account, writeAccount } from '../../src/sync/state.ts';
import { startPostgres } from '../../test/support/postgres.ts';
import { createSandbox, type Sandbox } from '../../test/support/sandbox.ts';
import { until } from '../../test/support/until.ts';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '30' }, seed: { type: 'string', default: '1' } } });
const CLI = join(import.meta.dir, '../../dist/cli.js');
const PROJECT = 'git.example.org/acme/shop';
const SETTLE_MS = 6 * 60_000;

let state = Number(values.seed) * 2_654_435_761 + 1;
const random = () => {
  state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) ^ (state << 7)) >>> 0;
  return state / 2 ** 32;
};
const chance = (p: number) => random() < p;
const pick = <T>(list: T[]): T | undefined => list[Math.floor(random() * list.length)];
const say = (text: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${text}`);

type Hub = { process: Bun.Subprocess; port: number };
/** A line to the hubs, as a balancer would be: each machine has its own. */
type Line = { url: string; isCut: boolean; isFaulty: boolean };
type Machine = Sandbox & { name: string; who: 'anna' | 'ben'; line: Line };
/** Only one machine rewords a memory: which word came last is known without asking the product. */
type Entry = { word: string; title: string; by: Machine; isPinned: boolean; isForgotten: boolean };

const hubs: (Hub | null)[] = [null, null];
const faults: Record<string, number> = {};
const note = (what: string) => {
  faults[what] = (faults[what] ?? 0) + 1;
};

async function startHub(at: number, database: string, env: Record<string, string>, port = 0): Promise<void> {
  const command = [process.execPath, CLI, 'hub', '--database', database, '--port', String(port)];
  const child = Bun.spawn(command, { env, stdout: 'pipe', stderr: 'ignore' });
  const { value } = await child.stdout.getReader().read();
  const url = /http:\S+/.exec(new TextDecoder().decode(value))?.[0];
  // The database may be away just now: whoever looks next starts it again.
  hubs[at] = url ? { process: child, port: Number(new URL(url).port) } : null;
}

function openLine(): Line {
  const line: Line = { url: '', isCut: false, isFaulty: true };
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 60,
    async fetch(request) {
      const body = request.method === 'GET' ? null : await request.text();
      const { pathname, search } = new URL(request.url);
      const pass = async () => {
        const hub = pick(hubs.filter((one) => one !== null));
        if (!hub) return new Response('', { status: 502 });
        const url = `http://127.0.0.1:${hub.port}${pathname}${search}`;
        const answer = await fetch(url, { method: request.method, headers: request.headers, body }).catch(() => null);
        return answer ? new Response(await answer.text().catch(() => ''), { status: answer.status }) : new Response('', { status: 502 });
      };
      if (line.isCut) return new Response('', { status: 504 });
      if (!line.isFaulty) return pass();
      await Bun.sleep(random() * 200);
      if (chance(0.05)) return new Response('', { status: 504 });
      const answer = await pass();
      if (pathname.endsWith('/push') && chance(0.1)) {
        note('said twice');
        await pass();
      }
      if (!chance(0.05)) return answer;
      note('answer lost');
      return new Response('', { status: 504 });
    },
  });
  line.url = `http://127.0.0.1:${server.port}`;
  return line;
}

function openMachine(name: string, who: Machine['who'], origin: string): Machine {
  const sandbox = createSandbox();
  const folder = join(sandbox.home, 'shop');
  const env = { ...sandbox.env, GIT_CONFIG_NOSYSTEM: '1' };
  execFileSync('git', ['clone', '-q', '--no-local', origin, folder], { env });
  execFileSync('git', ['remote', 'set-url', 'origin', `https://${PROJECT}.git`], { cwd: folder, env });
  mkdirSync(sandbox.paths.dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(sandbox.paths.config, JSON.stringify({ workerPort: 0, provider: 'local', embedder: 'off', importPast: 'off' }), {
    mode: 0o600,
  });
  return { ...sandbox, name, who, line: openLine() };
}

/** Until the worker has said that it is stored; one that was killed meanwhile may have stored it. */
async function ask(machine: Machine, route: string, body: object, method: 'POST' | 'PATCH', isDone: () => boolean): Promise<void> {
  for (let tried = 0; tried < 20; tried++) {
    if (tried > 0 && isDone()) return;
    const problem = await askWorker(machine.paths, route, { method, body, timeoutMs: 20_000 }).then(
      () => null,
      (error: Error) => error.message,
    );
    if (problem === null) return;
    if (tried === 19) throw new Error(`${machine.name}, ${route}: ${problem}`);
    await Bun.sleep(500);
  }
}

const SEEN = "SELECT id, title, pinned, author FROM observations WHERE hidden_at IS NULL AND title LIKE '%soakword%'";
type Seen = { id: number; title: string; pinned: number; author: string | null };
const look = (machine: Machine) => machine.query<Seen>(SEEN);
const find = (machine: Machine, { word }: Entry) => look(machine).find(({ title }) => title.includes(word));

async function act(machines: Machine[], ledger: Entry[]): Promise<void> {
  const machine = pick(machines);
  if (!machine) return;
  const alive = ledger.filter((entry) => !entry.isForgotten && entry.by.who === machine.who);
  const entry = pick(alive);
  const dice = random();
  if (!entry || dice < 0.45) return remember(machine, ledger);
  const seen = find(machine, entry);
  if (!seen) return;
  if (dice < 0.65 && entry.by === machine) {
    const title = `Reworded ${ledger.length}: part ${entry.word} stays as it is`;
    await ask(machine, `/api/observations/${seen.id}`, { title, by: 'user' }, 'PATCH', () => find(machine, entry)?.title === title);
    entry.title = title;
  } else if (dice < 0.8 && entry.by !== machine && !entry.isPinned) {
    await ask(machine, `/api/observations/${seen.id}`, { pinned: true, by: 'user' }, 'PATCH', () => find(machine, entry)?.pinned === 1);
    entry.isPinned = true;
  } else if (dice > 0.85) {
    await ask(machine, '/api/memory/erase', { ids: [String(seen.id)] }, 'POST', () => find(machine, entry) === undefined);
    entry.isForgotten = true;
  }
}

async function remember(machine: Machine, ledger: Entry[]): Promise<void> {
  const word = `soakword${ledger.length}x`;
  const title = `We decided that part ${word} stays as it is`;
  const entry: Entry = { word, title, by: machine, isPinned: false, isForgotten: false };
  await ask(
    machine,
    '/api/memory/save',
    { text: title, type: 'decision', cwd: join(machine.home, 'shop'), by: 'user' },
    'POST',
    () => !!find(machine, entry),
  );
  ledger.push(entry);
}

type Postgres = Awaited<ReturnType<typeof startPostgres>>;

async function disturb(machines: Machine[], postgres: Postgres): Promise<void> {
  if (chance(0.04)) {
    const machine = pick(machines);
    const pid = machine ? await machine.workerPid() : null;
    if (pid) process.kill(pid, 'SIGKILL');
    note('worker killed');
  }
  const at = chance(0.5) ? 1 : 0;
  if (chance(0.04)) {
    hubs[at]?.process.kill('SIGKILL');
    hubs[at] = null;
    note('hub killed');
  } else if (hubs[at] === null && chance(0.2)) await startHub(at, postgres.url, machines[0]?.env ?? {});
  if (chance(0.01)) {
    await postgres.kill();
    note('database killed');
    await Bun.sleep(random() * 3000);
    await postgres.start();
  }
  const machine = pick(machines);
  if (machine && chance(0.05)) {
    machine.line.isCut = !machine.line.isCut;
    note('line cut or mended');
  }
}

async function join3(machines: Machine[], database: string): Promise<void> {
  const [laptop, desk, bens] = machines as [Machine, Machine, Machine];
  const storage = await openPostgres(database);
  const invitation = await createTeam(storage, { team: 'soak', admin: 'anna' }, Date.now());
  await storage.close();
  const hub = `http://127.0.0.1:${hubs[0]?.port}`;
  const anna = await loginByInvitation({ hub, device: 'laptop' }, invitation);
  const code = Promise.withResolvers<string>();
  const offering = offerPairing(anna, { onCode: code.resolve, lookMs: 20 });
  const second = await joinByCode({ hub, device: 'desk' }, await code.promise, 20);
  await offering;
  const ben = await loginByInvitation({ hub, device: 'bens' }, (await createHubClient(anna).invite('ben', 'writer')).code);
  const accounts: [Machine, Account][] = [
    [laptop, anna],
    [desk, second],
    [bens, ben],
  ];
  for (const [machine, account] of accounts) {
    writeAccount(machine.paths.sync, { ...account, hub: machine.line.url });
    await machine.startWorker();
    const payload = {
      session_id: crypto.randomUUID(),
      cwd: join(machine.home, 'shop'),
      hook_event_name: 'SessionStart',
      source: 'startup',
    };
    await machine.hook('context', payload);
  }
  for (const machine of [laptop, bens]) {
    machine.line.isFaulty = false;
    await until(() => machine.query('SELECT 1 FROM projects WHERE first_commit IS NOT NULL').length > 0, 20_000);
    const body = { project: PROJECT, kinds: ['decision', 'rule'], by: 'user' };
    await askWorker(machine.paths, '/api/sync/publish', { method: 'POST', body, timeoutMs: 30_000 });
    machine.line.isFaulty = true;
  }
}

/** Title, whose, and whether it is pinned: of others nothing is. */
function expected(machine: Machine, ledger: Entry[]): string[] {
  const rows = ledger.filter(({ isForgotten }) => !isForgotten);
  return rows
    .map(({ title, by, isPinned }) => `${title} | ${by.who === machine.who ? `own ${Number(isPinned)}` : `team/${by.who} 0`}`)
    .sort();
}
const found = (machine: Machine) =>
  look(machine)
    .map(({ title, author, pinned }) => `${title} | ${author === null ? 'own' : `team/${author}`} ${pinned}`)
    .sort();

const isSettled = (machines: Machine[], ledger: Entry[]) =>
  machines.every((machine) => Bun.deepEquals(found(machine), expected(machine, ledger)));

function tellDifference(machine: Machine, ledger: Entry[]): string[] {
  const [there, wanted] = [found(machine), expected(machine, ledger)];
  const missing = wanted.filter((one) => !there.includes(one)).map((one) => `${machine.name} lacks ${one}`);
  const extra = there
    .filter((one, at) => !wanted.includes(one) || there.indexOf(one) !== at)
    .map((one) => `${machine.name} has too much ${one}`);
  const counted = machine
    .query<{ name: string; value: number }>("SELECT name, value FROM counters WHERE name LIKE 'sync:%'")
    .map(({ name, value }) => `${machine.name} counted ${name} ${value}`);
  const pending = machine.query('SELECT 1 FROM sync_records WHERE pending IS NOT NULL').length;
  return [...missing, ...extra, ...counted, ...(pending > 0 ? [`${machine.name} still has ${pending} to send`] : [])];
}

/** The team's copies are the ledger; nothing that was forgotten has a byte left in a table. */
async function checkHub({ adminUrl }: Postgres, ledger: Entry[]): Promise<string[]> {
  const sql = new SQL(adminUrl, { max: 1 });
  const rows: { state: string; payload: string | null }[] = await sql.unsafe(
    "SELECT state, payload FROM records WHERE space LIKE 'team-%'",
  );
  const [{ kept }] = await sql.unsafe(
    "SELECT count(*) AS kept FROM records WHERE space LIKE 'team-%' AND state <> 'live' AND payload IS NOT NULL",
  );
  await sql.close();
  const live = rows.filter((row) => row.state === 'live');
  const problems = ledger.flatMap(({ word, title, isForgotten }) => {
    const holding = live.filter(({ payload }) => payload?.includes(`${word} `));
    if (isForgotten) return holding.length === 0 ? [] : [`the hub still has ${word}`];
    return holding.length === 1 && holding[0]?.payload?.includes(title)
      ? []
      : [`the hub has ${title} ${holding.length} times, or otherwise`];
  });
  const count = ledger.filter(({ isForgotten }) => !isForgotten).length;
  return [
    ...problems,
    ...(live.length === count ? [] : [`the hub has ${live.length} live, the ledger ${count}`]),
    ...(Number(kept) === 0 ? [] : [`the hub keeps ${kept} payloads of what is gone`]),
  ];
}

async function main(): Promise<number> {
  const postgres = await startPostgres();
  const origin = createSandbox();
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=anna', '-c', 'user.email=anna@example.org', ...args], {
      cwd: origin.project('origin'),
      env: origin.env,
    });
  git('init', '-q', '-b', 'main');
  git('commit', '-q', '--allow-empty', '-m', 'Start the shop');
  const names: [string, Machine['who']][] = [
    ['laptop', 'anna'],
    ['desk', 'anna'],
    ['bens', 'ben'],
  ];
  const machines = names.map(([name, who]) => openMachine(name, who, join(origin.home, 'origin')));
  const ledger: Entry[] = [];
  try {
    for (const at of [0, 1]) await startHub(at, postgres.url, origin.env);
    await join3(machines, postgres.url);
    const end = performance.now() + Number(values.minutes) * 60_000;
    for (let step = 0; performance.now() < end; step++) {
      await act(machines, ledger);
      await disturb(machines, postgres);
      if (step % 100 === 0) say(`${step} steps, ${ledger.length} said, ${JSON.stringify(faults)}`);
      await Bun.sleep(300 + random() * 900);
    }
    for (const { line } of machines) Object.assign(line, { isCut: false, isFaulty: false });
    for (const at of [0, 1]) if (!hubs[at]) await startHub(at, postgres.url, origin.env);
    const from = performance.now();
    // Whoever was killed last is started by nobody else; from here on nobody asks anything.
    for (const machine of machines) await machine.startWorker();
    await until(() => isSettled(machines, ledger), SETTLE_MS).catch(() => undefined);
    say(`settled after ${((performance.now() - from) / 1000).toFixed(1)} s`);
    for (const machine of machines) await machine.cli('sync', 'now');
    const problems = [...machines.flatMap((machine) => tellDifference(machine, ledger)), ...(await checkHub(postgres, ledger))];
    const gone = ledger.filter(({ isForgotten }) => isForgotten).length;
    say(`${ledger.length} said, ${gone} forgotten, ${JSON.stringify(faults)}`);
    console.log(problems.length === 0 ? 'The ledger is exact on all sides.' : problems.join('\n'));
    return problems.length === 0 ? 0 : 1;
  } finally {
    for (const hub of hubs) hub?.process.kill();
    for (const machine of [...machines, origin]) await machine.dispose();
    await postgres.stop();
  }
}

process.exit(await main());
