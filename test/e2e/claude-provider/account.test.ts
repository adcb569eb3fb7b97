// What the real `claude` says about its user's account becomes an error that tells what to do.
import { afterAll, expect, test } from 'bun:test';
import { startFakeServer } from '../../model/providers/fake-server.ts';
import { messagesStreamWire } from '../../model/providers/messages-wire.ts';
import { makeClaudeHome } from './claude-home.ts';

const claude = makeClaudeHome();
const server = startFakeServer();
afterAll(async () => {
  server.close();
  await claude.close();
});

const QUESTION = { instructions: 'Observe.', prompt: 'What?', maxOutputTokens: 100, deadlineMs: 45_000 };
const BARE = { PATH: '/usr/bin:/bin', HOME: claude.home, ANTHROPIC_BASE_URL: server.url };

test('nobody is logged in', async () => {
  const ask = await claude.create(server.url, { environment: BARE });
  const error = await ask(QUESTION).catch((error) => error);
  expect(error).toMatchObject({ kind: 'auth', message: expect.stringContaining('/login') });
  expect(server.requests).toHaveLength(0);
});

test('the limit of a subscription is reached, and it is known until when', async () => {
  const resetsAt = Math.floor(Date.now() / 1000) + 3600;
  const headers = {
    'anthropic-ratelimit-unified-status': 'rejected',
    'anthropic-ratelimit-unified-reset': String(resetsAt),
    'anthropic-ratelimit-unified-representative-claim': 'five_hour',
  };
  const refusal = messagesStreamWire.error('rate_limit_error', 'This request would exceed your rate limit.');
  server.replyWith(() => Response.json(refusal, { status: 429, headers }));
  // Not a real token: it only makes claude take its user for a subscriber.
  const ask = await claude.create(server.url, { environment: { ...BARE, CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-fake' } });
  const error = await ask(QUESTION).catch((error) => error);
  expect(error).toMatchObject({ kind: 'rate-limited', until: resetsAt * 1000 });
  expect(server.requests).toHaveLength(1);
});
