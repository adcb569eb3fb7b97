// README's first commands, literally, in a fresh clone and an empty HOME. In the full tier npm installs everything.
import { expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { outsideEnvironment } from '../../scripts/outside-environment.ts';

const ROOT = join(import.meta.dir, '../..');
const IS_FULL = Boolean(process.env.CLAUDE_MEM_TEST_FULL);
const [, block = ''] = /```sh\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, 'README.md'), 'utf8')) ?? [];
const [tryIt = '', testIt = ''] = block.trim().split('\n');

test('begins with two commands', () => {
  expect(tryIt).toBe('npm install && npx claude-mem demo');
  expect(testIt).toBe('npm test');
});

/** A fresh clone beside an empty HOME; what `line` printed there. */
async function createClone() {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'claude-mem clone, größer $HOME-')));
  const [home, clone, own] = [join(scratch, 'home'), join(scratch, 'clone'), homedir()];
  mkdirSync(home);
  // Packages come from where the person's own npm gets them.
  const npm = { npm_config_userconfig: join(own, '.npmrc'), npm_config_cache: join(own, '.npm'), npm_config_update_notifier: 'false' };
  const env = { ...outsideEnvironment(), ...npm, HOME: home };
  Bun.spawnSync(['git', 'clone', '-q', ROOT, clone], { env });
  const run = async (line: string) => {
    const child = Bun.spawn(['/bin/sh', '-c', line], { cwd: clone, env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
    const [printed, said, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    if (code !== 0) throw new Error(`${line} ended with ${code}: ${printed}${said}`);
    return printed;
  };
  return { home, clone, run, [Symbol.dispose]: () => rmSync(scratch, { recursive: true, force: true }) };
}

test('in a clone npx runs our own demo, and HOME stays empty', async () => {
  using fresh = await createClone();
  const [install = '', demo = ''] = tryIt.split(' && ');
  expect(install).toBe('npm install');
  // What that makes is here already.
  for (const made of ['node_modules', 'dist']) symlinkSync(join(ROOT, made), join(fresh.clone, made));
  expect(await fresh.run(demo)).toContain('0 times in the memory');
  expect(readdirSync(fresh.home, { recursive: true })).toEqual([]);
}, 120_000);

test.skipIf(!IS_FULL)(
  'shows the demo and runs the tests of a fresh clone, and HOME stays empty',
  async () => {
    using fresh = await createClone();
    expect(await fresh.run(tryIt)).toContain('0 times in the memory');
    expect(readdirSync(fresh.home, { recursive: true })).toEqual([]);
    // All of them would run this one again.
    expect(await fresh.run(`${testIt} -- demo-week`)).toMatch(/\d passed, 0 failed/);
  },
  1_200_000,
);
