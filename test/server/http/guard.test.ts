// Attacks on the web door × every route: none gets through, and none is told more than another.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { bodyOf, openTestServer, statusOf, type TestServer, write } from '../../support/web-server.ts';

type Said = {
  line?: string;
  host?: string[];
  token?: string[];
  /** Null: none, even where the route wants one. */
  type?: string[];
  more?: string[];
  length?: number | null;
};
type Attack = [name: string, status: number[], said: (door: TestServer, start: string) => Said];

let door: TestServer;
beforeAll(async () => {
  // All routes are tried at once: that there are too many is another matter.
  door = await openTestServer({ limits: { connections: 1000 } });
});
afterAll(() => door.close());
beforeEach(() => {
  door.reached.length = 0;
});

const own = ({ port }: TestServer) => [`127.0.0.1:${port}`];
const at = (name: string) => (d: TestServer) => ({ host: [name.replace('PORT', String(d.port))] });
const from = (origin: string) => (d: TestServer) => ({ more: [`Origin: ${origin.replace('PORT', String(d.port))}`] });
const site = (value: string) => () => ({ more: [`Sec-Fetch-Site: ${value}`] });
const path = (change: (path: string) => string) => (_: TestServer, start: string) => {
  const [method = '', route = ''] = start.split(' ');
  return { line: `${method} ${change(route)}` };
};
const method = (name: string) => (_: TestServer, start: string) => ({ line: `${name} ${start.split(' ')[1]}` });

/** Sent with the right token and the right type, so that only what is attacked is wrong. */
const ATTACKS: Attack[] = [
  ['a name that resolves to us', [403], at('evil.example:PORT')],
  ['a name that begins like ours', [403], at('localhost.evil.example:PORT')],
  ['our name without the port', [403], at('127.0.0.1')],
  ['our name with another port', [403], at('127.0.0.1:1')],
  ['our name with a port that begins like ours', [403], at('127.0.0.1:PORT1')],
  ['our name with a closing dot', [403], at('localhost.:PORT')],
  ['our name in upper case', [403], at('LOCALHOST:PORT')],
  ['our name with a user', [403], at('me@127.0.0.1:PORT')],
  ['our name with a path', [403], at('127.0.0.1:PORT/x')],
  ['two names in one', [403], at('127.0.0.1:PORT, evil.example')],
  ['every address', [403], at('0.0.0.0:PORT')],
  ['the short form of our address', [403], at('127.1:PORT')],
  ['our address as a number', [403], at('2130706433:PORT')],
  ['the address of IPv6', [403], at('[::1]:PORT')],
  ['our address written as IPv6', [403], at('[::ffff:127.0.0.1]:PORT')],
  ['an empty host', [403], () => ({ host: [''] })],
  ['no host', [403], () => ({ host: [] })],
  ['two hosts', [400, 403], (d) => ({ host: [...own(d), 'evil.example'] })],
  ['our host twice', [400, 403], (d) => ({ host: [...own(d), ...own(d)] })],
  ['an origin elsewhere', [403], from('https://evil.example')],
  ['no origin of its own', [403], from('null')],
  ['an empty origin', [403], from('')],
  ['our origin by https', [403], from('https://127.0.0.1:PORT')],
  ['our origin on another port', [403], from('http://127.0.0.1:1')],
  ['our origin without the port', [403], from('http://localhost')],
  ['our origin with a slash', [403], from('http://localhost:PORT/')],
  ['an extension of the browser', [403], from('chrome-extension://abcdefghijklmnop')],
  ['two origins', [403], (d) => ({ more: [`Origin: http://localhost:${d.port}`, 'Origin: https://evil.example'] })],
  ['a page on another site', [403], site('cross-site')],
  ['a page on the same site', [403], site('same-site')],
  ['an empty word of the browser', [403], site('')],
  ['two words of the browser', [403], () => ({ more: ['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Site: none'] })],
  ['a preflight', [405], (_, start) => ({ ...method('OPTIONS')(door, start), more: ['Access-Control-Request-Method: GET'] })],
  ['TRACE', [405], method('TRACE')],
  ['PROPFIND', [405], method('PROPFIND')],
  ['a method of no protocol', [400, 405], method('STEAL')],
  ['a method in lower case', [400, 405], method('get')],
  ['the whole address of another', [400], path((p) => `http://evil.example${p}`)],
  ['our whole address', [400], path((p) => `http://127.0.0.1:${door.port}${p}`)],
  ['a path upwards', [400], path((p) => `/x/..${p}`)],
  ['an encoded path upwards', [400], path((p) => `/x/%2e%2E${p}`)],
  ['an encoded slash', [400], path((p) => `${p}%2fx`)],
  ['an encoded backslash', [400], path((p) => `${p}%5cx`)],
  ['an encoded NUL', [400], path((p) => `${p}%00`)],
  ['an encoded line break', [400], path((p) => `${p}%0d%0aX`)],
  ['a NUL', [400], path((p) => `${p}\0`)],
  ['a control character', [400], path((p) => `${p}\x01`)],
  ['a byte that is no ASCII', [400], path((p) => `${p}\xff`)],
  ['what decodes to no text', [400], path((p) => `${p}%ff`)],
  ['half a percent sign', [400], path((p) => `${p}%2`)],
  ['two slashes', [400], path((p) => `/${p}`)],
  ['a backslash', [400], path((p) => `${p}\\x`)],
  ['a fragment', [400], path((p) => `${p}#x`)],
  ['a very long path', [400], path((p) => `${p}/${'a'.repeat(9000)}`)],
  ['ten thousand headers', [400, 431], () => ({ more: Array.from({ length: 10_000 }, (_, n) => `X-${n}: 1`) })],
  ['two lengths', [400], () => ({ length: null, more: ['Content-Length: 2', 'Content-Length: 3'] })],
  ['a length and chunks', [400], () => ({ more: ['Transfer-Encoding: chunked'] })],
  ['a length below nothing', [400], () => ({ length: null, more: ['Content-Length: -1'] })],
  ['a space before the colon', [400], () => ({ more: ['Host : evil.example'] })],
  ['a folded header', [400], () => ({ more: ['X-Folded: a', ' b'] })],
];

