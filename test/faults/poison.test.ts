// An event that a worker dies or hangs on is set aside after two of them, and counted; the next worker lives and keeps the rest.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { retrySetAside } from '../../src/capture/queue.ts';
import { Spool } from '../../src/capture/spool.ts';
import { callApi } from '../../src/client/api.ts';
import { spool } from '../../src/hook/spool.ts';
import { findPaths, type Paths } from '../../src/paths.ts';
import { openStore } from '../../src/store/open.ts';
import { bash, stop, userPrompt } from '../support/payloads.ts';
import { until } from '../support/until.ts';
import { envelopeOf } from '../support/worker-app.ts';

const CWD = '/home/dev/shop';

/** In one piece: it is started thirty times. */
const built = mkdtempSync(join(tmpdir(), 'cmem-poisoned-'));
beforeAll(async () => {
  await Bun.build({ entrypoints: [join(import.meta.dir, '../support/poisoned-worker.ts')], outdir: built, target: 'bun' });
});
afterAll(() => rmSync(built, { recursive: true }));

let paths: Paths;
let workers: Bun.Subprocess[];
beforeEach(() => {
  paths = findPaths(mkdtempSync(join(tmpdir(), 'cmem-poison-')));
  workers = [];
});
afterEach(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  await Promise.all(workers.map((worker) => worker.exited));
  rmSync(paths.dataDir, { recursive: true, force: true });
});

type Status = { summaries: number; queue: { depth: number; quarantined: number; spooled: number } };
const readStatus = async () => (await callApi(paths, '/api/status')) as Status | null;

/** `stableMs`: after so long it tries once more what others died at. */
function startWorker(kind: string, stableMs = 60_000): Bun.Subprocess {
  const command = [process.execPath, join(built, 'poisoned-worker.js'), paths.dataDir, kind, String(stableMs)];
  const worker = Bun.spawn(command, { stdout: 'ignore', stderr: 'ignore' });
  workers.push(worker);
  return worker;
}

/** How often a worker had to be started until one lives and has nothing left to do. */
async function startUntilAlive(kind: string): Promise<{ deaths: number; status: Status }> {
  for (let deaths = 0; deaths < 8; deaths++) {
    const worker = startWorker(kind);
    const settled = until(async () => {
      const status = await readStatus();
      return status && status.queue.depth === 0 && status.queue.spooled === 0 ? status : null;
    }).catch(() => null);
    const outcome = await Promise.race([worker.exited.then(() => null), settled]);
    if (outcome) return { deaths, status: outcome };
  }
  throw new Error('every worker died');
}

const keep = (event: 'new' | 'save' | 'summary', payload: unknown, receivedAt: number) =>
  spool(paths, envelopeOf(event, payload, { receivedAt }));

// What hangs for two seconds is ended: on a loaded machine that may be a worker that was only slow.
const MOST_MORE = { die: 0, hang: 3 };

describe.each(['die', 'hang'] as const)('a worker that would %s', (kind) => {
  test('on a file of the spool sets it aside and stores the others', async () => {
    const now = Date.now();
    keep('save', bash('s', CWD, 'ls', 'POISONED-FILE', { tool_use_id: 'toolu_bad' }), now);
    const { deaths, status } = await startUntilAlive(kind);
    expect(deaths).toBeWithin(2, 3 + MOST_MORE[kind]);
    expect(status.queue.quarantined).toBe(1);
    expect(readdirSync(join(paths.spool, 'bad'))).toHaveLength(1);
  });

  test('on one file of many finds out which, and stores all others', async () => {
    const now = Date.now();
    for (let at = 0; at < 20; at++)
      keep('save', bash('s', CWD, `echo ${at}`, at === 7 ? 'POISONED-FILE' : 'ok', { prompt_id: 'p1' }), now + at);
    keep('summary', stop('s', CWD, 'Said twenty things.', { prompt_id: 'p1' }), now + 100);
    const { deaths, status } = await startUntilAlive(kind);
    expect(deaths).toBeLessThanOrEqual(3 + MOST_MORE[kind]);
    expect(status.queue.quarantined).toBe(1);
    expect(readdirSync(join(paths.spool, 'bad'))).toHaveLength(1);
    expect(readdirSync(paths.spool).filter((name) => name.endsWith('.json'))).toEqual([]);
  });

  test('on a turn sets that turn aside', async () => {
    const now = Date.now();
    for (const [at, [session, words]] of [
      ['s1', 'POISON'],
      ['s2', 'Add a test'],
    ].entries()) {
      const more = { prompt_id: `p${at}` };
      keep('new', userPrompt(session ?? '', CWD, words ?? '', more), now + at * 10);
      keep('summary', stop(session ?? '', CWD, 'Added the test for the cart.', more), now + at * 10 + 1);
    }
    const { deaths, status } = await startUntilAlive(kind);
    expect(deaths).toBeWithin(2, 3 + MOST_MORE[kind]);
    expect(status.queue.quarantined).toBe(2);
  });
});

const CART = 'Added the test for the cart: it puts 3 articles in, takes one of them out again, and expects the sum of the others in cents.';

describe('a turn that two workers died at', () => {
  const end = async (worker: Bun.Subprocess) => {
    worker.kill('SIGKILL');
    await worker.exited;
  };
  beforeEach(async () => {
    keep('new', userPrompt('s1', CWD, 'POISON', { prompt_id: 'p1' }), Date.now());
    keep('summary', stop('s1', CWD, CART, { prompt_id: 'p1' }), Date.now() + 1);
    const { deaths, status } = await startUntilAlive('die');
    expect({ deaths, ...status.queue }).toMatchObject({ deaths: 2, quarantined: 2 });
    for (const worker of workers) await end(worker);
  });

  test('by chance is observed by one that lives', async () => {
    startWorker('live', 50);
    const status = await until(async () => {
      const status = await readStatus();
      return status?.queue.quarantined === 0 && status.queue.depth === 0 ? status : null;
    });
    expect(status.summaries).toBe(1);
  });

  test('is tried once more, then set aside for good', async () => {
    await startWorker('die', 50).exited;
    const { deaths, status } = await startUntilAlive('die');
    expect({ deaths, ...status.queue }).toMatchObject({ deaths: 0, quarantined: 2 });
    for (const worker of workers) await end(worker);
    const db = openStore(paths.database);
    expect(retrySetAside(db)).toBe(false);
    db.close();
  });
});

test('what two workers were killed at by chance is stored by one that lives', async () => {
  const folder = join(paths.spool, 'bad');
  mkdirSync(folder, { recursive: true });
  keep('save', bash('s', CWD, 'ls', 'ok', { tool_use_id: 'toolu_1' }), 1_700_000_000_000);
  const [name = ''] = readdirSync(paths.spool).filter((file) => file.endsWith('.json'));
  copyFileSync(join(paths.spool, name), join(folder, name.replace('.json', '.try2.json')));
  copyFileSync(join(paths.spool, name), join(folder, 'other.try3.json'));
  rmSync(join(paths.spool, name));
  const taken: string[] = [];
  const take = async ({ id }: { id: string }) => taken.push(id);
  const quiet = () => undefined;
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  const drain = new Spool({ folder: paths.spool, take, log, clock: Date.now, isOurs: () => true, stableMs: 5 });
  await until(() => taken.length === 1);
  await until(() => readdirSync(folder).length === 1);
  drain.close();
  expect(readdirSync(folder)).toEqual(['other.try3.json']);
});
