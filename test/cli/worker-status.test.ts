import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchStatus } from '../../src/cli/worker-status.ts';
import { findPaths } from '../../src/paths.ts';
import { serveFakeWorker } from '../support/fake-worker.ts';
import { createTestWorker } from '../support/worker-app.ts';

test('the status of a worker that knows of no silences yet is read', async () => {
  const worker = createTestWorker();
  const paths = findPaths(mkdtempSync(join(tmpdir(), 'cmem-status-')));
  await worker.start();
  const { silences, ...before } = (await worker.call('GET', '/api/status')).body;
  expect(silences).toEqual([]);
  const old = serveFakeWorker(paths, () => before);
  try {
    expect(await fetchStatus(paths)).toMatchObject({ pid: process.pid, silences: [] });
  } finally {
    old.close();
    rmSync(paths.dataDir, { recursive: true });
    await worker.dispose();
  }
});
