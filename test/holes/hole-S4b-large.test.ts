// hole-S4b: a repository with very many files among its objects made the hooks of every project wait.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { provesWork, readFirstCommit } from '../../src/git/proof.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';

let sandbox: Sandbox;
beforeAll(() => {
  sandbox = createSandbox();
});
afterAll(() => sandbox.dispose());

function git(cwd: string, ...args: string[]): string {
  const env = { PATH: '/usr/bin:/bin', HOME: sandbox.home, GIT_CONFIG_NOSYSTEM: '1' };
  const done = Bun.spawnSync(['git', '-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd, env });
  if (done.exitCode !== 0) throw new Error(done.stderr.toString());
  return done.stdout.toString().trim();
}

function repository(name: string): string {
  const root = sandbox.project(name);
  git(root, 'init', '-q', '-b', 'main');
  git(root, 'commit', '-q', '--allow-empty', '-m', 'first');
  return root;
}

test('hole-S4b: a folder of objects that is larger than git makes it proves nothing, and is not read to its end', async () => {
  const root = repository('many');
  const head = git(root, 'rev-parse', 'HEAD');
  expect([await provesWork(root, [head]), await readFirstCommit(root)]).toEqual([true, head]);
  const pack = join(root, '.git/objects/pack');
  mkdirSync(pack, { recursive: true });
  for (let at = 0; at < 20_001; at++) writeFileSync(join(pack, `x${at}`), '');
  expect([await provesWork(root, [head]), await readFirstCommit(root)]).toEqual([false, null]);
});
