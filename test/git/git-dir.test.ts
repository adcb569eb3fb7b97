// Which `.git` is followed: as git would, and only where what it names agrees. Real repositories, laid out in every way there is.
import { afterAll, describe, expect, test } from 'bun:test';
import {
  chownSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identifyProject, readBranch } from '../../src/git/identity.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'cmem-dirs-')));
afterAll(() => rmSync(folder, { recursive: true }));

const REMOTE = 'git@forge.test:acme/private.git';
const KEY = 'forge.test/acme/private';

function git(cwd: string, ...args: string[]): void {
  const env = { PATH: '/usr/bin:/bin', HOME: folder, GIT_CONFIG_NOSYSTEM: '1', GIT_ALLOW_PROTOCOL: 'file' };
  const done = Bun.spawnSync(['git', '-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd, env });
  if (done.exitCode !== 0) throw new Error(done.stderr.toString());
}

let count = 0;
const place = (name: string): string => {
  const path = join(folder, `${++count}`, name);
  mkdirSync(path, { recursive: true });
  return path;
};

function repository(name = 'private'): string {
  const path = place(name);
  git(path, 'init', '-q', '-b', 'main');
  git(path, 'commit', '-q', '--allow-empty', '-m', 'first');
  git(path, 'remote', 'add', 'origin', REMOTE);
  return path;
}

const plain = (root: string) => ({ key: root, root, remote: null, isPlain: true as const });

describe('a project', () => {
  test('is the root of the repository, from any folder inside, and not another of the same name', () => {
    const root = repository('shop');
    git(root, 'remote', 'remove', 'origin');
    mkdirSync(join(root, 'src/deep'), { recursive: true });
    expect(identifyProject(join(root, 'src/deep'))).toEqual({ key: root, name: 'shop', root, remote: null, bornAt: expect.any(Number) });
  });

  test.each(['git@forge.test:Acme/Private.git', 'https://user:pw@forge.test/acme/private/'])('is known by its remote: %s', (remote) => {
    const root = repository('other');
    git(root, 'remote', 'set-url', 'origin', remote);
    expect(identifyProject(root).key).toBe(KEY);
  });

  test('without git is the folder itself, through links, and of one that is gone its path', () => {
    const folderHere = place('plain');
    symlinkSync(folderHere, `${folderHere}-link`);
    expect(identifyProject(`${folderHere}-link`)).toMatchObject({ key: folderHere, name: 'plain' });
    expect(readBranch(folderHere)).toBeNull();
    expect(identifyProject('/home/dev/gone')).toMatchObject({ key: '/home/dev/gone', name: 'gone' });
  });
});

describe('is followed', () => {
  test('a work tree, also by a relative path, and after it was moved by git', () => {
    const root = repository();
    const tree = join(folder, `${count}`, 'tree');
    git(root, 'worktree', 'add', '-q', tree);
    expect(identifyProject(tree)).toMatchObject({ key: KEY, name: 'private', root: tree, mainRoot: root });
    expect(readBranch(tree)).toBe('tree');
    git(root, 'worktree', 'move', tree, `${tree}-moved`);
    expect(identifyProject(`${tree}-moved`)).toMatchObject({ key: KEY, root: `${tree}-moved` });
    writeFileSync(`${tree}-moved/.git`, 'gitdir: ../private/.git/worktrees/tree\n');
    expect(identifyProject(`${tree}-moved`)).toMatchObject({ key: KEY, mainRoot: root });
  });

  test('a submodule, as a project of its own, and its sparse one', () => {
    const [inner, outer] = [repository('inner'), repository('outer')];
    git(outer, 'submodule', '--quiet', 'add', inner, 'lib');
    git(join(outer, 'lib'), 'remote', 'set-url', 'origin', 'https://forge.test/acme/inner');
    expect(identifyProject(join(outer, 'lib'))).toMatchObject({ key: 'forge.test/acme/inner', root: join(outer, 'lib') });
    git(join(outer, 'lib'), 'sparse-checkout', 'set', 'src');
    expect(identifyProject(join(outer, 'lib')).key).toBe('forge.test/acme/inner');
  });

  test('the work trees of a bare repository, and the folder that holds it', () => {
    const root = repository();
    const holder = place('holder');
    git(holder, 'clone', '-q', '--bare', root, '.bare');
    git(join(holder, '.bare'), 'remote', 'set-url', 'origin', REMOTE);
    writeFileSync(join(holder, '.git'), 'gitdir: ./.bare\n');
    git(join(holder, '.bare'), 'worktree', 'add', '-q', join(holder, 'tree'), 'main');
    expect(identifyProject(join(holder, 'tree'))).toMatchObject({ key: KEY });
    expect(identifyProject(holder)).toMatchObject({ key: KEY, root: holder });
  });

  test('not a folder called .git that is no repository: the one above counts', () => {
    const root = repository();
    mkdirSync(join(root, 'fixtures/.git'), { recursive: true });
    expect(identifyProject(join(root, 'fixtures'))).toMatchObject({ key: KEY, root });
  });
});

describe('is a plain folder', () => {
  const writeLink = (evil: string, target: string) => writeFileSync(join(evil, '.git'), `gitdir: ${target}\n`);
  const CLAIMS: [string, (evil: string, victim: string) => void][] = [
    ['a file that names the repository of another folder', (evil, victim) => writeLink(evil, `${victim}/.git`)],
    ['one that names the place of another work tree', (evil, victim) => writeLink(evil, `${victim}/.git/worktrees/tree`)],
    [
      'one that names such a place by a link',
      (evil, victim) => {
        symlinkSync(`${victim}/.git`, join(evil, 'inner'));
        writeLink(evil, 'inner');
      },
    ],
    ['a link to the repository of another folder', (evil, victim) => symlinkSync(`${victim}/.git`, join(evil, '.git'))],
    [
      'a repository that names another one as its own',
      (evil, victim) => {
        git(evil, 'init', '-q');
        writeFileSync(join(evil, '.git/commondir'), `${victim}/.git\n`);
      },
    ],
    [
      'a place for a work tree that nobody has made',
      (evil, victim) => {
        const admin = join(evil, 'worktrees/x');
        mkdirSync(admin, { recursive: true });
        const files = { HEAD: 'ref: refs/heads/main', commondir: `${victim}/.git`, gitdir: `${evil}/.git` };
        for (const [name, text] of Object.entries(files)) writeFileSync(join(admin, name), `${text}\n`);
        writeLink(evil, admin);
      },
    ],
  ];
  test.each(CLAIMS)('%s, also from a folder inside', (_, write) => {
    const victim = repository();
    git(victim, 'worktree', 'add', '-q', join(folder, `${count}`, 'tree'));
    const evil = place('evil');
    write(evil, victim);
    mkdirSync(join(evil, 'src'));
    for (const cwd of [evil, join(evil, 'src')]) expect(identifyProject(cwd)).toMatchObject(plain(evil));
  });
  test('a submodule of another folder', () => {
    const [inner, outer, evil] = [repository('inner'), repository('outer'), place('evil')];
    git(outer, 'submodule', '--quiet', 'add', inner, 'lib');
    writeFileSync(join(evil, '.git'), `gitdir: ${outer}/.git/modules/lib\n`);
    expect(identifyProject(evil)).toMatchObject(plain(evil));
  });
  test.each(['gitdir: /nowhere\n', 'gitdir:', 'nonsense', '', 'x\ngitdir: /etc\n', 'gitdir: a\nb\n'])(
    'with %j in its file, also inside of a repository',
    (text) => {
      const inside = join(repository(), 'inside');
      mkdirSync(inside);
      writeFileSync(join(inside, '.git'), text);
      expect(identifyProject(inside)).toMatchObject(plain(inside));
    },
  );
  test('with a file of a gigabyte', () => {
    const evil = place('evil');
    writeFileSync(join(evil, '.git'), 'gitdir: /x\n');
    truncateSync(join(evil, '.git'), 1024 ** 3);
    expect(identifyProject(evil)).toMatchObject(plain(evil));
  });
});

/** Only root can make such files, and somebody may have told git that all folders are safe. */
const canTell = process.getuid?.() === 0 && Bun.spawnSync(['git', 'config', '--get-all', 'safe.directory']).stdout.length === 0;

describe.skipIf(!canTell)('is not followed: what another user owns', () => {
  const OTHER = 4242;
  test('a repository above the folder, which then counts by its own path', () => {
    const root = repository();
    mkdirSync(join(root, 'mine/src'), { recursive: true });
    for (const path of [root, join(root, '.git')]) chownSync(path, OTHER, OTHER);
    expect(identifyProject(join(root, 'mine/src'))).toMatchObject(plain(join(root, 'mine/src')));
  });
  test.each([
    ['.git', (root: string) => chownSync(join(root, '.git'), OTHER, OTHER)],
    ['the work tree', (root: string) => chownSync(root, OTHER, OTHER)],
  ])('%s alone', (_, give) => {
    const root = repository();
    give(root);
    expect(identifyProject(root)).toMatchObject(plain(root));
  });
  test('the file of a work tree, its place, or its repository', () => {
    const root = repository();
    const tree = join(folder, `${count}`, 'tree');
    git(root, 'worktree', 'add', '-q', tree);
    for (const path of [`${tree}/.git`, `${root}/.git/worktrees/tree`, `${root}/.git`]) {
      lchownSync(path, OTHER, OTHER);
      expect(identifyProject(tree)).toMatchObject(plain(tree));
      lchownSync(path, 0, 0);
      expect(identifyProject(tree).key).toBe(KEY);
    }
  });
});

describe('the remote', () => {
  const withConfig = (text: string) => {
    const root = repository();
    writeFileSync(join(root, '.git/config'), text);
    return identifyProject(root).remote;
  };
  test.each([
    ['[remote "upstream"]\nurl = https://forge.test/up/x\n[remote "origin"]\nurl = https://forge.test/own/x\n', 'forge.test/own/x'],
    ['[remote "upstream"]\nurl = https://forge.test/up/x\n', 'forge.test/up/x'],
    ['[remote "origin"]\nurl = https://forge.test/a/b\nurl = https://forge.test/c/d\n', 'forge.test/a/b'],
    ['[remote "origin"]\nurl = "https://evil.test?@forge.test/a/b"\n', null],
    ['[remote "origin"]\n# url = https://forge.test/a/b\n', null],
    // As git reads its settings.
    ['# x\n; y\n[REMOTE "origin"] URL = https://forge.test/a/b ; here', 'forge.test/a/b'],
    ['\uFEFF[remote "origin"]\r\nurl = "https://forge.test/a"/b\r\n', 'forge.test/a/b'],
    ['[remote "origin"]\nurl = https://forge.test/\\\na/b\n[remote "Origin"]\nurl = https://forge.test/c/d\n', 'forge.test/a/b'],
    ['[remote.origin]\nurl =\nurl = https://forge.test/a/b\n', 'forge.test/a/b'],
    ['[url "https://forge.test/a\\"b/"]\ninsteadOf = f:\n[remote "origin"]\nurl = f:c\n', 'forge.test/a"b/c'],
    ['[remote "origin"]\nurl = https://forge.test/a/b\nwrong = \\q\n', null],
    ['[remote "origin"]\nurl = https://forge.test/a/b\n1url = x\n', null],
    ['[remote "origin]\nurl = https://forge.test/a/b\n', null],
    ['garbage\0[remote "origin"]\nurl = https://forge.test/a/b\n', null],
    ['[branch "x"]\nurl = https://forge.test/a/b\n', null],
    ['[remote "origin"]\nurl = https://forge.test/a/b\n[url "https://evil.test/"]\ninsteadOf = https://forge.test/\n', 'evil.test/a/b'],
    ['[remote "origin"]\nurl = f:a/b\n[url "https://forge.test/"]\ninsteadof = f:\n', 'forge.test/a/b'],
    ['[remote "origin"]\nurl = https://forge.test/a/b\nbroken "\n', null],
  ])('of %j is %p', (text, expected) => {
    expect(withConfig(text)).toBe(expected);
  });
  test('is not read from a file that is included, nor from one that is no file or far too large', () => {
    const root = repository();
    renameSync(join(root, '.git/config'), join(root, '.git/other'));
    writeFileSync(join(root, '.git/config'), '[include]\npath = other\n');
    expect(identifyProject(root).remote).toBeNull();
    rmSync(join(root, '.git/config'));
    Bun.spawnSync(['mkfifo', join(root, '.git/config')]);
    expect(identifyProject(root).remote).toBeNull();
    rmSync(join(root, '.git/config'));
    renameSync(join(root, '.git/other'), join(root, '.git/config'));
    expect(readFileSync(join(root, '.git/config'), 'utf8')).toContain('forge.test');
    expect(identifyProject(root).remote).toBe(KEY);
    truncateSync(join(root, '.git/config'), 1024 ** 3);
    expect(identifyProject(root).remote).toBeNull();
  });
});
