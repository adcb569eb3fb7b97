// DK1: the disk has room and no file left to give: the worker goes on, what it cannot keep is counted, and it is said.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bash, nextId } from '../support/payloads.ts';
import { reportFault } from '../support/report-fault.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { createSmallDisk, type SmallDisk, whyNoDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';

const EVENTS = 8;

describe.skipIf(whyNoDisk !== null)('a disk without a file to give', () => {
  let disk: SmallDisk;
  let sandbox: Sandbox;
  beforeEach(() => {
    disk = createSmallDisk({ kind: 'tmpfs', megabytes: 64, files: 200 });
    sandbox = createSandbox({ within: disk.folder });
  });
  afterEach(async () => {
    await sandbox.dispose();
    disk.dispose();
  });

  test('events are stored by the worker that is there, and status names the number of files', async () => {
    const since = performance.now();
    await sandbox.startWorker();
    await until(() => readdirSync(sandbox.paths.dataDir).includes('ballast'));
    const folder = join(disk.folder, 'many');
    mkdirSync(folder);
    const isMade = (name: string) => {
      try {
        writeFileSync(join(folder, name), '');
        return true;
      } catch {
        return false;
      }
    };
    for (let at = 0; isMade(String(at)); at++);
    const ids: string[] = [];
    for (let at = 0; at < EVENTS; at++) {
      const id = nextId('toolu');
      ids.push(id);
      const run = await sandbox.hook('save', bash('s', '/home/dev/shop', `echo ${id}`, 'ok', { tool_use_id: id }));
      expect(run.code).toBe(0);
    }
    const status = await sandbox.status();
    const isSaid = status.problems.some((said: string) => /room for \d+ files free/.test(said));
    rmSync(folder, { recursive: true });
    const stored = sandbox.query<{ id: string }>('SELECT tool_use_id AS id FROM events').map(({ id }) => id);
    const lost = EVENTS - stored.length - status.facts.notKept;
    reportFault({ fault: 'DK1', runs: EVENTS, lost, twice: 0, silent: isSaid ? 0 : 1, since });
    expect({ lost, isSaid, health: status.health }).toEqual({ lost: 0, isSaid: true, health: 'degraded' });
    expect(stored.length).toBe(EVENTS);
  });
});
