import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { findEarlierNames } from '../../src/git/renames.ts';
import { createTestRepository, type TestRepository } from '../support/repository.ts';

const BODY = Array.from({ length: 30 }, (_, line) => `const line${line} = ${line};`).join('\n');

let repository: TestRepository;
let root: string;
beforeEach(() => {
  repository = createTestRepository();
  ({ root } = repository);
  repository.write('a.ts', BODY);
  repository.commit('one');
});
afterEach(() => repository.close());

function move(from: string, to: string, text = BODY): void {
  repository.remove(from);
  repository.write(to, text);
  repository.commit(`${from} to ${to}`);
}

describe('the earlier names of a file', () => {
  test('are all of them, the latest first', async () => {
    move('a.ts', 'lib/b.ts');
    repository.write('lib/b.ts', `${BODY}\n// more`);
    repository.commit('two');
    move('lib/b.ts', 'src/größe c.ts', `${BODY}\n// more`);
    expect(await findEarlierNames({ root, path: 'src/größe c.ts' })).toEqual(['lib/b.ts', 'a.ts']);
    expect(await findEarlierNames({ root, path: 'lib/b.ts' })).toEqual(['a.ts']);
  });

  test('are none for a file that always had its name, that git does not know, or outside', async () => {
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
      repository.write(`old ${name}`, `${BODY}\n${name}\n${name.repeat(40)}`);
      repository.commit('one');
      move(`old ${name}`, name, `${BODY}\n${name}\n${name.repeat(40)}`);
      expect(await findEarlierNames({ root, path: name })).toEqual([`old ${name}`]);
    }
  });

  test('are what was found by the deadline', async () => {
    move('a.ts', 'b.ts');
    expect(await findEarlierNames({ root, path: 'b.ts', deadlineMs: 0 })).toEqual([]);
  });
});

test('the environment of whoever asks does not lead git astray', async () => {
  move('a.ts', 'b.ts');
  const script = `
    import { findEarlierNames } from ${JSON.stringify(`${import.meta.dir}/../../src/git/renames.ts`)};
    console.log(JSON.stringify(await findEarlierNames({ root: ${JSON.stringify(root)}, path: 'b.ts' })));`;
  const env = { GIT_DIR: '/nowhere', GIT_WORK_TREE: '/', GIT_EXTERNAL_DIFF: '/bin/false', PATH: root };
  const run = Bun.spawnSync([process.execPath, '-e', script], { env });
  expect(run.stdout.toString()).toBe('["a.ts"]\n');
});
