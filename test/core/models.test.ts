// Names and prices of models: what an API is asked for, what is refused, and what a day costs.
import { expect, test } from 'bun:test';
import { apiName, DAY_TURNS, isClaudeModel, priceOfDay, TURN_TOKENS } from '../../src/core/models.ts';
import { SETTINGS } from '../../src/settings.ts';

test.each([
  ['sonnet', 'claude-sonnet-4-5'],
  ['haiku', 'claude-haiku-4-5'],
  ['claude-opus-4-1', 'claude-opus-4-1'],
  ['llama3.2', 'llama3.2'],
])('the API is asked for %s as %s', (model, id) => {
  expect(apiName(model)).toBe(id);
});

test.each(['sonnet', 'haiku', 'opus', 'default', 'claude-3-5-haiku@20241022', 'us.anthropic.claude-sonnet-4-5-v1:0', 'arn:aws:x'])(
  '%s is a model of Claude',
  (model) => {
    expect(isClaudeModel(model)).toBe(true);
  },
);

test.each(['sonet', 'gpt-5', 'claude', 'claude-', 'my claude-x', 'Sonnet', 'toString', ''])('%j is none', (model) => {
  expect(isClaudeModel(model)).toBe(false);
});

test.each(['sonnet', 'haiku', 'opus'])('docs/model.md tells what a day with %s costs', async (model) => {
  const docs = await Bun.file(`${import.meta.dir}/../../docs/model.md`).text();
  expect(docs).toMatch(new RegExp(`^- \`${model}\`.*: \\${priceOfDay(model)};`, 'm'));
});

test('a day is priced for models with a list price, and stays within the budget of a day', () => {
  expect([priceOfDay('sonnet'), priceOfDay('claude-haiku-4-5'), priceOfDay('llama3.2')]).toEqual(['$0.80', '$0.27', null]);
  expect(DAY_TURNS * (TURN_TOKENS.input + TURN_TOKENS.output)).toBeLessThan(SETTINGS['budget.dailyTokens'].fallback);
});
