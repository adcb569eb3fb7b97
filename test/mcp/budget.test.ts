// Every session pays for the definitions of the tools before anything is asked.
import { expect, test } from 'bun:test';
import { estimateTokens } from '../../src/core/text.ts';
import { readLine } from '../../src/mcp/json-rpc.ts';
import { createMcpServer } from '../../src/mcp/server.ts';
import { createFakeCalls } from './fake-calls.ts';

test('all definitions together cost less than 700 tokens', async () => {
  const server = createMcpServer({ calls: createFakeCalls().calls, scope: { cwd: '/' }, version: '1.0.0' });
  const answer = await server.answer(readLine('{"jsonrpc":"2.0","id":1,"method":"tools/list"}'));
  expect(estimateTokens(JSON.stringify(JSON.parse(answer ?? '').result))).toBeLessThan(700);
});

test('the instructions are three lines about three layers', async () => {
  const { calls } = createFakeCalls();
  const server = createMcpServer({ calls, scope: { cwd: '/home/dev/shop' }, version: '1.2.3' });
  const started = await server.answer(readLine('{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{}}'));
  const { instructions } = JSON.parse(started ?? '').result;
  expect(instructions.split('\n')).toHaveLength(3);
  expect(instructions).toMatch(/search[\s\S]*timeline[\s\S]*get_observations/);
  expect(estimateTokens(instructions)).toBeLessThan(120);
});
