// Forgetting, killed at each of its steps: what was to go is there as before, or goes for good when the next worker starts. The kill comes
// when the step is seen from outside, in the database and its files, or after some part of the time that a whole deletion takes.
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { appendFileSync, cpSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeCopy } from '../../src/backup/copies.ts';
import { sendLine } from '../../src/client/send.ts';
import { openStore } from '../../src/store/open.ts';
import { openShelf } from '../support/memories.ts';
import { bash, stop, userPrompt } from '../support/payloads.ts';
import { reportFault } from '../support/report-fault.ts';
import { until } from '../support/until.ts';
import { createTestWorker, type TestWorker } from '../support/worker-app.ts';

const CWD = '/home/dev/shop';
const CANARY = 'zorbliquent';
const MEMORIES = 60;
const OTHERS = 800;
const IS_FULL = Boolean(process.env.CLAUDE_MEM_TEST_FULL);
/** After a random part of the time, besides those at steps that can be seen. */
const RANDOM = IS_FULL ? 20 : 0;

/** Copied for each trial. */
let base: TestWorker;
beforeAll(async () => {
  base = createTestWorker();
  const db = openStore(base.paths.database);
  db.transaction(() => {
    const [long, other] = [openShelf(db, CWD, 'long'), openShelf(db, CWD, 'other')];
    for (let at = 1; at <= OTHERS; at++) other.observe(`Changed the parser of number ${at}`, at, { narrative: `It has zebra${at} now` });
    for (let at = 1; at <= MEMORIES; at++) long.observe(`The ${CANARY} of number ${at} is in`, OTHERS + at);
  }).immediate();
  db.close(true);
  await base.start();
  const more = { prompt_id: 'p1' };
  await base.send('new', userPrompt('long', CWD, `Which ${CANARY} do we take, and which of them not?`, more));
  await base.send('save', bash('long', CWD, `ls ${CANARY}`, `${CANARY}.txt`, { ...more, tool_use_id: 't1' }));
  await base.send('summary', stop('long', CWD, `We decided to use the ${CANARY} of 7 rather than the old one, because it is fast.`, more));
  await base.settle();
  const indexed = async () => (await base.call('GET', '/api/index')).body.models;
  await until(async () => (await indexed())[0]?.waiting === 0);
  await base.stop();
  await makeCopy(base.paths);
  mkdirSync(base.paths.logs, { recursive: true });
  // Those of the last week are kept.
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  appendFileSync(join(base.paths.logs, `worker-${yesterday}.log`), `The ${CANARY} of number 20 is in\nlast line\n`);
});
afterAll(() => base.dispose());

const PROGRAM = join(import.meta.dir, '../../dist/worker.js');

