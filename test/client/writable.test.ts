import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askWorker } from '../../src/client/api.ts';
import { describeUnwritable } from '../../src/client/writable.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = createSandbox();
});
afterEach(() => sandbox.dispose());

const CLI = join(import.meta.dir, '../../dist/cli.js');
/** To root nothing is read-only, unless it gives that up. */
const AS_ANYBODY = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search', '--inh-caps=-all'] : [];

/** What the command complains of. */
function complain(...args: string[]): string {
  const { env } = sandbox;
  return Bun.spawnSync([...AS_ANYBODY, process.execPath, CLI, ...args], { env }).stderr.toString();
}

test('a data dir that is there, or can be made, is no obstacle', () => {
  expect(describeUnwritable(sandbox.paths)).toBeNull();
  mkdirSync(sandbox.paths.dataDir);
  expect(describeUnwritable(sandbox.paths)).toBeNull();
});

describe('what is in the way of a data dir is named at once', () => {
  beforeEach(() => writeFileSync(sandbox.paths.dataDir, ''));
  afterEach(() => rmSync(sandbox.paths.dataDir));

  test('to a question, which starts nothing', async () => {
    const asked = askWorker(sandbox.paths, '/api/status');
    await expect(asked).rejects.toThrow(/data dir \S+ cannot be written to: \S+ is not a folder\. .*CLAUDE_MEM_DATA_DIR/);
  });

  test.each(['start', 'pause', 'viewer', 'search retry'])('by %s', async (said) => {
    const { stderr, code } = await sandbox.person(...said.split(' '));
    expect({ stderr, code }).toMatchObject({ code: 1, stderr: expect.stringContaining('is not a folder') });
  });

  test('by status', async () => {
    expect((await sandbox.cli('status')).stdout).toContain('none can start. The data dir');
  });
});

describe('a folder that is read-only', () => {
  beforeEach(() => mkdirSync(sandbox.paths.dataDir));
  afterEach(() => chmodSync(sandbox.paths.dataDir, 0o700));

  test.each(['start', 'stop', 'remember this'])('is named by %s', (said) => {
    writeFileSync(sandbox.paths.ownerLock, '');
    chmodSync(sandbox.paths.dataDir, 0o500);
    expect(complain(...said.split(' '))).toMatch(/^The data dir \S+ cannot be written to\. Make it writable/);
  });

  test('holds for a file in it, too', () => {
    writeFileSync(sandbox.paths.database, '', { mode: 0o400 });
    expect(complain('start')).toContain('memory.db is read-only. Make that writable');
  });
});
