// Whatever comes in, the server answers or stays silent, and goes on.
import { expect, test } from 'bun:test';
import { readLine } from '../../src/mcp/json-rpc.ts';
import { createMcpServer } from '../../src/mcp/server.ts';
import { TOOLS } from '../../src/mcp/tools.ts';
import { seededRandom } from '../core/seeded-random.ts';
import { createSandbox } from '../support/sandbox.ts';
import { createFakeCalls } from './fake-calls.ts';
import { startMcp } from './mcp-process.ts';

const ROUNDS = process.env.CLAUDE_MEM_TEST_FULL ? 200_000 : 20_000;

const VALUES: unknown[] = [
  null, true, false, 0, -1, 1e308, Number.MAX_SAFE_INTEGER, '', ' ', '0', '-5', 'S1', '#P2', '123', 'NaN', '\u0000', '\ud800', '\u202e',
  '記憶', '"; DROP TABLE', '../../etc/passwd', '%00%ff', 'a'.repeat(5000), [], [[]], [null], ['1', 2, {}], {}, { length: 5 },
  { toString: 'x' }, { __proto__: null }, ['__proto__', 'constructor'],
]; // biome-ignore format: one value beside the other

const METHODS = ['initialize', 'server/discover', 'ping', 'tools/list', 'tools/call', 'tools/call', 'tools/call', 'nope', '', 'toString'];
const FIELDS = [...new Set(TOOLS.flatMap(({ inputSchema }) => Object.keys(inputSchema.properties))), 'id', '__proto__', 'x'];

test('any request of any shape gets one answer of the right form', async () => {
  const random = seededRandom(7);
  const pick = random.of;
  const server = createMcpServer({ calls: createFakeCalls().calls, scope: { cwd: '/home/dev/shop' }, version: '1.0.0' });
  for (let round = 0; round < ROUNDS; round++) {
    const given = Object.fromEntries(Array.from({ length: random.below(5) }, () => [pick(FIELDS), pick(VALUES)]));
    const params = pick([
      { name: pick([...TOOLS.map(({ name }) => name), ...VALUES]), arguments: pick([given, given, pick(VALUES)]) },
      pick(VALUES),
      { _meta: pick(VALUES) },
    ]);
    const line = JSON.stringify({ jsonrpc: '2.0', id: round, method: pick(METHODS), params });
    const answer = JSON.parse((await server.answer(readLine(line))) ?? 'null');
    expect(answer).toMatchObject({ jsonrpc: '2.0', id: round });
    expect('result' in answer).not.toBe('error' in answer);
  }
});

test('lines that are no requests at all do not end the process, nor does a line without an end', async () => {
  const sandbox = createSandbox();
  const random = seededRandom(11);
  const mcp = startMcp(sandbox.env);
  for (let round = 0; round < 2000; round++) {
    mcp.send(Uint8Array.from({ length: random.below(200) }, () => random.below(256)));
    if (round % 3 === 0) mcp.send('\n');
  }
  mcp.send('\n');
  expect((await mcp.request('ping')).result).toEqual({});
  // Broken off in the middle of a character, and half a message after half a message.
  mcp.send(new TextEncoder().encode('{"jsonrpc":"2.0","id":"split","method":"pi'));
  await Bun.sleep(5);
  mcp.send('ng"}\n');
  expect((await mcp.request('ping')).result).toEqual({});
  expect(mcp.answers.find(({ id }) => id === 'split')?.result).toEqual({});
  const huge = new Uint8Array(1024 * 1024).fill(0x61);
  for (let part = 0; part < 40; part++) mcp.send(huge);
  mcp.send('\n');
  expect((await mcp.request('ping')).result).toEqual({});
  expect(mcp.answers.some(({ error }) => error?.message.includes('dropped'))).toBe(true);
  expect(await mcp.end()).toEqual({ code: 0, stderr: '' });
  await sandbox.dispose();
});
