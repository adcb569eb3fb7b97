import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { userPrompt } from '../support/payloads.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

describe('claude-mem reindex', () => {
  let sandbox: Sandbox;
  beforeEach(() => {
    sandbox = createSandbox();
  });
  afterEach(() => sandbox.dispose());

  test('rebuilds the index in the worker, watches it, and status tells of it', async () => {
    await sandbox.startWorker();
    await sandbox.hook('new', userPrompt('s', sandbox.project('shop'), 'Show the tax on every invoice'));
    const status = async () => (await sandbox.cli('status')).stdout;
    await until(async () => /search +1 memories, vectors 1 static, 1 minilm$/m.test(await status()), 60_000);
    const { stdout, code } = await sandbox.cli('reindex');
    expect(code).toBe(0);
    expect(stdout).toEndWith('Done: 1 memories, vectors 1 static, 1 minilm\n');
    const answer = JSON.parse((await sandbox.cli('reindex', '--json')).stdout);
    expect(answer).toMatchObject({ embedder: 'minilm', job: { step: expect.any(String) } });
  }, 120_000);

  test('that fails says why, ends with 1, and can be called again', async () => {
    await sandbox.startWorker();
    await sandbox.hook('new', userPrompt('s', sandbox.project('shop'), 'Show the tax on every invoice'));
    await until(async () => /1 minilm$/m.test((await sandbox.cli('status')).stdout), 60_000);
    await sandbox.cli('stop');
    const notes = 'my own notes '.repeat(20);
    rmSync(sandbox.paths.indexDatabase);
    writeFileSync(sandbox.paths.indexDatabase, notes);
    const { stderr, code } = await sandbox.cli('reindex');
    expect([code, stderr]).toEqual([1, expect.stringContaining('is not an index of claude-mem. It was left as it is.')]);
    expect(readFileSync(sandbox.paths.indexDatabase, 'utf8')).toBe(notes);
    rmSync(sandbox.paths.indexDatabase);
    expect((await sandbox.cli('reindex', '--words')).stdout).toEndWith('Done: 1 memories, vectors 1 static, 1 minilm\n');
  }, 120_000);
});
