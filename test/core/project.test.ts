import { describe, expect, test } from 'bun:test';
import { findPart, normaliseRemote, rankLabel, settingsFor, wholeKeyOf } from '../../src/core/project.ts';
import { readCases } from './cases.ts';

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

test.each(readCases<[string, string | null]>('remotes.jsonl'))('the remote %j is known as %j', (address, expected) => {
  expect(normaliseRemote(address)).toBe(expected);
});

test('an address that is longer than any is no remote', () => {
  expect(normaliseRemote(`https://forge.test/${'a'.repeat(3000)}`)).toBeNull();
});

type Settings = { tokens: number; off: boolean; projects: Record<string, { tokens?: number; off?: boolean }> };

const shop = { key: 'github.com/dev/shop', name: 'shop', root: '/home/dev/shop' };
const base: Settings = { tokens: 1, off: false, projects: {} };

test.each([
  ['nothing is said of it', { blog: { tokens: 9 } }, 1],
  ['by its name, whatever the case', { Shop: { tokens: 2 } }, 2],
  ['its key goes before its name', { 'github.com/dev/shop': { tokens: 3 }, shop: { tokens: 2 } }, 3],
  ['its root goes before both', { '/home/dev/shop': { tokens: 4 }, shop: { tokens: 2 }, 'github.com/dev/shop': { tokens: 3 } }, 4],
  ['its remote as people write it', { 'github.com/Dev/Shop': { tokens: 3 } }, 3],
  ['its remote as git has it', { 'https://github.com/Dev/Shop.git': { tokens: 3 } }, 3],
  ['another folder that differs by a capital', { '/home/dev/Shop': { tokens: 4 } }, 1],
  ['a name of every object is none of a project', { constructor: { tokens: 5 } }, 1],
])('settings of a project: %s', (_, projects, tokens) => {
  expect(settingsFor({ ...base, projects }, shop).tokens).toBe(tokens);
});

test('what a closer name does not say, the other does', () => {
  const projects = { shop: { tokens: 2, off: true }, '/home/dev/shop': { tokens: 4 } };
  expect(settingsFor({ ...base, projects }, shop)).toMatchObject({ tokens: 4, off: true });
});

test('what the root of a repository is told holds in its other work trees, unless they are told otherwise', () => {
  const tree = { ...shop, root: '/home/dev/shop-feature', mainRoot: shop.root };
  const projects = { '/home/dev/shop': { tokens: 4, off: true }, 'github.com/dev/shop': { tokens: 3 } };
  expect(settingsFor({ ...base, projects }, tree)).toMatchObject({ tokens: 4, off: true });
  const own = { ...projects, '/home/dev/shop-feature': { tokens: 5 } };
  expect(settingsFor({ ...base, projects: own }, tree)).toMatchObject({ tokens: 5, off: true });
});

test('a folder without a remote is not another that differs by a capital', () => {
  const plain = { key: '/home/dev/shop', name: 'shop', root: '/home/dev/shop' };
  expect(settingsFor({ ...base, projects: { '/home/Dev/shop': { tokens: 4 } } }, plain).tokens).toBe(1);
});
