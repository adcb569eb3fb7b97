// An import that could not read every line ended as if it had: it says which file and line, and ends with an error. One of an export took long.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createLines } from '../support/claude-lines.ts';
import { writeExport } from '../support/export-file.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { toLines } from '../support/transcript.ts';

let sandbox: Sandbox;
let shop: string;
beforeEach(() => {
  sandbox = createSandbox();
  shop = sandbox.project('shop');
});
afterEach(() => sandbox.dispose());

const LONG_AGO = new Date('2026-01-02T10:00:00Z');

/** A transcript where Claude Code keeps them. */
function keep(text: string, { isLive = false, session = '11111111-2222-4333-8444-555555555555' } = {}): string {
  const path = join(sandbox.home, `.claude/projects/-shop/${session}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  if (!isLive) utimesSync(path, LONG_AGO, LONG_AGO);
  return path;
}

function conversation(at = '2026-01-02T09:00:00.000Z'): string[] {
  const lines = createLines({ cwd: shop });
  const said = [lines.prompt('Raise the tax rate'), lines.say('Raised it to 19 %.'), lines.prompt('And the tests?')];
  return toLines(said.map((line) => ({ ...line, timestamp: at })))
    .trim()
    .split('\n');
}

const importAll = () => sandbox.cli('import', '--yes');

test('a whole file ends well', async () => {
  keep(`${conversation().join('\n')}\n`);
  const { code, stdout } = await importAll();
  expect([code, stdout]).toEqual([0, expect.not.stringContaining('could not be read')]);
});

test.each([
  ['garbage', 'garbage here'],
  ['half a line', '{"type":"user","sessionId":"1111'],
  ['a line that was damaged in its middle', '{"type":"progress","data":"a\u0000b"}'],
  ['a long line of no JSON', 'x'.repeat(1_500_000)],
])('%s in the middle is named, the rest is kept, and the command ends with 1', async (_, bad) => {
  const [first = '', ...rest] = conversation();
  const path = keep(`${[first, bad, ...rest].join('\n')}\n`);
  const { code, stdout } = await importAll();
  expect(stdout).toContain('1 line could not be read:');
  expect(stdout).toContain(`${path}, line 2: it is no JSON`);
  expect(code).toBe(1);
  expect(sandbox.query('SELECT text FROM prompts ORDER BY id')).toHaveLength(2);
});

test('many of them are counted, and the first ten named', async () => {
  const [first = '', ...rest] = conversation();
  const bad = Array.from({ length: 25 }, (_, at) => `bad ${at}`);
  const path = keep(`${[first, ...bad, ...rest].join('\n')}\n`);
  const { code, stdout } = await importAll();
  expect(stdout).toContain('25 lines could not be read:');
  expect(stdout.match(/, line \d+: it is no JSON/g)).toHaveLength(10);
  expect(stdout).toContain(`${path}, line 11:`);
  expect(stdout).toContain('and 15 more');
  expect(code).toBe(1);
});

test('of garbage alone nobody says that it was known', async () => {
  keep('no JSON\nat all\n');
  const { code, stdout } = await importAll();
  expect(stdout).not.toContain('known already');
  expect(stdout).toMatch(/nothing new could be read[\s\S]*2 lines could not be read/);
  expect(code).toBe(1);
});

test('the cut last line of a file that is still written to is no damage; of one that is over it is', async () => {
  const now = new Date().toISOString();
  const cut = `${conversation(now).join('\n')}\n{"type":"assistant","sess`;
  keep(cut, { isLive: true });
  expect((await importAll()).code).toBe(0);
  const path = keep(cut.replaceAll(now, LONG_AGO.toISOString()), { session: '22222222-2222-4333-8444-555555555555' });
  const { code, stdout } = await importAll();
  expect([code, stdout]).toEqual([1, expect.stringContaining(`${path}, line 4: it is no JSON`)]);
});

test('a person who names the file is told the same', async () => {
  const [first = '', ...rest] = conversation();
  const path = keep(`${[first, 'garbage', ...rest].join('\n')}\n`);
  const { code, stdout } = await sandbox.person('import', '--yes', path);
  expect([code, stdout]).toEqual([1, expect.stringContaining('line 2: it is no JSON')]);
});

const MEMORIES = process.env.CLAUDE_MEM_TEST_FULL ? 10_000 : 1000;
/** Of ten thousand each took 14 ms, which was 141 s in all. */
const MOST_MS_EACH = 10;

test(`${MEMORIES} exported observations are imported in less than ${MOST_MS_EACH} ms each`, async () => {
  const path = writeExport(join(sandbox.home, 'all.jsonl'), MEMORIES);
  await sandbox.startWorker();
  const { code, stdout, ms } = await sandbox.person('import', '--yes', path);
  expect([code, stdout]).toEqual([0, expect.stringContaining(MEMORIES.toLocaleString('en'))]);
  expect(sandbox.query('SELECT count(*) AS n FROM observations')).toEqual([{ n: MEMORIES }]);
  console.log(`an import of ${MEMORIES} exported observations: ${(ms / 1000).toFixed(1)} s`);
  expect(ms / MEMORIES).toBeLessThan(MOST_MS_EACH);
});
