// Every session pays for the definitions of the tools before anything is asked.
import { expect, test } from 'bun:test';
import { estimateTokens } from '../../src/core/text.ts';
import { readLine } from '../../src/mcp/json-rpc.ts';
import { createMcpServer, INSTRUCTIONS } from '../../src/mcp/server.ts';
import { createFakeCalls } from './fake-calls.ts';

test('all definitions together cost less than 700 tokens', async () => {
  const server = createMcpServer({ calls: createFakeCalls().calls, scope: { cwd: '/' }, version: '1.0.0' });
  const answer = await server.answer(readLine('{"jsonrpc":"2.0","id":1,"method":"tools/list"}'));
  expect(estimateTokens(JSON.stringify(JSON.parse(answer ?? '').result))).toBeLessThan(700);
});

test('the instructions are three lines about three layers', () => {
  expect(INSTRUCTIONS.split('\n')).toHaveLength(3);
  expect(INSTRUCTIONS).toMatch(/search[\s\S]*timeline[\s\S]*get_observations/);
  expect(estimateTokens(INSTRUCTIONS)).toBeLessThan(120);
});
