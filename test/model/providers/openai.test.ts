// The OpenAI-compatible provider: the contract, and what its servers do differently from each other.
import { afterAll, expect, spyOn, test } from 'bun:test';
import { createOpenAi } from '../../../src/model/providers/openai.ts';
import { startFakeServer } from './fake-server.ts';
import { describeModelContract } from './model-contract.ts';
import { openAiWire } from './openai-wire.ts';

const KEY = 'sk-test-0123456789';
const QUESTION = { instructions: 'Observe.', prompt: 'What happened?', maxOutputTokens: 100, deadlineMs: 5000 };

describeModelContract('openai', {
  wire: openAiWire,
  shortMs: 300,
  create: ({ url, host }) => createOpenAi({ model: 'some-model', baseUrl: `${url}/v1`, key: { value: KEY, host } }),
});

const server = startFakeServer();
afterAll(server.close);
const askLocal = createOpenAi({ model: 'llama', baseUrl: `${server.url}/v1/`, key: null });

const say = (message: object, rest: object = {}) =>
  server.replyWith(() => Response.json({ choices: [{ message, finish_reason: 'stop' }], ...rest }));

test('asks a local server without a key', async () => {
  say({ content: 'ok' });
  await askLocal(QUESTION);
  expect(server.requests[0]).toMatchObject({ method: 'POST', path: '/v1/chat/completions', body: { model: 'llama' } });
  expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
});

test('estimates what was spent when the server does not count', async () => {
  say({ content: 'x'.repeat(400) });
  expect((await askLocal(QUESTION)).usage).toEqual({ inputTokens: 6, cachedTokens: 0, outputTokens: 100 });
});

test('takes the text of an answer in parts', async () => {
  const content = [
    { type: 'thinking', thinking: [] },
    { type: 'text', text: 'one ' },
    { type: 'text', text: 'two' },
  ];
  say({ content });
  expect((await askLocal(QUESTION)).text).toBe('one two');
});

test.each([
  [429, 'rate-limited'],
  [502, 'transient'],
  [401, 'auth'],
])('understands a failure %d in an answer 200', async (code, kind) => {
  server.replyWith(() => Response.json({ error: { code, message: 'the server behind failed' } }));
  expect(await askLocal(QUESTION).catch((error) => error)).toMatchObject({ kind });
});

test.each([
  ['https://api.openai.com/v1', 'max_completion_tokens'],
  ['https://openrouter.ai/api/v1', 'max_tokens'],
])('limits the answer by the name that %s knows', async (baseUrl, name) => {
  const answer = async () => Response.json({ choices: [{ message: { content: 'ok' } }] });
  using network = spyOn(globalThis, 'fetch').mockImplementation(Object.assign(answer, { preconnect: () => undefined }));
  const key = { value: KEY, host: new URL(baseUrl).host };
  await createOpenAi({ model: 'm', baseUrl, key })(QUESTION);
  const limits = Object.keys(JSON.parse(String(network.mock.calls[0]?.[1]?.body))).filter((name) => name.startsWith('max'));
  expect(limits).toEqual([name]);
});
