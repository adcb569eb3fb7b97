// A turn that somebody ended by Esc: no hook says so, and a session that begins a moment later knows of it.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLines } from '../support/claude-lines.ts';
import { bash, edit, sessionStart, userPrompt } from '../support/payloads.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { toLines } from '../support/transcript.ts';

let sandbox: Sandbox;
let cwd: string;
beforeEach(async () => {
  sandbox = createSandbox();
  cwd = sandbox.project('shop');
  await sandbox.startWorker();
});
afterEach(() => sandbox.dispose());

const PROMPT = 'Round the refunds to whole cents in the ledger';

/** What hooks and the transcript tell of a session up to now; then it is as quiet as one that was interrupted. */
async function work(session: string, end: string | null): Promise<void> {
  const transcript_path = join(sandbox.home, `${session}.jsonl`);
  const lines = createLines({ session, cwd, from: Date.now() - 5000 });
  const more = { transcript_path, prompt_id: 'p1' };
  const written = [lines.prompt(PROMPT, 'p1'), ...lines.bash('t1', 'npm run ledger', 'rounding differs by 1 cent')];
  const last = end === null ? [] : [lines.prompt([{ type: 'text', text: end }])];
  writeFileSync(transcript_path, toLines([...written, ...last]));
  await sandbox.hook('context', { ...sessionStart(session, cwd), transcript_path });
  await sandbox.hook('new', userPrompt(session, cwd, PROMPT, more));
  await sandbox.hook('save', bash(session, cwd, 'npm run ledger', 'rounding differs by 1 cent', { ...more, tool_use_id: 't1' }));
  await sandbox.hook('save', { ...edit(session, cwd, 'src/ledger.ts', ['-floor(x)', '+round(x)']), ...more, tool_use_id: 't2' });
}

const told = async (session: string) => (await sandbox.hook('context', sessionStart(session, cwd))).stdout;

test.each(['[Request interrupted by user]', '[Request interrupted by user for tool use]'])('%s', async (end) => {
  await work('one', end);
  const context = await told('two');
  expect(context).toContain(PROMPT);
  expect(context).toContain('src/ledger.ts');
  // What was asked is not what came of it: nobody said that it is done.
  expect(context).toContain(`${PROMPT} (interrupted)`);
  const summary = { request: PROMPT, completed: null, notes: 'The user interrupted it before it was finished.' };
  expect(sandbox.query('SELECT request, completed, notes FROM summaries')).toEqual([summary]);
  expect(sandbox.query('SELECT status FROM sessions WHERE completed_at_epoch IS NOT NULL')).toEqual([]);
  // Also when it is made again from the record.
  expect((await sandbox.cli('rebuild')).code).toBe(0);
  expect(sandbox.query('SELECT request, completed, notes FROM summaries')).toEqual([summary]);
});

test('one that is still at work is left alone', async () => {
  await work('one', null);
  expect(await told('two')).not.toContain(PROMPT);
  expect(sandbox.query("SELECT 1 FROM events WHERE kind = 'prompt' AND status = 'pending'")).toHaveLength(1);
});
