// A repository must not be able to run its code, or set our environment, by what lies in the folder a hook starts in.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sessionStart } from '../support/payloads.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

const ROOT = join(import.meta.dir, '../..');

let sandbox: Sandbox;
let folder: string;
beforeEach(() => {
  sandbox = createSandbox();
  folder = sandbox.project('hostile');
  writeFileSync(join(folder, 'bunfig.toml'), 'preload = ["./evil.ts"]\n');
  writeFileSync(
    join(folder, 'evil.ts'),
    `require('node:fs').writeFileSync(${JSON.stringify(join(folder, 'ran'))}, 'x');`,
  );
  writeFileSync(join(folder, '.env'), `CLAUDE_MEM_DATA_DIR=${join(folder, 'data')}\nCLAUDE_MEM_CONTEXT_TOKENS=100\n`);
});
afterEach(() => sandbox.dispose());

async function runThere(args: string[], stdin = ''): Promise<number> {
  const env = { ...sandbox.env, PATH: process.env.PATH ?? '' };
  const child = Bun.spawn(args, { cwd: folder, env, stdin: new Blob([stdin]), stdout: 'ignore', stderr: 'ignore' });
  return child.exited;
}

const expectUntouched = () => {
  expect(existsSync(join(folder, 'ran'))).toBe(false);
  expect(existsSync(join(folder, 'data'))).toBe(false);
};

test('the trap is real: Bun started there without care runs it', async () => {
  await runThere([process.execPath, '-e', '0']);
  expect(existsSync(join(folder, 'ran'))).toBe(true);
});

test('a hook as the plugin registers it, and the worker it starts, are untouched', async () => {
  const { hooks } = JSON.parse(readFileSync(join(ROOT, 'plugin/hooks/hooks.json'), 'utf8'));
  const { command, args } = hooks.SessionStart[0].hooks[0];
  const resolved = [command, ...args].map((part: string) =>
    part.replaceAll(`\${CLAUDE_PLUGIN_ROOT}`, join(ROOT, 'plugin')),
  );
  expect(await runThere(resolved, JSON.stringify(sessionStart('s', folder)))).toBe(0);
  await until(() => sandbox.workerPid());
  expectUntouched();
  expect(existsSync(sandbox.paths.database)).toBe(true);
});

test('the command line is untouched', async () => {
  expect(await runThere(['node', join(ROOT, 'bin/claude-mem.mjs'), 'start'])).toBe(0);
  expectUntouched();
  expect(await sandbox.workerPid()).not.toBeNull();
});

test.each(['~/hostile/.mem', '$HOME/./hostile/.mem', '$HOME/x/../hostile//.mem/', 'relative/.mem'])(
  'a data dir in the repository is not taken, however it is spelled: %s',
  async (spelled) => {
    const inside = spelled.replace('$HOME', sandbox.home);
    Object.assign(sandbox.env, { CLAUDE_PROJECT_DIR: folder, CLAUDE_MEM_DATA_DIR: inside });
    await sandbox.hook('context', sessionStart('s', folder));
    Object.assign(sandbox.env, { CLAUDE_PROJECT_DIR: '', CLAUDE_MEM_DATA_DIR: '' });
    expect(existsSync(sandbox.paths.dataDir)).toBe(true);
    expect(existsSync(join(folder, '.mem'))).toBe(false);
  },
);
