// What a long session costs through each provider, and what of it still reaches the model.
import { expect, setDefaultTimeout, test } from 'bun:test';
import { NEEDLE_PROVIDERS, runNeedles } from '../support/needle-run.ts';
import { TEST_TIMEOUT_MS } from './sandbox.ts';

setDefaultTimeout(TEST_TIMEOUT_MS);

/** What the public product sends for such a session. */
const PEER_CHARS = 13_200_000;

/** What is asked is the same through each; claude adds the most of its own. */
const PROVIDERS = process.env.CLAUDE_MEM_TEST_FULL ? NEEDLE_PROVIDERS : (['claude'] as const);

test.each(PROVIDERS)('fifty tool uses cost at most seven small questions through %s', async (provider) => {
  const run = await runNeedles(provider, 1);
  expect(run.requests).toBeLessThanOrEqual(7);
  expect(run.inputChars).toBeLessThanOrEqual(PEER_CHARS / 80);
  expect(run).toMatchObject({ tools: 50, prompts: 5, promptsKept: 5 });
  expect(run.needlesKept).toBeGreaterThanOrEqual(45);
  expect(run).toMatchObject({ events: 60, eventsDone: 60 });
  expect(new Set(run.observers)).toEqual(new Set(['model']));
});
