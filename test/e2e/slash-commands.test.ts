// The commands of the plugin, /mem:…, in the real Claude Code: what they make of what the person typed, and what they may run.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findPackage, placePlugin } from '../../src/cli/install/plugin-folder.ts';
import { textOf } from './mock-request.ts';
import { createSandbox, type Sandbox, TEST_TIMEOUT_MS } from './sandbox.ts';

setDefaultTimeout(TEST_TIMEOUT_MS);

let sandbox: Sandbox;
let repo: string;
beforeAll(async () => {
  sandbox = await createSandbox();
  repo = sandbox.makeRepo('work/shop');
  const remember = { name: 'mcp__plugin_mem_claude-mem__remember', input: { text: 'Releases are cut on Tuesdays', type: 'decision' } };
  sandbox.mock.scripts.set('keep', [{ tools: [remember] }, { text: 'Kept.' }]);
  sandbox.mock.scripts.set('ok', [{ text: 'Understood.' }]);
});
afterAll(() => sandbox.close());

test('remember keeps it without asking for leave, status shows it, why gives the reasons', async () => {
  const turns = [
    '/mem:remember Releases are cut on Tuesdays [[mock:keep]]',
    '/mem:status [[mock:ok]]',
    '/mem:why on Tuesdays? [[mock:ok]]',
  ];
  // Of a person who allowed nothing beforehand.
  const { requests, exitCode, stderr } = await sandbox.run({ cwd: repo, turns, allowedTools: [] });
  expect([exitCode, stderr]).toEqual([0, '']);
  const [, kept = '', status = '', why = ''] = requests.map(textOf);
  expect(kept).toContain('Remembered as #1');
  expect(status).toMatch(/worker +running, pid \d+/);
  expect(status).toContain('1 observation');
  expect(why).toMatch(/<claude-mem-context id="[0-9a-f]{8}">[\s\S]*Releases are cut on Tuesdays[\s\S]*<\/claude-mem-context>/);
  expect(why).toContain('on Tuesdays?');
});

test('none of them runs anything of what was typed', async () => {
  const typed = '!`touch pwned` `touch pwned` $(touch pwned) "; touch pwned; \' touch pwned';
  const turns = ['search', 'remember', 'forget', 'why', 'status'].map((name) => `/mem:${name} ${typed} [[mock:ok]]`);
  const { requests } = await sandbox.run({ cwd: repo, turns, allowedTools: [] });
  expect(requests).toHaveLength(turns.length);
  for (const request of requests) expect(textOf(request)).toContain('$(touch pwned)');
  expect(existsSync(join(repo, 'pwned'))).toBe(false);
});

test('status works where it is installed, whatever the folder is called', async () => {
  const folder = join(sandbox.home, `it's a $HOME "of" ours`, 'plugin');
  placePlugin(folder, findPackage());
  const [request] = (await sandbox.run({ cwd: repo, turns: ['/mem:status [[mock:ok]]'], pluginDir: join(folder, 'mem'), allowedTools: [] }))
    .requests;
  expect(textOf(request ?? expect.unreachable('nothing reached the model'))).toMatch(/worker +(?:running, pid \d+|not running)/);
});
