import { describe, expect, test } from 'bun:test';
import { findPart } from '../../src/core/path-match.ts';
import { rankLabel, wholeKeyOf } from '../../src/core/project.ts';

describe('a folder of a repository is a project of its own', () => {
  test.each([
    ['/r/packages/a', ['packages/*'], 'packages/a'],
    ['/r/packages/a/src/deep', ['packages/*'], 'packages/a'],
    ['/r/packages/a', ['/packages/*/'], 'packages/a'],
    ['/r/packages/a', ['./packages/a'], 'packages/a'],
    ['/r/packages', ['packages/*'], null],
    ['/r', ['packages/*', '*'], null],
    ['/r/apps/web/x', ['apps/web'], 'apps/web'],
    ['/r/apps/website', ['apps/web'], null],
    // From the root on: no pattern names a folder however deep.
    ['/r/libs/web', ['web'], null],
    ['/r/packages/a/plugins/b/src', ['packages/*', 'packages/*/plugins/*'], 'packages/a/plugins/b'],
    ['/r/x/services/b/src', ['**/services/*'], 'x/services/b'],
    ['/elsewhere/packages/a', ['packages/*'], null],
    ['/r2/packages/a', ['packages/*'], null],
    ['/r/packages/a', ['../packages/*', '['], null],
    ['/r/packages/a', [], null],
  ])('%s by %j is %p', (folder, patterns, part) => {
    expect(findPart(folder, '/r', patterns)).toBe(part);
  });
});

test.each([
  ['forge.test/a/b#packages/a', '/r', 'forge.test/a/b'],
  ['/r#packages/a', '/r', '/r'],
  ['/r#packages/c#', '/r', '/r'],
  ['/main#packages/a', '/other-work-tree', '/main'],
  ['forge.test/a/b', '/r', null],
  ['/dev/c#/app', '/dev/c#/app', null],
  ['/dev/c#/app#packages/a', '/dev/c#/app', '/dev/c#/app'],
])('the repository of %s in %s is %p', (key, root, whole) => {
  expect(wholeKeyOf({ key, root })).toBe(whole);
});

test('settings know a project by what it went by before, after all that it goes by now', () => {
  const names = { key: 'forge.test/a/b', name: 'b', root: '/r', others: ['/old', 'forge.test/x/b', 'former'] };
  const ranks = ['/r', 'https://forge.test/a/b.git', 'B', '/old', 'git@forge.test:X/b', 'Former', '/OLD', 'other'];
  expect(ranks.map((label) => rankLabel(label, names))).toEqual([5, 3, 2, 1, 1, 1, 0, 0]);
});
