// The headers of everything that leaves by the HTTP server: the same ones, on every route and every refusal.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Hono } from 'hono';
import type { ApiEnv } from '../../../src/server/http/route.ts';
import { openTestServer, statusOf, type TestServer, write } from '../../support/web-server.ts';

const EXPECTED = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
};
const ALSO = ['connection', 'content-encoding', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding', 'vary'];

let door: TestServer;
beforeAll(async () => {
  const app = new Hono<ApiEnv>();
  // What an app could do wrong: open itself to other pages, be kept by the browser, fail.
  app.use('*', async (c, next) => {
    await next();
    c.header('Access-Control-Allow-Origin', '*');
    c.header('Access-Control-Allow-Credentials', 'true');
    c.header('Cache-Control', 'public, max-age=3600');
  });
  app.get('/api/stats', () => {
    throw new Error('broken /home/secret.ts');
  });
  app.onError((error) => {
    throw error;
  });
  app.get('/api/status', (c) => c.body('data: x\n\n', 200, { 'Content-Type': 'text/event-stream' }));
  app.all('*', (c) => c.json({ ok: true }));
  door = await openTestServer({ app, limits: { connections: 1000 } });
});
afterAll(() => door.close());

function readHeaders(answer: string): Record<string, string> {
  const [head = ''] = answer.split('\r\n\r\n');
  const lines = head.split('\r\n').slice(1);
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]));
}

function expectSafe(answer: string): void {
  const headers = readHeaders(answer);
  expect(headers).toMatchObject(EXPECTED);
  expect(Object.keys(headers).filter((name) => !(name in EXPECTED) && !ALSO.includes(name))).toEqual([]);
}

const own = () => [`Host: 127.0.0.1:${door.port}`, 'Connection: close'];
const trusted = () => [...own(), `Authorization: Bearer ${door.token.read()}`];

test('every route, answered and refused, has them and no others', async () => {
  const json = ['Content-Type: application/json', 'Content-Length: 2'];
  for (const { method, path } of door.api.routes) {
    const start = `${method} ${path.replace(/:\w+/g, '7')}`;
    const more = method === 'GET' ? [] : json;
    const body = method === 'GET' ? '' : '{}';
    expectSafe(await door.raw(write(start, [...trusted(), ...more], body)));
    expectSafe(await door.raw(write(start, [...own(), ...more], body)));
    expectSafe(await door.raw(write(start, ['Host: evil.example', ...more], body)));
  }
});

describe('so has', () => {
  const cases: [string, number, () => string][] = [
    ['the page', 200, () => write('GET /', own())],
    ['the page without its body', 200, () => write('HEAD /', own())],
    ['a script', 200, () => write('GET /assets/app.js', own())],
    ['a packed script', 200, () => write('GET /assets/app.js', [...own(), 'Accept-Encoding: gzip'])],
    ['a stream', 200, () => write('GET /api/status', trusted())],
    ['a failure', 500, () => write('GET /api/stats', trusted())],
    ['a preflight', 405, () => write('OPTIONS /api/search', own())],
    ['a tunnel', 405, () => write('CONNECT evil.example:443', own())],
    [
      'a socket of the web',
      400,
      () =>
        write('GET /stream', [
          `Host: 127.0.0.1:${door.port}`,
          'Connection: Upgrade',
          'Upgrade: websocket',
          'Sec-WebSocket-Version: 13',
          'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
        ]),
    ],
    ['what is no HTTP', 400, () => '\x16\x03\x01\x02\x00\r\n\r\n'],
    ['a head without end', 431, () => write('GET /', [...own(), `X: ${'a'.repeat(20_000)}`])],
    ['the old HTTP', 403, () => 'GET / HTTP/1.0\r\n\r\n'],
  ];
  test.each(cases)('%s', async (_, status, request) => {
    const answer = await door.raw(request());
    expect(statusOf(answer)).toBe(status);
    expectSafe(answer);
    expect(answer).not.toContain('secret.ts');
  });
});
