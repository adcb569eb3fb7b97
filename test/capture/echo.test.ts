// What our own tools answered never becomes new memory: not by rules, not by a model, not by a subagent's report.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { say, startFakeModel } from '../support/fake-model.ts';
import { bash, nextId, stop, userPrompt } from '../support/payloads.ts';
import { until } from '../support/until.ts';
import { createTestWorker, type TestWorker } from '../support/worker-app.ts';

const CWD = '/home/dev/shop';
const ANSWER = '#12 decision: We decided to cache zorbliquent tokens because parsing them is slow.';
const CLOSING =
  'We decided to cache zorbliquent tokens rather than parse them again, because parsing is slow. The cause was the zorbliquent parser in src/parse.ts.';

let worker: TestWorker;
beforeEach(() => {
  worker = createTestWorker();
});
afterEach(() => worker.dispose());

const own = (name: string, more: object = {}) =>
  bash('s', CWD, '', '', {
    tool_name: name,
    tool_input: { query: 'zorbliquent tokens' },
    tool_response: [{ type: 'text', text: ANSWER }],
    ...more,
  });

type Step = ReturnType<typeof bash>;

const QUESTION = 'What did we decide about the cache?';

async function turn(steps: Step[], closing = CLOSING, prompt = QUESTION): Promise<void> {
  const more = { prompt_id: nextId('prompt') };
  await worker.send('new', userPrompt('s', CWD, prompt, more));
  for (const step of steps) await worker.send('save', { ...step, ...more });
  await worker.send('summary', stop('s', CWD, closing, more));
  await worker.settle();
}

const titles = () => worker.rows<{ title: string }>('SELECT title FROM observations').map(({ title }) => title);
const summaries = () => worker.rows('SELECT id FROM summaries');

describe('a turn that only asked the memory', () => {
  test.each([
    ['by the plugin', [own('mcp__plugin_claude-mem_claude-mem__search')]],
    ['by a server that was added', [own('mcp__claude-mem__timeline'), own('mcp__claude-mem__get_observations')]],
    ['to remember', [own('mcp__claude-mem__remember', { tool_input: { text: 'Cache the zorbliquent tokens' } })]],
    ['in vain', [own('mcp__claude-mem__forget', { hook_event_name: 'PostToolUseFailure', error: ANSWER })]],
    ['by its command', [bash('s', CWD, 'claude-mem search zorbliquent | grep cache', ANSWER)]],
    ['after loading its tools', [bash('s', CWD, '', '', { tool_name: 'ToolSearch' }), own('mcp__claude-mem__search')]],
  ])('%s makes nothing new, and is over', async (_, steps) => {
    await worker.start();
    await turn(steps);
    expect(titles()).toEqual([]);
    expect(summaries()).toEqual([]);
    expect(worker.rows('SELECT text FROM prompts')).toEqual([{ text: QUESTION }]);
    expect(worker.rows("SELECT id FROM events WHERE status <> 'skipped'")).toEqual([]);
    expect(worker.rows('SELECT status FROM sessions')).toEqual([{ status: 'active' }]);
    // Not even as evidence: it would outlive what is forgotten.
    const tools = worker.rows<{ payload: string }>("SELECT payload FROM events WHERE kind = 'tool'");
    expect(JSON.stringify(tools)).not.toContain('zorbliquent');
  });

  test('by a command of the plugin makes nothing new; what was done besides does', async () => {
    await worker.start();
    await turn([], CLOSING, '/mem:why');
    expect([...titles(), ...summaries()]).toEqual([]);
    await turn([bash('s', CWD, 'npm test', 'ok')], CLOSING, '/mem:search cache, and run the tests');
    expect(summaries()).toHaveLength(1);
  });

  test('and was cut off before its stop says nothing when it comes later', async () => {
    await worker.start();
    const more = { prompt_id: 'p' };
    await worker.send('new', userPrompt('s', CWD, 'What did we decide?', more));
    await worker.send('save', own('mcp__claude-mem__search', more));
    await worker.stop();
    await worker.start();
    await worker.send('summary', stop('s', CWD, CLOSING, more));
    await worker.settle();
    expect([...titles(), ...summaries()]).toEqual([]);
  });

  test('through a subagent has nothing in its report', async () => {
    await worker.start();
    const agent = { agent_id: 'a1', agent_type: 'general-purpose' };
    const more = { prompt_id: 'p', ...agent };
    const report = { type: 'text', text: CLOSING };
    await worker.send('new', userPrompt('s', CWD, 'Ask the memory', { prompt_id: 'p' }));
    await worker.send('save', own('mcp__claude-mem__search', more));
    await worker.send('save', { ...stop('s', CWD, CLOSING, more), hook_event_name: 'SubagentStop' });
    const task = { tool_name: 'Agent', tool_input: {}, tool_response: { agentId: 'a1', content: [report] } };
    await worker.send('save', bash('s', CWD, '', '', { prompt_id: 'p', ...task }));
    await worker.send('summary', stop('s', CWD, CLOSING, { prompt_id: 'p' }));
    await worker.settle();
    expect([...titles(), ...summaries()]).toEqual([]);
  });
});

test('a turn that also did other work is observed from that', async () => {
  await worker.start();
  const commit = bash('s', CWD, 'git commit -m "Cache the tokens"', '[main 1234567] Cache the tokens\n 1 file changed');
  await turn([own('mcp__claude-mem__search'), commit], 'Done. I added the cache for tokens and committed it.');
  expect(summaries()).toHaveLength(1);
  const kept = JSON.stringify([...worker.rows('SELECT * FROM observations'), ...worker.rows('SELECT * FROM summaries')]);
  expect(kept).toContain('committed');
  expect(kept).not.toContain('zorbliquent');
});

test('the same words after other work are kept', async () => {
  await worker.start();
  await turn([own('mcp__claude-mem__search'), bash('s', CWD, 'cat src/parse.ts', 'parse()')]);
  expect(titles().join()).toContain('zorbliquent');
});

test('no model is asked about it', async () => {
  const model = startFakeModel(() => say('<skip_summary reason="nothing"/>'));
  try {
    const apiKey = { value: 'sk-fake', host: new URL(model.baseUrl).host };
    writeFileSync(worker.paths.config, JSON.stringify({ provider: 'openai', baseUrl: model.baseUrl, quietSeconds: 0, apiKey }));
    await worker.start();
    await turn([own('mcp__claude-mem__search')]);
    await turn([own('mcp__claude-mem__search'), bash('s', CWD, 'npm test', '3 passed')], 'All tests pass.');
    await until(() => model.prompts.length > 0);
    expect(model.prompts).toHaveLength(1);
    expect(model.prompts[0]).toContain('npm test');
    expect(model.prompts[0]).not.toContain('#12 decision');
  } finally {
    await worker.stop();
    model.close();
  }
});
