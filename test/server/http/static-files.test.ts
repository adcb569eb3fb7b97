// The files of the viewer: from memory, packed for those who want it, and nothing else of the disk.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createStaticFiles } from '../../../src/server/http/static-files.ts';
import { bodyOf, openTestServer, statusOf, type TestServer, write } from '../../support/web-server.ts';

let door: TestServer;
beforeAll(async () => {
  door = await openTestServer();
});
afterAll(() => door.close());
const ask = (path: string, init: RequestInit = {}) => fetch(`${door.server.address}${path}`, init);

test('every page is the one document, and needs no token', async () => {
  for (const path of ['/', '/?x=1', '/index.html', '/view/', '/view/search?query=x', '/view/session/abc']) {
    const response = await ask(path);
    expect([path, response.status]).toEqual([path, 200]);
    expect(response.headers.get('content-type')).toBe('text/html;charset=utf-8');
    expect(await response.text()).toContain('<title>viewer</title>');
  }
});

test('a file comes packed to those who take it so', async () => {
  const plain = await ask('/assets/app.js', { headers: { 'Accept-Encoding': 'identity' } });
  expect(plain.headers.get('content-encoding')).toBeNull();
  expect(plain.headers.get('content-type')).toBe('text/javascript;charset=utf-8');
  const packed = await ask('/assets/app.js', { headers: { 'Accept-Encoding': 'gzip' } });
  expect(Number(packed.headers.get('content-length'))).toBeLessThan(Number(plain.headers.get('content-length')));
  expect(await packed.text()).toBe(await plain.text());
});

test('HEAD says how long it is and sends nothing', async () => {
  const headers = [`Host: 127.0.0.1:${door.port}`, 'Connection: close'];
  const answer = await door.raw(write('HEAD /assets/app.js', headers));
  expect(statusOf(answer)).toBe(200);
  expect(answer).toMatch(/content-length: 1300\r/i);
  expect(bodyOf(answer)).toBe('');
});

test('only GET and HEAD are for files', async () => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    expect((await ask('/index.html', { method })).status).toBe(401);
  }
  expect(door.reached).toEqual([]);
});

test('what is not among the files is asked of the app, which wants the token', async () => {
  for (const path of ['/assets/none.js', '/assets/', '/token', '/sessions/7/status', '/viewer', '/package.json']) {
    expect([path, (await ask(path)).status]).toEqual([path, 401]);
  }
});

test('a viewer that was not built says how to build it', async () => {
  const response = createStaticFiles('/nowhere').answer('/', { acceptsGzip: true });
  expect(response.status).toBe(503);
  expect(await response.text()).toContain('npm run prepare');
});
