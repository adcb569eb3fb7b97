import { afterEach, beforeEach, expect, test } from 'bun:test';
import { renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createTouchedFiles, type TouchedFiles } from '../../src/git/touched.ts';
import { createTestRepository, type TestRepository } from '../support/repository.ts';
import { until } from '../support/until.ts';

let repository: TestRepository;
let touched: TouchedFiles;
beforeEach(() => {
  touched = createTouchedFiles();
  repository = createTestRepository();
});
afterEach(() => repository.close());

test('what is being worked on is what git status shows and what the last commits changed', async () => {
  for (const name of ['old.ts', 'b c.ts', 'größe.ts', 'd.ts', 'e.ts', 'f.ts']) {
    repository.write(name, `const name = '${name}';\n`);
    repository.commit(name);
  }
  repository.write('b c.ts', 'changed');
  repository.write('new/one.ts', 'new');
  repository.git('mv', 'größe.ts', 'small.ts');
  repository.remove('f.ts');
  // On a busy machine git may take longer than it is waited for: then nothing is known yet.
  const { dirty, recent } = await until(async () => {
    const seen = await touched.read(repository.root);
    return seen.dirty.length > 0 && seen.recent.length > 0 ? seen : null;
  });
  expect(dirty.toSorted()).toEqual(['b c.ts', 'f.ts', 'new/', 'small.ts']);
  expect(recent).toEqual(['f.ts', 'e.ts', 'd.ts', 'größe.ts', 'b c.ts']);
});

test('is nothing without git', async () => {
  rmSync(join(repository.root, '.git'), { recursive: true });
  expect(await touched.read(repository.root)).toEqual({ dirty: [], recent: [] });
  expect(await touched.read('/nowhere')).toEqual({ dirty: [], recent: [] });
});

test('git is not asked again while all that it looks at is as it was, and whatever is another is seen', async () => {
  const { root } = repository;
  for (const name of ['a.ts', 'lib/b.ts', '.gitignore']) repository.write(name, name === '.gitignore' ? '*.log\n' : 'one');
  repository.commit('one');
  repository.write('lib/new.ts', 'x');
  const changes: [() => unknown, string[]][] = [
    [() => repository.write('lib/b.ts', 'two'), ['lib/b.ts', 'lib/new.ts']],
    [() => repository.write('lib/c.ts', 'x'), ['lib/b.ts', 'lib/c.ts', 'lib/new.ts']],
    [() => repository.remove('lib/new.ts'), ['lib/b.ts', 'lib/c.ts']],
    [() => repository.remove('a.ts'), ['a.ts', 'lib/b.ts', 'lib/c.ts']],
    [() => repository.write('.gitignore', 'c.ts\n'), ['.gitignore', 'a.ts', 'lib/b.ts']],
    [() => repository.write('lib/.gitignore', 'd.ts\n'), ['.gitignore', 'a.ts', 'lib/.gitignore', 'lib/b.ts']],
    [() => repository.git('add', '-A'), ['.gitignore', 'a.ts', 'lib/.gitignore', 'lib/b.ts']],
    [() => repository.git('commit', '-q', '-m', 'two'), []],
    [() => repository.write('lib/deep/e.ts', 'x'), ['lib/deep/']],
    [() => elsewhere(root, 'lib'), ['lib', 'lib/.gitignore', 'lib/b.ts']],
  ];
  for (const [change, expected] of changes) {
    // What was changed just now could be changed once more in the same moment.
    await until(async () => (await isKnown(root)) || null);
    change();
    const { dirty } = await touched.read(root);
    expect([...new Set(dirty)].toSorted(), String(change)).toEqual(expected.toSorted());
  }
});

/** A link in the place of a folder: git does not look at what lies behind it. */
function elsewhere(root: string, folder: string): void {
  renameSync(join(root, folder), join(root, '.git/moved'));
  symlinkSync(join(root, '.git/moved'), join(root, folder));
}

/** The very same list: git was not asked. */
async function isKnown(root: string): Promise<boolean> {
  const first = await touched.read(root, { isAhead: true });
  const again = await touched.read(root);
  return again.dirty === first.dirty;
}
