import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchStatus } from '../../src/cli/worker-state.ts';
import { findPaths } from '../../src/paths.ts';
import { serveFakeWorker } from '../support/fake-worker.ts';
import { createTestWorker } from '../support/worker-app.ts';

test('a worker of another version, whose status says less, is named with what to do', async () => {
  const worker = createTestWorker();
  const paths = findPaths(mkdtempSync(join(tmpdir(), 'cmem-status-')));
  await worker.start();
  const { silences, ...before } = (await worker.call('GET', '/api/status')).body;
  expect(silences).toEqual([]);
  const old = serveFakeWorker(paths, () => before);
  try {
    await expect(fetchStatus(paths)).rejects.toThrow('Run `claude-mem restart`');
  } finally {
    old.close();
    rmSync(paths.dataDir, { recursive: true });
    await worker.dispose();
  }
});
