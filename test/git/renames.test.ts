import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findEarlierNames } from '../../src/git/renames.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'cmem-git-')));
  git('init', '-q', '-b', 'main');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const USER = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b.c', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b.c' };

function git(...args: string[]): void {
  const run = Bun.spawnSync(['git', ...args], {
    cwd: root,
    env: { ...USER, PATH: '/usr/bin:/bin', GIT_CONFIG_GLOBAL: '/dev/null', HOME: root },
  });
  if (run.exitCode !== 0) throw new Error(`git ${args.join(' ')}: ${run.stderr}`);
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function commit(message: string): void {
  git('add', '-A');
  git('commit', '-q', '-m', message);
}

const BODY = Array.from({ length: 30 }, (_, line) => `const line${line} = ${line};`).join('\n');

function move(from: string, to: string, text = BODY): void {
  rmSync(join(root, from));
  write(to, text);
  commit(`${from} to ${to}`);
}

describe('the earlier names of a file', () => {
  test('are all of them, the latest first', async () => {
    write('a.ts', BODY);
    commit('one');
    move('a.ts', 'lib/b.ts');
    write('lib/b.ts', `${BODY}\n// more`);
    commit('two');
    move('lib/b.ts', 'src/größe c.ts', `${BODY}\n// more`);
    expect(await findEarlierNames({ root, path: 'src/größe c.ts' })).toEqual(['lib/b.ts', 'a.ts']);
    expect(await findEarlierNames({ root, path: 'lib/b.ts' })).toEqual(['a.ts']);
  });

  test('are none for a file that always had its name, that git does not know, or outside', async () => {
    write('a.ts', BODY);
    commit('one');
    for (const path of ['a.ts', 'none.ts', '', '../x', '/etc/passwd', '--output=/tmp/x', ':(glob)**', 'x\0y']) {
      expect(await findEarlierNames({ root, path })).toEqual([]);
    }
  });

  test('are none without a repository', async () => {
    rmSync(join(root, '.git'), { recursive: true });
    expect(await findEarlierNames({ root, path: 'a.ts' })).toEqual([]);
    expect(await findEarlierNames({ root: join(root, 'gone'), path: 'a.ts' })).toEqual([]);
  });

  test('of a name that looks like an option or a pattern are of this file alone', async () => {
    for (const name of ['--all', ':(top)x', '*.ts', '-z']) {
      write(`old ${name}`, `${BODY}\n${name}\n${name.repeat(40)}`);
      commit('one');
      move(`old ${name}`, name, `${BODY}\n${name}\n${name.repeat(40)}`);
      expect(await findEarlierNames({ root, path: name })).toEqual([`old ${name}`]);
    }
  });

  test('are what was found by the deadline', async () => {
    write('a.ts', BODY);
    commit('one');
    move('a.ts', 'b.ts');
    expect(await findEarlierNames({ root, path: 'b.ts', deadlineMs: 0 })).toEqual([]);
  });
});

test('a hostile repository gets nothing run', async () => {
  const trap = join(root, 'trap.sh');
  const mark = join(root, 'SPRUNG');
  write('trap.sh', `#!/bin/sh\ntouch ${mark}\n`);
  chmodSync(trap, 0o755);
  write('a.ts', BODY);
  write('.gitattributes', '* diff=evil filter=evil merge=evil\n');
  commit('one');
  git('checkout', '-q', '-b', 'side');
  move('a.ts', 'b.ts');
  git('checkout', '-q', 'main');
  write('c.ts', 'x');
  commit('other');
  git('merge', '-q', '--no-ff', '-m', 'merge', 'side');
  const settings = [
    ...['core.fsmonitor', 'core.pager', 'pager.log', 'core.editor', 'core.sshCommand', 'core.askPass'],
    ...['core.alternateRefsCommand', 'core.gitProxy', 'diff.external', 'diff.evil.command', 'diff.evil.textconv'],
    ...['filter.evil.clean', 'filter.evil.smudge', 'filter.evil.process', 'merge.evil.driver', 'credential.helper'],
    ...['gpg.program', 'gpg.ssh.program', 'uploadpack.packObjectsHook', 'interactive.diffFilter'],
    ...['trace2.eventTarget', 'sequence.editor', 'remote.origin.uploadpack', 'remote.origin.vcs'],
  ];
  for (const name of settings) git('config', name, trap);
  git('config', 'alias.log', `!${trap}`);
  git('config', 'log.showSignature', 'true');
  git('config', 'log.diffMerges', 'remerge');
  git('config', 'core.hooksPath', root);
  git('config', 'core.useBuiltinFSMonitor', 'true');
  git('config', 'extensions.partialClone', 'origin');
  git('config', 'remote.origin.url', `ext::${trap}`);
  git('config', 'remote.origin.promisor', 'true');
  git('config', 'protocol.ext.allow', 'always');
  for (const hook of ['post-index-change', 'reference-transaction', 'fsmonitor-watchman']) write(hook, `#!/bin/sh\ntouch ${mark}\n`);
  rmSync(mark, { force: true });
  expect(await findEarlierNames({ root, path: 'b.ts' })).toEqual(['a.ts']);
  expect(existsSync(mark)).toBe(false);
});

test('the environment of whoever asks does not lead git astray', async () => {
  write('a.ts', BODY);
  commit('one');
  move('a.ts', 'b.ts');
  const script = `
    import { findEarlierNames } from ${JSON.stringify(`${import.meta.dir}/../../src/git/renames.ts`)};
    console.log(JSON.stringify(await findEarlierNames({ root: ${JSON.stringify(root)}, path: 'b.ts' })));`;
  const env = { GIT_DIR: '/nowhere', GIT_WORK_TREE: '/', GIT_EXTERNAL_DIFF: '/bin/false', PATH: root };
  const run = Bun.spawnSync([process.execPath, '-e', script], { env });
  expect(run.stdout.toString()).toBe('["a.ts"]\n');
});
