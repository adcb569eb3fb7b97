// The record of a turn is given back by every way of asking: HTTP, timeline, MCP; in short, and whole on demand.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { bash, edit, stop, userPrompt } from '../support/payloads.ts';
import { createTestWorker, type TestWorker } from '../support/worker-app.ts';

const CWD = '/home/dev/shop';
const CODE = '```ts\nconst seen: Map<string, number> = new Map();\n\n  if (a < b && c > d) return seen;\n```';
const CLOSING = `We decided to keep prices in cents rather than in floats, because sums were off by one.\n\n${CODE}`;
const LONG = Array.from({ length: 60 }, (_, at) => `Paragraph ${at} tells something of some length that nobody needs at once.`)
  .join('\n\n')
  .replace('Paragraph 5 ', `${CODE}\n\nParagraph 5 `);

let worker: TestWorker;
beforeAll(async () => {
  worker = createTestWorker();
  await worker.start();
  const more = (at: number) => ({ prompt_id: `p${at}`, tool_use_id: `t${at}` });
  await worker.send('new', userPrompt('s', CWD, 'How are prices kept?', more(1)));
  await worker.send('save', bash('s', CWD, 'bun test prices', 'expected 3 < 4\n1 fail', more(1)));
  await worker.send('save', { ...edit('s', CWD, 'src/price.ts', ['-const a = 0.1', '+const a = 10']), prompt_id: 'p1' });
  await worker.send('summary', stop('s', CWD, CLOSING, more(1)));
  await worker.send('new', userPrompt('s', CWD, 'Tell me everything.', more(2)));
  await worker.send('save', bash('s', CWD, 'cat long.txt', 'x'.repeat(300), more(2)));
  await worker.send('summary', stop('s', CWD, LONG, more(2)));
  await worker.settle();
});
afterAll(() => worker.dispose());

const read = async (ids: string[], more: object = {}) =>
  (await worker.call('POST', '/api/observations/batch', { ids, ...more })).body.memories;

test('HTTP gives it with the prompt, in plain words, and what is made of the turn says where it is', async () => {
  const [prompt] = await read(['P1']);
  expect(prompt.text).toBe('How are prices kept?');
  expect(prompt.record).toContain('$ bun test prices\n');
  expect(prompt.record).toContain('edited src/price.ts +1 -1\n');
  expect(prompt.record).toContain(`answered: ${CLOSING}`);
  expect(prompt.record).not.toMatch(/── |══ |1 fail/);
  expect(prompt.turn).toBe('P1');
  expect(prompt.recordLeft).toBeGreaterThan(0);
  const [whole] = await read(['P1'], { full: true });
  expect(whole.record).toContain('    1 fail');
  expect(whole.record).toContain('    +const a = 10');
  expect(whole.recordLeft).toBeUndefined();
  const { body } = await worker.call('GET', '/api/observations?limit=50');
  const decision = body.items.find(({ title }: { title: string }) => title.includes('cents'));
  const made = await read([decision.id, 'S1']);
  expect(made.map(({ turn, record }: { turn: string; record: null }) => [turn, record])).toEqual([
    ['P1', null],
    ['P1', null],
  ]);
});

test('a long one is cut to 1,500 characters, and says how much more there is', async () => {
  const [prompt] = await read(['P2']);
  expect(prompt.record.length).toBeLessThanOrEqual(1500);
  expect(prompt.record).toContain('Paragraph 0 ');
  expect(prompt.recordLeft).toBeGreaterThan(LONG.length - 1500);
  expect((await read(['P2'], { full: true }))[0].record).toContain('Paragraph 59 ');
  // A row says what reading it costs.
  const { body } = await worker.call('GET', '/api/prompts');
  const row = body.items.find(({ id }: { id: string }) => id === 'P2');
  expect(row.tokens).toBeGreaterThan(350);
  expect(row.tokens).toBeLessThan(400);
});

test('the viewer is given all of it, with what of a long one is shown at first: at most 1,500 characters, blocks of code as they are', async () => {
  type Step = { kind: string; text: string; short: string | null; detail: string };
  const ask = async (id: string) => (await worker.call('GET', `/api/memories/${id}`)).body as { steps: Step[]; left: number };
  const small = await ask('P1');
  expect(small.left).toBe(0);
  for (const { short, text } of small.steps) expect(short).toBe(text);
  const { steps, left } = await ask('P2');
  const sum = (texts: (string | null)[]) => texts.join('').length;
  const shown = sum(steps.map((step) => step.short));
  expect(shown).toBeLessThanOrEqual(1500);
  expect(left).toBe(sum(steps.flatMap(({ text, detail }) => [text, detail])) - shown);
  const { kind, text, short: answer } = steps.at(-1) ?? expect.unreachable('there is no step');
  expect([kind, text]).toEqual(['answered', LONG]);
  expect(answer).toContain(CODE);
});

test('the timeline around a prompt gives it, around another memory it does not', async () => {
  const { body } = await worker.call('GET', '/api/timeline?anchor=P1');
  expect(body.record).toMatchObject({ id: 'P1', text: expect.stringContaining('prices in cents') });
  expect((await worker.call('GET', '/api/timeline?anchor=S1')).body.record).toBeNull();
});

async function tool(name: string, given: object): Promise<string> {
  const params = { name, arguments: given };
  const { body } = await worker.call('POST', `/mcp?cwd=${CWD}`, { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  return body.result.content[0].text;
}

test('MCP gives it with its code as it was, and the way to the rest', async () => {
  const text = await tool('get_observations', { ids: ['P1'] });
  expect(text).toContain('$ bun test prices');
  // Indented, and otherwise to the letter.
  expect(text).toContain(CODE.replace(/^/gm, '    '));
  expect(text).not.toContain('1 fail');
  expect(text).toMatch(/\(\d+ characters more: get_observations\(ids=\["P1"\], full=true\)\)/);
  const whole = await tool('get_observations', { ids: ['P1'], full: true });
  expect(whole).toContain('        expected 3 < 4\n        1 fail');
  expect(whole).not.toContain('characters more');
  expect(await tool('timeline', { anchor: 'P1' })).toContain('prices in cents');
});

test('MCP search gives six rows unless asked, each with the words that answer', async () => {
  for (let at = 10; at < 22; at++) {
    const more = { prompt_id: `p${at}`, tool_use_id: `t${at}` };
    await worker.send('new', userPrompt(`s${at}`, CWD, `Look at giraffe number ${at} of the zoo`, more));
    await worker.send('save', bash(`s${at}`, CWD, `ls giraffe${at}`, 'ok', more));
    await worker.send('summary', stop(`s${at}`, CWD, `The giraffe ${at} eats leaf kind ${at * 7}, as its keeper wrote.`, more));
  }
  await worker.settle();
  const rows = (await tool('search', { query: 'giraffe' })).split('\n').filter((line) => /^#/.test(line));
  expect(rows).toHaveLength(6);
  const all = (await tool('search', { query: 'giraffe', limit: 9 })).split('\n').filter((line) => /^#/.test(line));
  expect(all).toHaveLength(9);
  expect(await tool('search', { query: 'giraffe eats leaf' })).toMatch(/#\d+ .* discovery The giraffe \d+ eats leaf kind/);
});
