// MCP over HTTP, message by message: what the transport asks for, and whatever else may come.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { type McpApi, serveMcpApi } from '../../support/mcp-api.ts';

let mcp: McpApi;
beforeEach(() => {
  mcp = serveMcpApi();
});
afterEach(() => mcp.close());

const post = (body: string, headers: Record<string, string> = {}) => fetch(new URL('/mcp', mcp.url), { method: 'POST', body, headers });
const request = (method: string, params: object = {}, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params });

test('a request is answered as JSON, whatever is accepted', async () => {
  for (const accept of ['application/json, text/event-stream', 'application/json', '*/*', 'text/event-stream']) {
    const response = await post(JSON.stringify(request('ping')), { accept, 'mcp-protocol-version': '2025-06-18' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  }
});

test('a notification is accepted without a word', async () => {
  const response = await post(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
  expect(response.status).toBe(202);
  expect(await response.text()).toBe('');
});

test('several at once get their answers at once', async () => {
  const notice = { jsonrpc: '2.0', method: 'notifications/initialized' };
  const response = await post(JSON.stringify([request('ping', {}, 'a'), notice, request('nope', {}, 'b'), 5]));
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject([
    { id: 'a', result: {} },
    { id: 'b', error: { code: -32601 } },
    { id: null, error: { code: -32600 } },
  ]);
  expect((await post(JSON.stringify([notice, notice]))).status).toBe(202);
  expect((await post('[]')).status).toBe(400);
  expect((await post(JSON.stringify(Array(51).fill(notice)))).status).toBe(400);
});

test.each(['GET', 'DELETE'])('%s is not allowed: there is no stream and no session', async (method) => {
  const response = await fetch(new URL('/mcp?cwd=/home/dev/shop', mcp.url), { method });
  expect(response.status).toBe(405);
  expect(response.headers.get('allow')).toBe('POST');
});

test.each(['', '{', 'null', '5', '"x"', '{}', '[', '['.repeat(100_000), '{"a":'.repeat(100_000), '\u0000'])(
  'a body that is no message is a 400',
  async (body) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { message: expect.any(String) } });
  },
);

test('what is nested beyond reason is answered, too', async () => {
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  expect((await post(deep)).status).toBeLessThan(500);
  expect((await post(`[{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":${deep}}}]`)).status).toBeLessThan(500);
});

test('a message without an end is not read to the end', async () => {
  const response = await post('x'.repeat(9 * 1024 * 1024));
  expect(response.status).toBe(413);
});

test('a version that is none is refused', async () => {
  expect((await post(JSON.stringify(request('ping')), { 'mcp-protocol-version': 'latest' })).status).toBe(400);
});
