import { describe, expect, test } from 'bun:test';
import { createPathMatcher } from '../../src/core/project.ts';
import { cpuMs } from '../support/cpu-time.ts';

const ROOT = '/home/dev/shop';
const HOME = '/home/dev';
const matches = (pattern: string, path: string, root = ROOT) => createPathMatcher([pattern], HOME)(path, root);

describe('a pattern names', () => {
  test.each([
    ['secrets/**', `${ROOT}/secrets/prod.env`],
    ['secrets/**', `${ROOT}/secrets/deep/er/prod.env`],
    ['secrets/**', `${ROOT}/secrets`],
    ['secrets/', `${ROOT}/packages/a/secrets/x`],
    ['secrets', `${ROOT}/packages/a/secrets/x`],
    ['*.pem', `${ROOT}/a/b/key.pem`],
    ['*.pem', '/etc/ssl/key.pem'],
    ['*.pem', `${ROOT}/KEY.PEM`],
    ['~/private/**', '/home/dev/private/a/b.txt'],
    ['~/private', '/home/dev/private'],
    ['/srv/data', '/srv/data/x/y'],
    ['config/*.env', `${ROOT}/config/prod.env`],
    ['./.env', `${ROOT}/.env`],
    ['.env*', `${ROOT}/api/.env.local`],
    ['**/fixtures/**/raw', `${ROOT}/a/fixtures/b/c/raw/one.json`],
    ['a/**/z', `${ROOT}/a/z`],
    ['key?.txt', `${ROOT}/key1.txt`],
    ['key[0-9].txt', `${ROOT}/key7.txt`],
    ['key[!0-9].txt', `${ROOT}/keyA.txt`],
    ['\\*.txt', `${ROOT}/*.txt`],
    ['a[b.txt', `${ROOT}/a[b.txt`],
    ['geheim*', `${ROOT}/Geheimnis.txt`],
    ['caf\u00e9', `${ROOT}/cafe\u0301/x`],
    ['secrets/**', `${ROOT}/src/../secrets/x`],
    ['/', '/any/thing'],
  ])('%s: %s', (pattern, path) => {
    expect(matches(pattern, path)).toBe(true);
  });
});

describe('a pattern does not name', () => {
  test.each([
    ['secrets/**', `${ROOT}/src/secrets/x`],
    ['secrets/**', `${ROOT}/secrets-of-success.md`],
    ['secrets/**', '/elsewhere/secrets/x'],
    // The root's own name is not in it.
    ['shop', `${ROOT}/src/a.ts`],
    ['*.pem', `${ROOT}/key.pem.md`],
    ['~/private/**', '/home/other/private/a'],
    ['/srv/data', '/srv/database'],
    ['config/*.env', `${ROOT}/config/deep/prod.env`],
    ['./.env', `${ROOT}/api/.env`],
    ['key?.txt', `${ROOT}/key.txt`],
    ['key[0-9].txt', `${ROOT}/keya.txt`],
    ['\\*.txt', `${ROOT}/a.txt`],
    ['a/**/z', `${ROOT}/a/b`],
    ['secrets/**', `${ROOT}/secrets/../src/x`],
  ])('%s: %s', (pattern, path) => {
    expect(matches(pattern, path)).toBe(false);
  });
});

test('hostile patterns take no longer than their length allows', () => {
  const hostile = [
    `${'*a'.repeat(120)}b`,
    `${'**/a*/'.repeat(60)}b`,
    `${'*'.repeat(400)}b`,
    `${'[!a-z]*'.repeat(60)}`,
    '['.repeat(400),
    '\\'.repeat(401),
  ];
  const path = `${ROOT}/${'a/'.repeat(400)}${'a'.repeat(2000)}`;
  const match = createPathMatcher(hostile, HOME);
  expect(match(path, ROOT)).toBe(false);
  expect(cpuMs(() => match(path, ROOT))).toBeLessThan(500);
});
