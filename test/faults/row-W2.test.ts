// W2: the power goes: what was accepted is on the disk, in the database or in the offline queue. The disk is copied as it is at that moment.
import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { bash, nextId } from '../support/payloads.ts';
import { reportFault } from '../support/report-fault.ts';
import { createSandbox } from '../support/sandbox.ts';
import { createSmallDisk, whyNoDisk } from '../support/small-disk.ts';

const CYCLES = process.env.CLAUDE_MEM_TEST_FULL ? 40 : 3;
const EVENTS = 6;
const CWD = '/home/dev/shop';

describe.skipIf(whyNoDisk !== null)('power loss', () => {
  test(`${CYCLES} times, with a worker and without: every accepted event is on the disk`, async () => {
    const since = performance.now();
    const disk = createSmallDisk({ kind: 'ext4', megabytes: 48 });
    const sandbox = createSandbox({ within: disk.folder });
    const ids: string[] = [];
    let lost = 0;
    let twice = 0;
    const give = async () => {
      const id = nextId('toolu');
      const run = await sandbox.hook('save', bash('s', CWD, `echo ${id}`, 'ok', { tool_use_id: id }));
      expect(run.code).toBe(0);
      ids.push(id);
    };
    try {
      for (let cycle = 0; cycle < CYCLES; cycle++) {
        const pid = await sandbox.startWorker();
        for (let at = 0; at < EVENTS; at++) await give();
        process.kill(pid, 'SIGSTOP');
        // Nobody answers: this one goes to the offline queue.
        await give();
        const found = readAfterLoss(disk.image, relative(disk.folder, sandbox.paths.dataDir));
        lost += ids.filter((id) => !found.includes(id)).length;
        twice += found.length - new Set(found).size;
        process.kill(pid, 'SIGKILL');
      }
    } finally {
      await sandbox.dispose();
      disk.dispose();
    }
    reportFault({ fault: 'W2', runs: ids.length, lost, twice, since });
    expect({ lost, twice }).toEqual({ lost: 0, twice: 0 });
  }, 300_000);
});

/** What a machine would find that was switched on again: the tool uses in the database and in the spool. */
function readAfterLoss(image: string, dataDir: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'cmem-after-'));
  const copy = `${folder}.img`;
  Bun.spawnSync(['cp', '--sparse=always', image, copy]);
  expect(Bun.spawnSync(['mount', '-o', 'loop', copy, folder]).exitCode).toBe(0);
  try {
    const db = new Database(join(folder, dataDir, 'memory.db'));
    const rows = db.query<{ id: string }, []>('SELECT tool_use_id AS id FROM events').all();
    expect(db.query('PRAGMA quick_check').get()).toEqual({ quick_check: 'ok' });
    db.close();
    const stored = rows.map(({ id }) => id);
    const spool = join(folder, dataDir, 'spool');
    const names = existsSync(spool) ? readdirSync(spool).filter((name) => name.endsWith('.json')) : [];
    const spooled = names.map((name) => readToolUse(join(spool, name)));
    // Stored, and its file not yet removed: the worker knows it by its id.
    return [...stored, ...spooled.filter((id) => !stored.includes(id))];
  } finally {
    Bun.spawnSync(['umount', folder]);
    rmdirSync(folder);
    rmSync(copy);
  }
}

const readToolUse = (path: string): string => JSON.parse(Bun.spawnSync(['cat', path]).stdout.toString()).payload.tool_use_id;
