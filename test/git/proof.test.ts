// What proves that a repository holds the work of a project, and what does not, though git itself would believe it.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { provesWork, readFirstCommit } from '../../src/git/proof.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'cmem-proof-')));
afterAll(() => rmSync(folder, { recursive: true }));

function git(cwd: string, ...args: string[]): string {
  const env = { PATH: '/usr/bin:/bin', HOME: folder, GIT_CONFIG_NOSYSTEM: '1', GIT_ALLOW_PROTOCOL: 'file' };
  const done = Bun.spawnSync(['git', '-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd, env });
  if (done.exitCode !== 0) throw new Error(`${args.join(' ')}: ${done.stderr}`);
  return done.stdout.toString().trim();
}
const commit = (cwd: string, message: string) => git(cwd, 'commit', '-q', '--allow-empty', '-m', message);

let known: { root: string; first: string; head: string };
beforeAll(() => {
  const root = make('known');
  // Bytes that are no UTF-8 count as they are.
  git(root, '-c', 'i18n.commitEncoding=latin1', 'commit', '-q', '--allow-empty', '-m', 'zwei \u00e4 und mehr');
  known = { root, first: git(root, 'rev-list', '--max-parents=0', 'HEAD'), head: git(root, 'rev-parse', 'HEAD') };
});

function make(name: string): string {
  const root = join(folder, name);
  mkdirSync(root);
  git(root, 'init', '-q', '-b', 'main');
  commit(root, `first of ${name}`);
  return root;
}
const clone = (name: string, ...options: string[]) => {
  git(folder, 'clone', '-q', ...options, known.root, name);
  return join(folder, name);
};
const isAncestor = (root: string, hash: string) => {
  git(root, 'merge-base', '--is-ancestor', hash, 'HEAD');
  return true;
};

describe('proves it', () => {
  test('a clone, packed or not, ahead or not, by the first commit or the last', async () => {
    const copy = clone('copy');
    expect(await provesWork(copy, [known.head])).toBe(true);
    commit(copy, 'ahead');
    git(copy, 'gc', '-q');
    git(copy, 'commit-graph', 'write', '--reachable');
    for (const hash of [known.head, known.first]) expect(await provesWork(copy, [hash])).toBe(true);
    expect(await provesWork(copy, ['0'.repeat(40), known.first])).toBe(true);
    git(copy, 'reset', '-q', '--hard', known.first);
    expect(await provesWork(copy, [known.first])).toBe(true);
    expect(await provesWork(copy, [known.head])).toBe(false);
  });
  test('also with hashes of the other kind', async () => {
    const root = join(folder, 'sha256');
    mkdirSync(root);
    git(root, 'init', '-q', '--object-format=sha256');
    commit(root, 'first');
    const hash = git(root, 'rev-parse', 'HEAD');
    commit(root, 'second');
    expect(await provesWork(root, [hash])).toBe(true);
  });
});

describe('proves nothing', () => {
  test('another history, none, or nothing that is known', async () => {
    const other = make('other');
    expect(await provesWork(other, [known.first, known.head])).toBe(false);
    expect(await provesWork(other, [])).toBe(false);
    expect(await provesWork(other, ['--all', '', 'HEAD'])).toBe(false);
    expect(await provesWork(join(folder, 'nowhere'), [known.first])).toBe(false);
  });
  test('a commit that is there and leads nowhere', async () => {
    const other = make('beside');
    git(other, 'fetch', '-q', known.root, 'main');
    expect(git(other, 'cat-file', '-t', known.first)).toBe('commit');
    expect(await provesWork(other, [known.first, known.head])).toBe(false);
  });
  test('a shallow clone', async () => {
    const root = join(folder, 'shallow');
    git(folder, 'clone', '-q', '--depth', '1', `file://${known.root}`, root);
    expect(isAncestor(root, known.head)).toBe(true);
    expect(await provesWork(root, [known.head])).toBe(false);
  });
  test('other bytes under the name of the commit, also as its first one', async () => {
    const evil = make('renamed');
    const path = (hash: string) => join(evil, '.git/objects', hash.slice(0, 2), hash.slice(2));
    const own = git(evil, 'rev-parse', 'HEAD');
    mkdirSync(dirname(path(known.first)), { recursive: true });
    cpSync(path(own), path(known.first));
    const child = git(evil, 'commit-tree', '-p', known.first, '-m', 'child', git(evil, 'write-tree'));
    writeFileSync(join(evil, '.git/refs/heads/main'), `${child}\n`);
    // Git walks on by the name alone.
    expect(git(evil, 'rev-list', 'HEAD')).toContain(known.first);
    expect(await provesWork(evil, [known.first])).toBe(false);
    expect(await readFirstCommit(evil)).toBeNull();
  });
  test('a replacement for it, and a graft', async () => {
    const evil = make('replaced');
    git(evil, 'update-ref', `refs/replace/${known.first}`, 'HEAD');
    expect(await provesWork(evil, [known.first])).toBe(false);
    const grafted = clone('grafted');
    writeFileSync(join(grafted, '.git/info/grafts'), `${known.head}\n`);
    expect(await provesWork(grafted, [known.head])).toBe(false);
  });
  test('the objects of another repository, by reference or by a link', async () => {
    const shared = clone('shared', '--shared');
    expect(isAncestor(shared, known.first)).toBe(true);
    expect(await provesWork(shared, [known.first])).toBe(false);
    const linked = make('linked');
    rmSync(join(linked, '.git/objects'), { recursive: true });
    symlinkSync(join(known.root, '.git/objects'), join(linked, '.git/objects'));
    writeFileSync(join(linked, '.git/refs/heads/main'), `${known.head}\n`);
    expect(isAncestor(linked, known.first)).toBe(true);
    expect(await provesWork(linked, [known.first])).toBe(false);
    const packed = clone('packs');
    git(packed, 'gc', '-q');
    const evil = make('linked-packs');
    rmSync(join(evil, '.git/objects/pack'), { recursive: true });
    symlinkSync(join(packed, '.git/objects/pack'), join(evil, '.git/objects/pack'));
    writeFileSync(join(evil, '.git/refs/heads/main'), `${known.head}\n`);
    expect(isAncestor(evil, known.first)).toBe(true);
    expect(await provesWork(evil, [known.first])).toBe(false);
  });
  test('a history with a hole in it', async () => {
    const evil = clone('hole');
    commit(evil, 'ahead');
    rmSync(join(evil, '.git/objects'), { recursive: true });
    mkdirSync(join(evil, '.git/objects'));
    expect(await provesWork(evil, [known.first, known.head])).toBe(false);
  });
});
