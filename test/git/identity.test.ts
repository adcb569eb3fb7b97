import { afterAll, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identifyProject, readBranch } from '../../src/git/identity.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'cmem-git-')));
afterAll(() => rmSync(folder, { recursive: true }));

function git(cwd: string, ...args: string[]): void {
  const env = { PATH: '/usr/bin:/bin', HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };
  const done = Bun.spawnSync(['git', '-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd, env });
  if (done.exitCode !== 0) throw new Error(done.stderr.toString());
}

function repository(name: string): string {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  git(path, 'init', '-q', '-b', 'main');
  git(path, 'commit', '-q', '--allow-empty', '-m', 'first');
  return path;
}

describe('a project', () => {
  test('is the root of the repository, from any folder inside', () => {
    const root = repository('one/shop');
    mkdirSync(join(root, 'src/deep'), { recursive: true });
    expect(identifyProject(join(root, 'src/deep'))).toEqual({ key: root, name: 'shop', root, remote: null, bornAt: expect.any(Number) });
  });

  test('is the same for all worktrees', () => {
    const root = repository('two/shop');
    const tree = join(folder, 'two/shop-feature');
    git(root, 'worktree', 'add', '-q', tree);
    const identity = identifyProject(tree);
    expect(identity.key).toBe(root);
    expect(identity.name).toBe('shop');
    expect(identity.root).toBe(tree);
    expect(identity.mainRoot).toBe(root);
    expect(readBranch(tree)).toBe('shop-feature');
  });

  test('is not the same for two folders of one name', () => {
    expect(identifyProject(repository('a/app')).key).not.toBe(identifyProject(repository('b/app')).key);
  });

  test('is known by its remote, however that is written', () => {
    const [ssh, https] = [repository('c/app'), repository('d/other')];
    git(ssh, 'remote', 'add', 'origin', 'git@forge.test:Team/App.git');
    git(https, 'remote', 'add', 'origin', 'https://user:pw@forge.test/team/app/');
    expect(identifyProject(ssh).key).toBe('forge.test/team/app');
    expect(identifyProject(https).key).toBe('forge.test/team/app');
  });

  test('without git is the folder itself, through links', () => {
    const plain = join(folder, 'plain');
    mkdirSync(plain);
    symlinkSync(plain, join(folder, 'link'));
    expect(identifyProject(join(folder, 'link'))).toMatchObject({ key: plain, name: 'plain' });
    expect(readBranch(plain)).toBeNull();
  });

  test('of a folder that is gone is its path', () => {
    expect(identifyProject('/home/dev/gone')).toMatchObject({ key: '/home/dev/gone', name: 'gone' });
  });
});
