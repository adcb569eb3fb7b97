import { expect, test } from 'bun:test';
import { settingsFor } from '../../src/core/project.ts';

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

test('a project without settings of its own has the very same ones', () => {
  expect(settingsFor(base, shop)).toBe(base);
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