/** Wrong only where a token is wanted. */
const TOKENS: Attack[] = [
  ['no token', [401], () => ({ token: [] })],
  ['an empty token', [401], () => ({ token: ['Bearer '] })],
  ['another token', [401], () => ({ token: [`Bearer ${'0'.repeat(64)}`] })],
  ['a short token', [401], (d) => ({ token: [`Bearer ${d.token.read().slice(1)}`] })],
  ['a long token', [401], (d) => ({ token: [`Bearer ${d.token.read()}0`] })],
  ['the token twice', [401], (d) => ({ token: [`Bearer ${d.token.read()}`, `Bearer ${d.token.read()}`] })],
  ['the token in upper case', [401], (d) => ({ token: [`Bearer ${d.token.read().toUpperCase()}`] })],
  ['the token of another scheme', [401], (d) => ({ token: [`Basic ${d.token.read()}`] })],
  ['the token without a scheme', [401], (d) => ({ token: [d.token.read()] })],
  ['the token in a cookie', [401], (d) => ({ token: [], more: [`Cookie: token=${d.token.read()}`] })],
  ['the token in the address', [401], (d, start) => ({ token: [], line: `${start}?token=${d.token.read()}` })],
];

const TYPES: Attack[] = [
  ['no type', [415], () => ({ type: [] })],
  ['a form', [415], () => ({ type: ['application/x-www-form-urlencoded'] })],
  ['a form in parts', [415], () => ({ type: ['multipart/form-data; boundary=x'] })],
  ['plain text', [415], () => ({ type: ['text/plain'] })],
  ['plain text that speaks of JSON', [415], () => ({ type: ['text/plain; application/json'] })],
  ['JSON in other letters', [415], () => ({ type: ['application/json; charset=utf-16'] })],
  ['two types', [415], () => ({ type: ['application/json', 'text/plain'] })],
  ['a packed body', [415], () => ({ more: ['Content-Encoding: gzip'] })],
];

function compose(start: string, { line, host, token, type, more, length }: Said): string {
  const isRead = start.startsWith('GET');
  const body = isRead ? '' : '{}';
  const headers = [
    ...(host ?? own(door)).map((value) => `Host: ${value}`),
    ...(token ?? [`Bearer ${door.token.read()}`]).map((value) => `Authorization: ${value}`),
    ...(isRead ? [] : (type ?? ['application/json']).map((value) => `Content-Type: ${value}`)),
    ...(length === null ? [] : [`Content-Length: ${length ?? body.length}`]),
    ...(more ?? []),
    'Connection: close',
  ];
  return write(line ?? start, headers, body);
}

const startOf = ({ method, path }: { method: string; path: string }) => `${method} ${path.replace(/:\w+/g, '7')}`;
const starts = (isWanted: (route: TestServer['api']['routes'][number]) => boolean) => door.api.routes.filter(isWanted).map(startOf);

async function attack(wanted: string[], status: number[], said: Attack[2]): Promise<void> {
  expect(wanted.length).toBeGreaterThan(0);
  const answers = await Promise.all(wanted.map((start) => door.raw(compose(start, said(door, start)))));
  const told = answers.map((answer, n) => [wanted[n], statusOf(answer)]);
  expect(told.filter(([, one]) => !status.includes(Number(one)))).toEqual([]);
  expect([...new Set(answers.map(bodyOf))]).toHaveLength(1);
  expect(Object.keys(JSON.parse(bodyOf(answers[0] ?? '')))).toEqual(['error', 'hint']);
  expect(answers.join('\n')).not.toMatch(/access-control|\.ts:\d|node_modules/i);
  expect(door.reached).toEqual([]);
}

describe('no route is reached by', () => {
  test.each(ATTACKS)('%s', (_, status, said) =>
    attack(
      starts(() => true),
      status,
      said,
    ),
  );
});

describe('no route that wants a token is reached by', () => {
  test.each(TOKENS)('%s', (_, status, said) =>
    attack(
      starts(({ access }) => (access ?? 'token') === 'token'),
      status,
      said,
    ),
  );
});

describe('no route that takes a body is reached by', () => {
  test.each(TYPES)('%s', (name, status, said) =>
    attack(
      starts(
        ({ access, method, path }) =>
          access !== 'socket' && method !== 'GET' && method !== 'DELETE' && !(name === 'plain text' && /^(\/api)?\/sessions\//.test(path)),
      ),
      status,
      said,
    ),
  );
});

test('an editor may report a session as fetch sends it, with the token alone', async () => {
  const start = 'POST /api/sessions/init';
  const plain = { type: ['text/plain;charset=UTF-8'] };
  expect(statusOf(await door.raw(compose(start, plain)))).not.toBe(415);
  expect(statusOf(await door.raw(compose(start, { ...plain, token: [] })))).toBe(401);
  door.reached.length = 0;
});

describe('a route of the socket', () => {
  test('is not there, whoever asks and however it is spelled', async () => {
    const wanted = starts(({ access }) => access === 'socket');
    const encoded = wanted.map((start) => start.replace('token', 't%6fken'));
    await attack([...wanted, ...encoded], [404], () => ({}));
    await attack(wanted, [404], () => ({ token: [] }));
  });
});
