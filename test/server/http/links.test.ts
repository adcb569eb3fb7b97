// One-time codes: good once, not for long, not many, and not to be guessed.
import { beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLinks, type Links, SESSION_LINK_MS, VIEWER_LINK_MS } from '../../../src/server/http/links.ts';

let now: number;
let links: Links;
let file: string;
beforeEach(() => {
  now = 1_000_000;
  file = join(mkdtempSync(join(tmpdir(), 'cmem-links-')), 'viewer.links');
  links = createLinks({ clock: () => now, file });
});
const mint = (ttlMs = VIEWER_LINK_MS) => links.mint(ttlMs).code;

test('a code is good once', () => {
  const code = mint();
  expect(code).toMatch(/^[\w-]{22}$/);
  for (let n = 0; n < 1000; n += 1) expect(links.redeem(`wrong ${n}`)).toBe(false);
  expect(links.redeem(code)).toBe(true);
  expect(links.redeem(code)).toBe(false);
});

test.each([
  ['the viewer', VIEWER_LINK_MS, 10 * 60_000],
  ["a session's start", SESSION_LINK_MS, 12 * 3_600_000],
])('a code for %s ends in time', (_, ttlMs, expected) => {
  const { code, expiresAt } = links.mint(ttlMs);
  const late = mint(ttlMs);
  expect(expiresAt).toBe(now + expected);
  now += expected - 1;
  expect(links.redeem(code)).toBe(true);
  now += 1;
  expect(links.redeem(late)).toBe(false);
});

test('of more than a hundred the oldest is dropped', () => {
  const [first = '', second = ''] = [mint(), mint()];
  for (let n = 0; n < 99; n += 1) mint();
  expect(links.redeem(first)).toBe(false);
  expect(links.redeem(second)).toBe(true);
});

test('those that ended make room before a good one is dropped', () => {
  const long = mint(SESSION_LINK_MS);
  for (let n = 0; n < 99; n += 1) mint(1000);
  now += 2000;
  mint();
  expect(links.redeem(long)).toBe(true);
});

test('none is worth anything after all were cleared', () => {
  const code = mint();
  links.clear();
  expect(links.redeem(code)).toBe(false);
});

test('a link outlives its worker, once, and its code is written nowhere', () => {
  const [used, open] = [mint(), mint(SESSION_LINK_MS)];
  links.redeem(used);
  links.keep();
  expect(readFileSync(file, 'utf8')).not.toContain(open);
  const next = createLinks({ clock: () => now, file });
  expect(next.redeem(used)).toBe(false);
  expect(next.redeem(open)).toBe(true);
  // Killed now: what was used is worth nothing to the one after it.
  expect(createLinks({ clock: () => now, file }).redeem(open)).toBe(false);
});
