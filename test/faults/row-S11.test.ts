// S11: an old copy of the database is put back, or a repair could not bring back events: they are read again from the transcript, each once.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nameSpooled } from '../../src/core/envelope.ts';
import { createLines } from '../support/claude-lines.ts';
import { readPageUse, writePage } from '../support/damaged-store.ts';
import { bash, sessionEnd, sessionStart, stop, userPrompt } from '../support/payloads.ts';
import { reportFault } from '../support/report-fault.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { toLines } from '../support/transcript.ts';
import { until } from '../support/until.ts';
import { envelopeOf } from '../support/worker-app.ts';

const TURNS = process.env.CLAUDE_MEM_TEST_FULL ? 100 : 6;
const TOOLS = process.env.CLAUDE_MEM_TEST_FULL ? 10 : 2;
const SESSION = '0c000001-0000-4000-8000-000000000001';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = createSandbox();
});
afterEach(() => sandbox.dispose());

/** Nobody has the database open. */
const WAYS: [fault: string, lose: (old: string) => Promise<void>][] = [
  ['S11', async (old) => copyFileSync(old, sandbox.paths.database)],
  [
    'S11 repair',
    async () => {
      const { database } = sandbox.paths;
      const pages = [...readPageUse(database)].filter(([, { table, mostRows }]) => table === 'events' && mostRows > 0);
      for (const [page] of pages) writePage(database, page, (bytes) => bytes.fill(0));
      const { tables } = JSON.parse((await sandbox.cli('repair', '--json')).stdout);
      expect(tables.events).toMatchObject({ read: 0, missing: expect.any(Number) });
    },
  ],
];

test.each(WAYS)(
  `%s: ${TURNS} turns are there again, once`,
  async (fault, lose) => {
    const since = performance.now();
    const cwd = sandbox.project('shop');
    const folder = join(sandbox.home, '.claude/projects/-shop');
    mkdirSync(folder, { recursive: true });
    const transcript_path = join(folder, `${SESSION}.jsonl`);
    const lines = createLines({ session: SESSION, cwd, from: Date.now() - 3_600_000 });
    const written: object[] = [];
    const tools: string[] = [];
    const turn = async (at: number) => {
      const more = { prompt_id: `p${at}`, transcript_path };
      const asked = `Change number ${at}`;
      written.push(lines.prompt(asked, `p${at}`));
      await sandbox.hook('new', userPrompt(SESSION, cwd, asked, more));
      for (let tool = 0; tool < TOOLS; tool++) {
        const id = `toolu_${at}_${tool}`;
        tools.push(id);
        written.push(...lines.bash(id, `echo ${id}`, 'ok'));
        await sandbox.hook('save', bash(SESSION, cwd, `echo ${id}`, 'ok', { ...more, tool_use_id: id }));
      }
      written.push(lines.say(`Changed number ${at}.`));
      writeFileSync(transcript_path, toLines(written));
      await sandbox.hook('summary', stop(SESSION, cwd, `Changed number ${at}.`, more));
    };
    await sandbox.startWorker();
    await sandbox.hook('context', sessionStart(SESSION, cwd, { transcript_path }));
    await turn(0);
    await until(() => sandbox.query('SELECT id FROM summaries').length === 1);
    await sandbox.cli('stop');
    const copy = join(sandbox.home, 'old.db');
    copyFileSync(sandbox.paths.database, copy);
    for (let at = 1; at <= TURNS; at++) await turn(at);
    await sandbox.hook('cleanup', sessionEnd(SESSION, cwd));
    await until(() => sandbox.query('SELECT id FROM summaries').length === TURNS + 1);
    await sandbox.cli('stop');
    await lose(copy);
    await sandbox.startWorker();
    const stored = () => sandbox.query<{ id: string }>("SELECT tool_use_id AS id FROM events WHERE kind = 'tool'").map(({ id }) => id);
    await until(() => stored().length >= tools.length);
    const there = stored();
    const lost = tools.filter((id) => !there.includes(id)).length;
    const twice = there.length - new Set(there).size;
    reportFault({ fault, runs: tools.length, lost, twice, since });
    expect({ lost, twice }).toEqual({ lost: 0, twice: 0 });
    expect(sandbox.query('SELECT id FROM prompts').length).toBe(TURNS + 1);
  },
  240_000,
);

test('what waits in the offline queue while the database is damaged is stored after the repair, once', async () => {
  const cwd = sandbox.project('shop');
  const save = (id: string) => sandbox.hook('save', bash(SESSION, cwd, `echo ${id}`, 'ok', { tool_use_id: id }));
  const pid = await sandbox.startWorker();
  await save('toolu_before');
  await sandbox.cli('stop');
  await until(async () => (await sandbox.workerPid()) !== pid);
  const [page] = [...readPageUse(sandbox.paths.database)].find(([, { table, mostRows }]) => table === 'events' && mostRows > 0) ?? [0];
  writePage(sandbox.paths.database, page, (bytes) => bytes.fill(0));
  // As a hook leaves it that finds no worker.
  const envelope = envelopeOf('save', bash(SESSION, cwd, 'echo waits', 'ok', { tool_use_id: 'toolu_waits' }));
  mkdirSync(sandbox.paths.spool, { recursive: true, mode: 0o700 });
  writeFileSync(join(sandbox.paths.spool, nameSpooled(envelope)), JSON.stringify(envelope));
  expect((await sandbox.cli('repair', '--json')).code).toBe(0);
  await sandbox.startWorker();
  const stored = () => sandbox.query("SELECT seq FROM events WHERE tool_use_id = 'toolu_waits'").length;
  await until(() => stored() > 0);
  await until(() => readdirSync(sandbox.paths.spool).every((name) => !name.endsWith('.json')));
  expect(stored()).toBe(1);
});
