// The provider with an Anthropic key: the contract, and that nothing comes from the environment.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createAnthropic } from '../../../src/model/providers/anthropic.ts';
import { type FakeServer, startFakeServer } from './fake-server.ts';
import { messagesWire } from './messages-wire.ts';
import { describeModelContract } from './model-contract.ts';

const KEY = 'sk-ant-test-0123456789';
const QUESTION = { instructions: 'Observe.', prompt: 'What happened?', maxOutputTokens: 100, deadlineMs: 5000 };

const create = ({ url, host }: FakeServer) => createAnthropic({ model: 'claude-haiku-4-5', baseUrl: url, key: { value: KEY, host } });

describeModelContract('anthropic', { wire: messagesWire, shortMs: 500, create });

const server = startFakeServer();
const elsewhere = startFakeServer();
beforeAll(() => {
  const { body } = messagesWire.answer({ text: 'ok', stop: 'done' });
  server.replyWith(() => new Response(body, { headers: { 'content-type': 'application/json' } }));
});
afterAll(() => {
  server.close();
  elsewhere.close();
});

test('caches the instructions, sends its headers and no other', async () => {
  await create(server)(QUESTION);
  const { method, path, headers, body } = server.requests[0] ?? expect.unreachable();
  expect([method, path]).toEqual(['POST', '/v1/messages']);
  expect(body).toEqual({
    model: 'claude-haiku-4-5',
    max_tokens: 100,
    system: [{ type: 'text', text: 'Observe.', cache_control: { type: 'ephemeral' } }],
    messages: [{ role: 'user', content: 'What happened?' }],
    thinking: { type: 'disabled' },
  });
  const own = ['accept', 'anthropic-version', 'authorization', 'content-type'];
  const ofTheRuntime = ['accept-encoding', 'content-length', 'host', 'user-agent'];
  expect(Object.keys(headers).sort()).toEqual([...own, ...ofTheRuntime].sort());
  expect(headers.authorization).toBe(`Bearer ${KEY}`);
});

test('takes nothing from the environment', async () => {
  const variables = {
    ANTHROPIC_API_KEY: 'sk-ant-from-the-environment',
    ANTHROPIC_AUTH_TOKEN: 'token-from-the-environment',
    ANTHROPIC_BASE_URL: elsewhere.url,
    ANTHROPIC_CUSTOM_HEADERS: 'x-planted: 1\nAuthorization: Bearer from-the-environment\nanthropic-version: 1999-01-01',
    ANTHROPIC_PROFILE: 'planted',
    ANTHROPIC_LOG: 'debug',
  };
  const before = server.requests.length;
  await withEnvironment(variables, () => create(server)(QUESTION));
  expect(elsewhere.requests).toHaveLength(0);
  expect(server.requests).toHaveLength(before + 1);
  expect(server.requests.at(-1)?.headers).toEqual(server.requests[0]?.headers ?? {});
});

async function withEnvironment<T>(variables: Record<string, string>, run: () => Promise<T>): Promise<T> {
  const saved = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  try {
    return await run();
  } finally {
    for (const [name, value] of saved) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}
