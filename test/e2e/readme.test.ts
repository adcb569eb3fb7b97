// README's first commands, literally, in a fresh clone and an empty HOME. Only in the full tier npm fetches and builds it all.
import { expect, test } from 'bun:test';
import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
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
  const PATH = [join(scratch, 'global/bin'), dirname(await claudeBinary()), process.env.PATH].join(':');
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

test('every command of the first screen: demo, tests, install, uninstall; HOME is as it was, byte for byte', async () => {
  using fresh = await createClone();
  // What that makes is here already, but for the full tier.
  if (IS_FULL) await fresh.run(tryIt.split(' && ')[0] ?? '');
  else {
    symlinkSync(join(ROOT, 'node_modules'), join(fresh.clone, 'node_modules'));
    cpSync(join(ROOT, 'dist'), join(fresh.clone, 'dist'), { recursive: true });
  }
  expect(await fresh.run(tryIt.split(' && ')[1] ?? '')).toContain('0 times in the memory');
  // All of them would run this one again.
  expect(await fresh.run(`${testIt} -- test/paths.test.ts`)).toMatch(/\d passed, 0 failed/);
  expect(readdirSync(fresh.home, { recursive: true })).toEqual([]);

  writeSettings(fresh.home);
  const before = listBytes(fresh.home);
  const installed = await fresh.run(installIt);
  expect(installed).toContain('Registered it');
  if (Bun.which('man')) expect(await fresh.run('man -w claude-mem')).toEndWith('/claude-mem.1\n');
  expect(await fresh.run('claude-mem doctor || true')).toMatch(/^ok\tcommand\t/m);
  expect(await fresh.run('claude-mem install')).toStartWith('All is in place already');
  const { code, stdout } = await runAtTerminal(['claude-mem', 'uninstall'], fresh.env);
  // The doctor's look began a memory.
  expect([code, stdout]).toEqual([0, expect.stringContaining('Your memories stay in')]);
  rmSync(join(fresh.home, '.claude-mem'), { recursive: true });
  expect(listBytes(fresh.home)).toEqual(before);
}, 1_800_000);

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
