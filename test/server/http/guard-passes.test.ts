// What the web door lets through: sound requests as they are, and bodies that are not too large.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { bodyOf, openTestServer, statusOf, type TestServer, write } from '../../support/web-server.ts';

let door: TestServer;
beforeAll(async () => {
  door = await openTestServer();
});
afterAll(() => door.close());
beforeEach(() => {
  door.reached.length = 0;
});

describe('a body', () => {
  const send = (route: string, bytes: number, more: string[] = []) => {
    const headers = [`Host: 127.0.0.1:${door.port}`, `Authorization: Bearer ${door.token.read()}`];
    const all = [...headers, 'Content-Type: application/json', 'Connection: close', ...more];
    return door.raw(write(`POST ${route}`, [...all, `Content-Length: ${bytes}`], 'x'.repeat(bytes)));
  };
  const MB = 1024 * 1024;

  test('may be a megabyte, and sixteen where tools put out', async () => {
    expect(statusOf(await send('/api/memory/save', MB))).toBe(200);
    expect(statusOf(await send('/api/memory/save', MB + 1))).toBe(413);
    expect(statusOf(await send('/sessions/7/observations', 16 * MB))).toBe(200);
    expect(statusOf(await send('/api/sessions/observations', 16 * MB + 1))).toBe(413);
  });

  test('of a caller who has shown nothing is short', async () => {
    const headers = [`Host: 127.0.0.1:${door.port}`, 'Content-Type: application/json', 'Content-Length: 5000'];
    expect(statusOf(await door.raw(write('POST /api/token/exchange', headers, 'x'.repeat(5000))))).toBe(413);
  });

  test('in chunks is counted as it comes', async () => {
    const headers = [`Host: 127.0.0.1:${door.port}`, `Authorization: Bearer ${door.token.read()}`];
    const all = [...headers, 'Content-Type: application/json', 'Transfer-Encoding: chunked'];
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    expect(statusOf(await door.raw(write('POST /api/memory/save', all, `${chunk.repeat(17)}0\r\n\r\n`)))).toBe(413);
    expect(door.reached).toEqual([]);
    const close = [...all, 'Connection: close'];
    expect(statusOf(await door.raw(write('POST /api/memory/save', close, `${chunk}0\r\n\r\n`)))).toBe(200);
  });

  test('of a GET is refused', async () => {
    for (const path of ['/health', '/api/search', '/']) {
      const headers = [`Host: 127.0.0.1:${door.port}`, `Authorization: Bearer ${door.token.read()}`];
      expect(statusOf(await door.raw(write(`GET ${path}`, [...headers, 'Content-Length: 2'], '{}')))).toBe(400);
    }
    expect(door.reached).toEqual([]);
  });
});

describe('what is in order', () => {
  const ask = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${door.port}${path}`, init);
  const bearer = () => ({ Authorization: `Bearer ${door.token.read()}` });

  test('gets through: by both names, from our page, from a program', async () => {
    const heads = [
      [],
      [`Origin: http://127.0.0.1:${door.port}`, 'Sec-Fetch-Site: same-origin'],
      [`Origin: http://localhost:${door.port}`],
      ['Sec-Fetch-Site: none'],
    ];
    for (const host of ['127.0.0.1', 'localhost']) {
      for (const more of heads) {
        const headers = [`Host: ${host}:${door.port}`, `Authorization: Bearer ${door.token.read()}`, 'Connection: close'];
        const answer = await door.raw(write('GET /api/search', [...headers, ...more]));
        expect(statusOf(answer)).toBe(200);
        expect(JSON.parse(bodyOf(answer))).toEqual({ isTrusted: true, length: 0 });
      }
    }
  });

  test('is known as a stranger where anyone may ask', async () => {
    expect(await (await ask('/health')).json()).toEqual({ isTrusted: false, length: 0 });
    expect(await (await ask('/health', { headers: bearer() })).json()).toMatchObject({ isTrusted: true });
    const wrong = { headers: { Authorization: 'Bearer wrong' } };
    expect(await (await ask('/health', wrong)).json()).toMatchObject({ isTrusted: false });
  });

  test('brings its body, of the type that was asked for', async () => {
    for (const type of ['application/json', 'Application/JSON; charset=UTF-8', 'application/json;charset="utf-8"']) {
      const init = { method: 'POST', body: '{"a":1}', headers: { ...bearer(), 'Content-Type': type } };
      expect(await (await ask('/api/memory/save', init)).json()).toMatchObject({ length: 7 });
    }
  });

  test('is refused where no route is, and nobody is told which those are', async () => {
    expect((await ask('/nothing')).status).toBe(401);
    expect((await ask('/api/token/exchange/')).status).toBe(401);
    expect((await ask('/health', { method: 'POST' })).status).toBe(401);
  });
});
