// F4: the disk is full while the memory is migrated, copied, repaired, imported into, rebuilt or indexed: that is said, nothing is lost, and it works
// once there is room.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listCopies, makeCopy } from '../../src/backup/copies.ts';
import type { Paths } from '../../src/paths.ts';
import { ordinarySession } from '../support/claude-lines.ts';
import { compareDumps, type Dump, dumpStore, fillStore, judgeRepair, readPageUse, writePage } from '../support/damaged-store.ts';
import { holdCopy } from '../support/held-copy.ts';
import { bash, nextId } from '../support/payloads.ts';
import { reportFault } from '../support/report-fault.ts';
import { createSandbox, type Run, type Sandbox } from '../support/sandbox.ts';
import { createSmallDisk, type SmallDisk, whyNoDisk } from '../support/small-disk.ts';
import { toLines } from '../support/transcript.ts';
import { until } from '../support/until.ts';

const IS_FULL = Boolean(process.env.CLAUDE_MEM_TEST_FULL);
const OLD_STORE = join(import.meta.dir, '../fixtures/store-0.1.0/data');
const SAYS_FULL = /disk is (nearly )?full|no space left/i;

let store: Paths;
let before: Dump;
let disk: SmallDisk;
let sandbox: Sandbox;
let since: number;

/** Puts a store onto the disk. */
function bring(dataDir: string): void {
  cpSync(dataDir, sandbox.paths.dataDir, { recursive: true, filter: (path) => !/\.(sock|lock)$/.test(path) });
  chmodSync(sandbox.paths.dataDir, 0o700);
}

function report(step: string, { lost = 0, silent = 0 }): void {
  reportFault({ fault: `F4 ${step}`, runs: 1, lost, twice: 0, silent, since });
  expect({ step, lost, silent }).toEqual({ step, lost: 0, silent: 0 });
}

