// A Stop as the first hooks sent it, without the agent's last message: its words come with the transcript, and it is one turn.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLines } from '../support/claude-lines.ts';
import { bash, sessionStart, userPrompt } from '../support/payloads.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { toLines } from '../support/transcript.ts';
import { until } from '../support/until.ts';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = createSandbox();
  await sandbox.startWorker();
});
afterEach(() => sandbox.dispose());

const PROMPTS = ['Round the refunds to whole cents', 'And now the fees'];
const CLOSINGS = ['Refunds are rounded with Math.round in src/ledger.ts.', 'Fees are rounded the same way.'];

test.each([
  ['with', 'p'],
  ['without', null],
] as const)('%s ids of prompts', async (_, prefix) => {
  const [session, cwd] = ['one', sandbox.project('shop')];
  const transcript_path = join(sandbox.home, `${session}.jsonl`);
  const lines = createLines({ session, cwd, from: Date.now() - 60_000 });
  const written: object[] = [];
  await sandbox.hook('context', { ...sessionStart(session, cwd), transcript_path });
  for (const [at, prompt] of PROMPTS.entries()) {
    const id = prefix && `${prefix}${at}`;
    // Undefined is not sent: the helpers would give an id of their own.
    const more = { transcript_path, prompt_id: id ?? undefined };
    await sandbox.hook('new', userPrompt(session, cwd, prompt, more));
    await sandbox.hook('save', bash(session, cwd, `npm run ledger ${at}`, 'ok', { ...more, tool_use_id: `t${at}` }));
    written.push(lines.prompt(prompt, id), ...lines.bash(`t${at}`, `npm run ledger ${at}`, 'ok'), lines.say(CLOSINGS[at] ?? ''));
    writeFileSync(transcript_path, toLines(written));
    await sandbox.hook('summary', { session_id: session, cwd, hook_event_name: 'Stop', stop_hook_active: false, ...more });
    await until(() => sandbox.query("SELECT 1 FROM events WHERE status = 'pending'").length === 0 && records().length > at);
  }
  expect(records()).toEqual(CLOSINGS);
  expect(sandbox.query('SELECT 1 FROM batches')).toHaveLength(2);
  expect(sandbox.query("SELECT 1 FROM events WHERE kind = 'stop'")).toHaveLength(2);
});

const records = () =>
  sandbox
    .query<{ record: string }>('SELECT record FROM turns ORDER BY id')
    .map(({ record }) => CLOSINGS.find((one) => record.includes(one)) ?? record);
