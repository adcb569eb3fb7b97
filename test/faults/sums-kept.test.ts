// Whatever empties the log of the database keeps the sums of its pages true: a worker that starts afterwards calls nothing damaged. With the
// built programs, because a part that is loaded later is a bundle with modules of its own.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { comparePages } from '../../src/backup/check.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = createSandbox();
});
afterEach(() => sandbox.dispose());

async function call(method: string, route: string, body?: unknown): Promise<{ id: string }> {
  const unix = sandbox.paths.httpSocket;
  const response = await fetch(`http://localhost${route}`, { unix, method, ...(body ? { body: JSON.stringify(body) } : {}) });
  expect(response.ok).toBe(true);
  return (await response.json()) as { id: string };
}

test.each<[string, (ids: string[]) => Promise<unknown>]>([
  ['memories are forgotten', ([id]) => call('DELETE', `/api/observations/${id}?erase=true`)],
  ['it is compacted', () => sandbox.cli('vacuum')],
])(
  'nothing is damaged after %s',
  async (_, work) => {
    await sandbox.startWorker();
    const cwd = sandbox.project('shop');
    const ids: string[] = [];
    for (let at = 1; at <= 5; at++) {
      const text = `Decision number ${at}: module ${at} is written with library ${at} and tested nightly`;
      ids.push((await call('POST', '/api/memory/save', { text, cwd, type: 'decision' })).id);
    }
    // They are made when there is time.
    await until(() => comparePages(sandbox.paths).total > 20);
    expect(comparePages(sandbox.paths).damaged).toEqual([]);
    await work(ids);
    expect((await sandbox.cli('stop')).code).toBe(0);
    expect(comparePages(sandbox.paths)).toMatchObject({ damaged: [] });
    await sandbox.startWorker();
    expect((await sandbox.cli('status', '--json')).stdout).not.toMatch(/damaged/i);
    const logs = readdirSync(sandbox.paths.logs).map((name) => readFileSync(join(sandbox.paths.logs, name), 'utf8'));
    expect(logs.join('')).not.toContain('is damaged');
  },
  240_000,
);