describe.skipIf(whyNoDisk !== null)('a full disk', () => {
  beforeAll(async () => {
    store = await fillStore(4);
    before = dumpStore(store.database);
  });
  afterAll(() => rmSync(store.dataDir, { recursive: true, force: true }));
  beforeEach(() => {
    disk = createSmallDisk({ kind: 'ext4', megabytes: 48 });
    sandbox = createSandbox({ within: disk.folder });
    since = performance.now();
  });
  afterEach(async () => {
    disk.empty();
    await sandbox.dispose();
    disk.dispose();
  });

  test.each(IS_FULL ? [0, 50, 200, 500, 1000, 2000] : [200])('with %d KB left while the schema is changed', async (kilobytes) => {
    bring(OLD_STORE);
    const titles = () => sandbox.query<{ title: string }>('SELECT title FROM observations ORDER BY id').map(({ title }) => title);
    const old = titles();
    disk.fill(kilobytes * 1000);
    const { stdout, stderr } = await sandbox.cli('start');
    const said = stdout + stderr + (await sandbox.cli('status')).stdout;
    const silent = SAYS_FULL.test(said) ? 0 : 1;
    disk.empty();
    await until(async () => (await sandbox.cli('start')).code === 0);
    expect(sandbox.query('PRAGMA quick_check')).toEqual([{ quick_check: 'ok' }]);
    const now = titles();
    report('migration', { lost: old.filter((title) => !now.includes(title)).length, silent });
  });

  test('while a backup is made', async () => {
    bring(store.dataDir);
    const why = await holdCopy(sandbox.paths, disk.fill);
    expect(why).toMatch(/was given up\. .* must be free in .* Make room there/);
    expect(readdirSync(sandbox.paths.backups)).toEqual([]);
    disk.empty();
    await makeCopy(sandbox.paths);
    expect(compareDumps(before, dumpStore(listCopies(sandbox.paths)[0]?.path ?? ''))).toEqual({ lost: new Map(), changed: [] });
  });

  test('while a damaged memory is repaired: it stays as it was', async () => {
    bring(store.dataDir);
    const { database, dataDir } = sandbox.paths;
    const [page = 0, use = { table: '', mostRows: 0 }] =
      [...readPageUse(database)].find(([, { table }]) => table === 'events_of_turn') ?? [];
    writePage(database, page, (bytes) => bytes.fill(0));
    const damaged = readFileSync(database);
    disk.fill();
    const { code, stderr } = await sandbox.cli('repair');
    expect(code).toBe(1);
    expect(readFileSync(database).equals(damaged)).toBe(true);
    expect(readdirSync(dataDir).filter((name) => /fresh|swap/.test(name))).toEqual([]);
    disk.empty();
    expect((await sandbox.cli('repair')).code).toBe(0);
    const { lost, amiss } = judgeRepair(before, database, use, false);
    expect(amiss).toEqual([]);
    report('repair', { lost, silent: SAYS_FULL.test(stderr) ? 0 : 1 });
  });

  test.each(IS_FULL ? [0, 100, 300] : [0])(
    'with %d KB left while transcripts are imported, memories rebuilt and vectors made',
    async (kilobytes) => {
      bring(store.dataDir);
      writeFileSync(sandbox.paths.config, JSON.stringify({ embedder: 'static' }), { mode: 0o600 });
      await Bun.write(
        join(sandbox.home, '.claude/projects/-home-dev-shop/11111111-2222-4333-8444-555555555555.jsonl'),
        toLines(ordinarySession()),
      );
      await sandbox.startWorker();
      await fillBehindBallast(kilobytes * 1000);
      // Who asks for vectors is told after ten seconds that they do not get on.
      const commands = [['import', '--yes'], ['rebuild'], ...(IS_FULL && kilobytes === 0 ? [['reindex']] : [])];
      let silent = 0;
      const runs: Run[] = [];
      for (const command of commands) runs.push(await sandbox.cli(...command));
      if (kilobytes === 0) expect(runs.map(({ code }) => code)).toEqual(commands.map(() => 1));
      silent += runs.filter(({ code, stdout, stderr }) => code !== 0 && !SAYS_FULL.test(stdout + stderr)).length;
      const { problems, health } = await sandbox.status();
      if (health !== 'degraded' || !SAYS_FULL.test(problems.join())) silent++;
      // A rebuild makes the first again, as many as there were, by other ids; the second are what was to be done or said once.
      const isOwn = (table: string) => table !== 'replacements' && table !== 'notices';
      const listLost = () => [...compareDumps(before, dumpStore(sandbox.paths.database)).lost].filter(([table]) => isOwn(table));
      expect(listLost()).toEqual([]);
      disk.empty();
      await until(async () => (await sandbox.status()).facts.isFull === false);
      for (const command of commands) expect({ command, code: (await sandbox.cli(...command)).code }).toEqual({ command, code: 0 });
      expect(
        sandbox.query("SELECT 1 FROM prompts p JOIN sessions s ON s.id = p.session_id WHERE host_session_id LIKE '11111111%'"),
      ).toHaveLength(4);
      expect(sandbox.query('SELECT count(*) AS n FROM replacements')).toEqual([{ n: before.get('replacements')?.size }]);
      report('import, rebuild, index', { lost: listLost().reduce((sum, [, count]) => sum + count, 0), silent });
    },
  );
});

/** The worker gives its ballast up for what it keeps next: then that is filled, too. */
async function fillBehindBallast(leftBytes: number): Promise<void> {
  const ballast = () => (existsSync(sandbox.paths.ballast) ? readdirSync(sandbox.paths.ballast).length : 0);
  await until(() => ballast() === 8);
  disk.fill();
  await until(async () => {
    await sandbox.hook('save', bash('s', sandbox.home, 'ls', 'ok', { tool_use_id: nextId('toolu') }));
    return ballast() === 0;
  });
  disk.fill(leftBytes);
}
