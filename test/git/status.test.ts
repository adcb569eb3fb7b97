import { afterEach, beforeEach, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { readTouched } from '../../src/git/renames.ts';
import { createTestRepository, type TestRepository } from '../support/repository.ts';

let repository: TestRepository;
beforeEach(() => {
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
  const { dirty, recent } = await readTouched(repository.root);
  expect(dirty.toSorted()).toEqual(['b c.ts', 'f.ts', 'new/', 'small.ts']);
  expect(recent).toEqual(['f.ts', 'e.ts', 'd.ts', 'größe.ts', 'b c.ts']);
});

test('is nothing without git', async () => {
  rmSync(join(repository.root, '.git'), { recursive: true });
  expect(await readTouched(repository.root)).toEqual({ dirty: [], recent: [] });
  expect(await readTouched('/nowhere')).toEqual({ dirty: [], recent: [] });
});