/** In a process of its own, on the data dir of a test worker. Answers hooks and questions when this resolves. */
async function startOutside(worker: TestWorker) {
  const { dataDir, workerSocket } = worker.paths;
  const child = Bun.spawn([process.execPath, PROGRAM], {
    // Bun would write its own files to its HOME.
    env: { HOME: dataDir, PATH: '/usr/bin:/bin', CLAUDE_MEM_DATA_DIR: dataDir, BUN_RUNTIME_TRANSPILER_CACHE_PATH: '0' },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  const isUp = async () => (await sendLine(workerSocket, '{"type":"ping","id":"t"}', 200)).kind === 'answer';
  const isServing = async () => (await worker.call('GET', '/health').catch(() => null))?.status === 200;
  await until(async () => (await isUp()) && (await isServing()));
  return {
    async end(signal: 'SIGKILL' | 'SIGTERM') {
      child.kill(signal);
      await child.exited;
    },
  };
}

type Way = (worker: TestWorker) => Promise<unknown>;
const WAYS: [string, Way][] = [
  [
    'memories by their ids',
    async (worker) => {
      const ids = worker.rows<{ id: number }>(`SELECT id FROM observations WHERE title LIKE '%${CANARY}%'`).map(({ id }) => id);
      const more = worker.rows<{ id: number }>('SELECT id FROM prompts').map(({ id }) => `P${id}`);
      return worker.call('DELETE', `/api/observations/${[...ids, ...more].join(',')}?erase=true&related=true`);
    },
  ],
  ['all that has a text in it', (worker) => worker.call('POST', '/api/memory/erase', { matching: CANARY })],
  ['a session', (worker) => worker.call('POST', '/api/memory/erase', { session: 'long' })],
];

/** What can be seen of a deletion from outside. */
function look({ paths }: TestWorker) {
  const db = new Database(paths.database, { readonly: true });
  // A process that the killed one left may be recovering the log.
  db.run('PRAGMA busy_timeout = 5000');
  const has = (sql: string) => db.query(sql).all().length > 0;
  const isUnder = () => has("SELECT 1 FROM notices WHERE name = 'erasing'");
  const isThere = () => has(`SELECT 1 FROM observations WHERE title LIKE '%${CANARY}%' AND hidden_at IS NULL`);
  const isCopyOpen = () => readdirSync(paths.backups).some((name) => name.endsWith('-wal'));
  return { db, has, isUnder, isThere, isCopyOpen };
}
type Look = ReturnType<typeof look>;

/** Each sees one step; asked again and again. */
const MOMENTS: [string, (seen: Look) => () => boolean][] = [
  ['it is marked', ({ isUnder }) => isUnder],
  [
    'vectors wait to go',
    ({ has }) =>
      () =>
        has('SELECT 1 FROM dropped_documents'),
  ],
  [
    'rows go',
    ({ has, isUnder }) =>
      () =>
        isUnder() && !has(`SELECT 1 FROM observations WHERE title LIKE '%${CANARY} of number 1 %'`),
  ],
  [
    'vectors are gone',
    ({ has, isUnder, isThere }) =>
      () =>
        isUnder() && !isThere() && !has('SELECT 1 FROM dropped_documents'),
  ],
  ['a backup is gone through', ({ isCopyOpen }) => isCopyOpen],
  [
    'backups are done',
    ({ isCopyOpen }) => {
      let wasOpen = false;
      return () => {
        const isOpen = isCopyOpen();
        wasOpen ||= isOpen;
        return wasOpen && !isOpen;
      };
    },
  ],
];

/** A worker of its own is killed at the moment; what is left is told by what the next one makes of it. */
async function killAt(way: Way, moment: (seen: Look) => Promise<void>): Promise<'before' | 'inside' | 'after'> {
  const worker = createTestWorker();
  try {
    cpSync(base.paths.dataDir, worker.paths.dataDir, { recursive: true, filter: (path) => !/\.(sock|lock)$/.test(path) });
    const killed = await startOutside(worker);
    const seen = look(worker);
    const asked = way(worker).catch(() => null);
    await Promise.race([asked, moment(seen)]);
    await killed.end('SIGKILL');
    await asked;
    const where = seen.isUnder() ? 'inside' : seen.isThere() ? 'before' : 'after';
    seen.db.close(true);
    const next = await startOutside(worker);
    await until(() => worker.rows("SELECT 1 FROM notices WHERE name GLOB 'erasing*'").length === 0);
    const count = (like: string) => worker.rows(`SELECT 1 FROM observations WHERE title LIKE '%${like}%'`).length;
    if (where === 'before') expect(count(CANARY)).toBeGreaterThanOrEqual(MEMORIES);
    else expect(worker.filesWith(CANARY)).toEqual([]);
    expect(count('parser')).toBe(OTHERS);
    expect(worker.filesWith('last line')).toHaveLength(1);
    expect(worker.rows('PRAGMA quick_check')).toEqual([{ quick_check: 'ok' }]);
    await next.end('SIGTERM');
    if (where !== 'before') expect(worker.filesWith(CANARY)).toEqual([]);
    return where;
  } finally {
    await worker.dispose();
  }
}

/** Looks all the time: a step may last for milliseconds. */
const untilSeen = (is: (seen: Look) => () => boolean) => async (seen: Look) => {
  const isSeen = is(seen);
  for (const deadline = performance.now() + 20_000; !isSeen() && performance.now() < deadline; ) await Bun.sleep(0);
};

describe.each(WAYS)('%s', (name, way) => {
  const own = WAYS.findIndex(([each]) => each === name);
  // A small run kills each way at steps of its own.
  const moments = MOMENTS.filter((_, at) => IS_FULL || at % WAYS.length === own);
  const steps = moments.map(([step]) => step).join(', ');
  test(`is all there or all gone, killed when ${steps}${RANDOM > 0 ? `, and ${RANDOM} times at random` : ''}`, async () => {
    const started = performance.now();
    const landed: string[] = [];
    for (const [, moment] of moments) landed.push(await killAt(way, untilSeen(moment)));
    const wholeMs = RANDOM > 0 ? await measure(way) : 0;
    for (let at = 0; at < RANDOM; at++) landed.push(await killAt(way, () => Bun.sleep(Math.random() * wholeMs)));
    console.log(`${name}: killed ${landed.join(', ')}`);
    const inside = landed.filter((where) => where === 'inside').length;
    reportFault({ fault: `kill in forget, ${name}`, runs: inside, lost: 0, twice: 0, since: started });
    // One that is seen late, or not at all, may be over.
    expect(inside).toBeGreaterThanOrEqual(moments.length / 2);
  }, 600_000);
});

/** How long it takes when nobody kills it. */
async function measure(way: Way): Promise<number> {
  const worker = createTestWorker();
  cpSync(base.paths.dataDir, worker.paths.dataDir, { recursive: true, filter: (path) => !/\.(sock|lock)$/.test(path) });
  const outside = await startOutside(worker);
  const started = performance.now();
  await way(worker);
  const ms = performance.now() - started;
  expect(worker.filesWith(CANARY)).toEqual([]);
  await outside.end('SIGTERM');
  await worker.dispose();
  return ms;
}
