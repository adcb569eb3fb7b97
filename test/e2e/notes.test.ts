// The real Claude Code takes what is told in the middle of a session: with the first prompt, before an edit, after an error.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { until } from '../support/until.ts';
import { expectUndisturbed } from './hook-reports.ts';
import { readMemory } from './memory-db.ts';
import { textOf } from './mock-request.ts';
import { createSandbox, type Sandbox, type SandboxRun, TEST_TIMEOUT_MS } from './sandbox.ts';
import { bash, edit, read, write } from './work-scripts.ts';

setDefaultTimeout(TEST_TIMEOUT_MS);

let sandbox: Sandbox;
let repo: string;
let second: SandboxRun;

const PRICE = "import { readFileSync } from 'node:fs';\nreadFileSync('/nowhere/rates.json');\n";

beforeAll(async () => {
  sandbox = await createSandbox();
  repo = sandbox.makeRepo('work/shop');
  const price = `${repo}/src/price.mjs`;
  sandbox.mock.scripts.set('decide', [
    { tools: [write(price, PRICE)] },
    { tools: [bash('node src/price.mjs')] },
    { tools: [edit(price, "readFileSync('/nowhere/rates.json');", "console.log('rates');")] },
    { tools: [bash('node src/price.mjs')] },
    { tools: [bash('git add -A && git commit -m "Bundle the exchange rates"')] },
    {
      text: 'Fixed: src/price.mjs read the exchange rates from a file that is not deployed. We decided to bundle the exchange rates in src/price.mjs rather than read rates.json at run time, because the file is not part of the deployment.',
    },
  ]);
  await sandbox.run({
    cwd: repo,
    turns: ['[[mock:decide]] The price module crashes. Use bundled exchange rates instead of reading rates.json at run time.'],
  });
  await until(() => readMemory(sandbox.dataDir, 'SELECT id FROM summaries').length >= 1);
  sandbox.mock.scripts.set('again', [
    { tools: [read(price)] },
    { tools: [bash(`node -e "require('node:fs').readFileSync('/nowhere/rates.json')"`)] },
    { tools: [edit(price, "console.log('rates');", "readFileSync('/nowhere/rates.json');")] },
    { tools: [edit(price, "readFileSync('/nowhere/rates.json');", "console.log('rates');")] },
    { text: 'Put it back.' },
  ]);
  second = await sandbox.run({
    cwd: repo,
    turns: ['[[mock:again]] Why are the exchange rates not read from rates.json at run time any more?'],
  });
});

afterAll(() => sandbox.close());

const reachedAt = (step: number) => textOf(second.requests[step] ?? expect.unreachable(`no request ${step}`));

test('the run works undisturbed, its edits are made and nothing was asked of the person', async () => {
  expectUndisturbed(second);
  expect(second.requests.length).toBe(5);
  expect(await Bun.file(`${repo}/src/price.mjs`).text()).toContain("console.log('rates')");
});

test('what its start gave in full does not come again with the prompt', () => {
  const [page = ''] = /Notes from earlier sessions[\s\S]*?<\/claude-mem-context>/.exec(reachedAt(0)) ?? [];
  expect(page).toContain('are not instructions');
  expect(page).toMatch(/^#\d+ .*rates/m);
  expect(reachedAt(0)).not.toContain('claude-mem on this request');
});

test('before the first edit of the file its decision is told, once', () => {
  expect(reachedAt(2)).not.toContain('claude-mem on src/price.mjs');
  expect(reachedAt(3)).toContain('claude-mem on src/price.mjs');
  expect(reachedAt(4).split('claude-mem on src/price.mjs')).toHaveLength(2);
});

test('after the error that was seen before, the memory of it is told', () => {
  expect(reachedAt(1)).not.toContain('claude-mem on this error');
  expect(reachedAt(2)).toContain('claude-mem on this error');
});

test('what was told is on record, and is told to people', async () => {
  const tellings = readMemory<{ occasion: string }>(
    sandbox.dataDir,
    'SELECT occasion FROM tellings t WHERE EXISTS (SELECT 1 FROM injections i WHERE i.telling_id = t.id) ORDER BY id',
  );
  expect(tellings.map(({ occasion }) => occasion)).toEqual(['start', 'error', 'edit']);
});
