// The way in: a link from the socket, its code for the token once, and a new token that ends it all.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { type Api, createApi } from '../../../src/server/http/api.ts';
import type { Links, Token } from '../../../src/server/http/token.ts';
import { workerRoutes } from '../../../src/server/routes/worker.ts';
import { openTestServer, silentLog, type TestServer } from '../../support/web-server.ts';

let door: TestServer;
let api: Api;
let address: string | null;
beforeEach(async () => {
  const token: Partial<Token> = { read: () => door.token.read(), rotate: () => door.token.rotate() };
  const links: Partial<Links> = { mint: (ttlMs) => door.links.mint(ttlMs), redeem: (code) => door.links.redeem(code) };
  api = createApi(workerRoutes({ token, links, address: async () => address } as never), { version: 'test', log: silentLog });
  door = await openTestServer({ app: api.app });
  address = door.server.address;
});
afterEach(() => door.close());

const bySocket = (path: string) => api.app.request(path, { method: 'POST' }, { isTrusted: true });
const exchange = (code: unknown) =>
  fetch(`${address}/api/token/exchange`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ code }),
  });

test('the code of a link becomes the token, once', async () => {
  const link: { url: string; expiresAt: string } = JSON.parse(await (await bySocket('/api/token/link')).text());
  expect(link.url).toMatch(new RegExp(`^${address}/#t=[\\w-]{22}$`));
  expect(Date.parse(link.expiresAt)).toBeGreaterThan(Date.now() + 9 * 60_000);
  const code = link.url.split('#t=')[1];
  const first = await exchange(code);
  expect([first.status, await first.json()]).toEqual([200, { token: door.token.read() }]);
  const second = await exchange(code);
  expect(second.status).toBe(401);
  expect(await second.json()).toEqual({ error: expect.any(String), hint: expect.stringContaining('claude-mem viewer') });
});

test('a code that is none is refused, and so is what is no code', async () => {
  expect((await exchange('AAAAAAAAAAAAAAAAAAAAAA')).status).toBe(401);
  for (const code of ['', 7, null, ['x'], 'x'.repeat(201)]) expect((await exchange(code)).status).toBe(400);
});

test('a code is not taken from another page', async () => {
  const code = door.links.mint(60_000).code;
  const headers = { 'Content-Type': 'application/json', Origin: 'https://evil.example' };
  const body = JSON.stringify({ code });
  expect((await fetch(`${address}/api/token/exchange`, { method: 'POST', headers, body })).status).toBe(403);
  expect(door.links.redeem(code)).toBe(true);
});

test('a new token ends the old one', async () => {
  const old = door.token.read();
  const ask = (token: string) => fetch(`${address}/nothing`, { headers: { Authorization: `Bearer ${token}` } });
  expect((await ask(old)).status).toBe(404);
  expect(await (await bySocket('/api/token/rotate')).json()).toEqual({ address });
  expect((await ask(old)).status).toBe(401);
  expect((await ask(door.token.read())).status).toBe(404);
});

test('without a web door there is no link, and it says why', async () => {
  address = null;
  const response = await bySocket('/api/token/link');
  expect(response.status).toBe(409);
  expect(await response.json()).toEqual({ error: expect.any(String), hint: expect.stringContaining('workerPort') });
});
