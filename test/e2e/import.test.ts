// What is read from a transcript afterwards is remembered as if the hooks had been there.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runAtTerminal } from '../support/sandbox.ts';
import { until } from '../support/until.ts';
import { expectUndisturbed } from './hook-reports.ts';
import { readMemory } from './memory-db.ts';
import { createSandbox, type Sandbox, TEST_TIMEOUT_MS } from './sandbox.ts';
import { bash, fixSlugify, read } from './work-scripts.ts';

setDefaultTimeout(TEST_TIMEOUT_MS);

let sandbox: Sandbox;
let elsewhere: string;

beforeAll(async () => {
  sandbox = await createSandbox();
  elsewhere = join(sandbox.home, 'elsewhere');
});

afterAll(async () => {
  await claudeMem('stop');
  await sandbox.close();
});

const CLI = join(import.meta.dir, '..', '..', 'dist', 'cli.js');

/** As a person at a terminal, with a memory of its own: that of somebody who had no hooks. */
async function claudeMem(...args: string[]): Promise<string> {
  const env = { PATH: process.env.PATH ?? '', HOME: sandbox.home, CLAUDE_MEM_DATA_DIR: elsewhere };
  return (await runAtTerminal([process.execPath, CLI, ...args], env)).stdout;
}

test('a session by its hooks and by its transcript: the same observations and summaries', async () => {
  const repo = sandbox.makeRepo('shop');
  const { scripts } = sandbox.mock;
  const agent = { description: 'look for the cache', prompt: '[[mock:explore]] Where?', subagent_type: 'general-purpose' };
  scripts.set('fix', fixSlugify(repo));
  scripts.set('explore', [
    { tools: [bash('echo from the subagent'), read(`${repo}/src/slug.mjs`)] },
    { text: 'The cache lives in src/slug.mjs: it is filled when the first slug is made.' },
  ]);
  scripts.set('ask', [
    { tools: [{ name: 'Agent', input: { ...agent, run_in_background: false } }] },
    { text: 'The cache lives in src/slug.mjs. We decided to keep it there, because nothing else needs it.' },
  ]);
  scripts.set('fail', [
    { tools: [bash('echo the disk is full >&2; exit 3'), read(`${repo}/no-such-file`)] },
    { text: 'Both failed: the disk is full. Next: make room on it.' },
  ]);
  scripts.set('look', [{ text: 'I see.' }]);
  const turns = [
    '[[mock:fix]] Write slugify with a test and make it pass. Always use replaceAll, never a regular expression.',
    '[[mock:ask]] Have the cache found',
    '<private>[[mock:look]] the password of the vault is swordfish</private>',
    '[[mock:fail]] Try it <private>on the blue host</private>',
  ];
  const run = await sandbox.run({ cwd: repo, turns });
  expectUndisturbed(run);
  await until(() => remembered(sandbox.dataDir).summaries.length === 3);

  const job = JSON.parse(await claudeMem('import', '--json'));
  expect(job.status).toBe('done');
  await until(() => remembered(elsewhere).summaries.length === 3);
  const [byHooks, byImport] = [remembered(sandbox.dataDir), remembered(elsewhere)];
  expect(byHooks.observations.length).toBeGreaterThan(2);
  expect(byImport).toEqual(byHooks);
  for (const name of readdirSync(elsewhere).filter((one) => one.startsWith('memory.db'))) {
    const bytes = await Bun.file(join(elsewhere, name)).text();
    expect(bytes).not.toContain('swordfish');
    expect(bytes).not.toContain('blue host');
  }

  // Once more, and of a copy of the folder: nothing is new.
  cpSync(join(sandbox.home, '.claude/projects'), join(sandbox.home, 'copy'), { recursive: true });
  for (const source of [[], [join(sandbox.home, 'copy')]]) {
    expect(JSON.parse(await claudeMem('import', '--json', ...source)).progress.counts.events).toBe(0);
  }
  expect(remembered(elsewhere)).toEqual(byImport);
});

/** All that is remembered, without ids and times. */
function remembered(dataDir: string) {
  const list = (sql: string) => readMemory<Record<string, unknown>>(dataDir, sql);
  return {
    observations: list(
      `SELECT prompt_number, type, title, subtitle, narrative, (SELECT group_concat(json_extract(value, '$.text'), ' | ')
         FROM json_each(facts)) AS facts, concepts, files_read, files_modified, outcome, origin, trust, quarantined
       FROM observations WHERE origin <> 'commit' ORDER BY id`,
    ),
    summaries: list(
      `SELECT prompt_number, request, investigated, learned, completed, next_steps, notes, files_read, files_edited
       FROM summaries ORDER BY id`,
    ),
    prompts: list('SELECT prompt_number, prompt_id, text, private FROM prompts ORDER BY id'),
    sessions: list('SELECT host, host_session_id, cwd, root, branch, title, subtitle, first_prompt FROM sessions'),
    errors: list('SELECT mark FROM error_marks ORDER BY mark'),
  };
}
