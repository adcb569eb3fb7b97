// README's first commands, literally, in a fresh clone and an empty HOME. In the full tier npm installs everything.
import { expect, test } from 'bun:test';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { outsideEnvironment } from '../../scripts/outside-environment.ts';
import { runAtTerminal } from '../support/sandbox.ts';
import { claudeBinary } from './claude-binary.ts';

const ROOT = join(import.meta.dir, '../..');
const IS_FULL = Boolean(process.env.CLAUDE_MEM_TEST_FULL);
const shownIn = (page: string) =>
  [...readFileSync(join(ROOT, page), 'utf8').matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block.trim());
const [first = '', installIt = ''] = shownIn('README.md');
const [tryIt = '', testIt = ''] = first.split('\n');

test('begins with two commands, then the one that installs', () => {
  expect(tryIt).toBe('npm install && npx claude-mem demo');
  expect(testIt).toBe('npm test');
  expect(installIt).toBe('npm install --global . && claude-mem install');
  expect(shownIn('docs/install.md')[0]).toBe(`npm install && ${installIt}`);
});

/** A fresh clone beside an empty HOME; what `line` printed there. Global packages go beside it, and the real Claude Code is on the PATH. */
async function createClone() {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'claude-mem clone, größer $HOME-')));
  const [home, clone, own] = [join(scratch, 'home'), join(scratch, 'clone'), homedir()];
  mkdirSync(home);
  // Packages come from where the person's own npm gets them.
  const npm = { npm_config_userconfig: join(own, '.npmrc'), npm_config_cache: join(own, '.npm'), npm_config_update_notifier: 'false' };
  const claude = IS_FULL ? dirname(await claudeBinary()) : '';
  const PATH = [join(scratch, 'global/bin'), claude, process.env.PATH].filter(Boolean).join(':');
  const env = { ...outsideEnvironment(), ...npm, npm_config_prefix: join(scratch, 'global'), HOME: home, PATH, TERM: 'xterm' };
  Bun.spawnSync(['git', 'clone', '-q', ROOT, clone], { env });
  const run = async (line: string) => {
    const child = Bun.spawn(['/bin/sh', '-c', line], { cwd: clone, env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
    const [printed, said, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    if (code !== 0) throw new Error(`${line} ended with ${code}: ${printed}${said}`);
    return printed;
  };
  return { home, clone, env, run, [Symbol.dispose]: () => rmSync(scratch, { recursive: true, force: true }) };
}

// The demo itself is test/cli/demo.test.ts.
test('in a clone npx runs our own program, and HOME stays empty', async () => {
  using fresh = await createClone();
  const [install = '', demo = ''] = tryIt.split(' && ');
  expect(install).toBe('npm install');
  // What that makes is here already.
  for (const made of ['node_modules', 'dist']) symlinkSync(join(ROOT, made), join(fresh.clone, made));
  expect(demo).toBe('npx claude-mem demo');
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(await fresh.run('npx claude-mem version')).toStartWith(`claude-mem ${version} (`);
  expect(readdirSync(fresh.home, { recursive: true })).toEqual([]);
}, 300_000);

test.skipIf(!IS_FULL)(
  'every command of the first screen, in a fresh clone: demo, tests, install, uninstall; HOME is as it was, byte for byte',
  async () => {
    using fresh = await createClone();
    expect(await fresh.run(tryIt)).toContain('0 times in the memory');
    // All of them would run this one again.
    expect(await fresh.run(`${testIt} -- demo-week`)).toMatch(/\d passed, 0 failed/);
    expect(readdirSync(fresh.home, { recursive: true })).toEqual([]);

    writeSettings(fresh.home);
    const before = listBytes(fresh.home);
    const installed = await fresh.run(installIt);
    expect(installed).toContain('Registered it');
    expect(await fresh.run('claude-mem doctor || true')).toMatch(/^ok\tcommand\t/m);
    expect(await fresh.run('claude-mem install')).toStartWith('All is in place already');
    const { code, stdout } = await runAtTerminal(['claude-mem', 'uninstall'], fresh.env);
    // The doctor's look began a memory.
    expect([code, stdout]).toEqual([0, expect.stringContaining('Your memories stay in')]);
    rmSync(join(fresh.home, '.claude-mem'), { recursive: true });
    expect(listBytes(fresh.home)).toEqual(before);
  },
  1_800_000,
);

/** Somebody's own, in a form that no program writes. */
function writeSettings(home: string): void {
  mkdirSync(join(home, '.claude'));
  const hooks = { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] };
  writeFileSync(join(home, '.claude/settings.json'), `{"model":\t"opus" ,"hooks":${JSON.stringify(hooks)}}`);
}

const listBytes = (folder: string): string[][] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => [path, lstatSync(join(folder, path)).isFile() ? readFileSync(join(folder, path), 'utf8') : ''])
    .sort();
