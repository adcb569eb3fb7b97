// A command, an output or a message costs the worker what its length costs, whatever it is made of.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { bash, bashFailure, nextId, stop, userPrompt } from '../support/payloads.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

const CWD = '/home/dev/shop';
const LENGTH = 50_000;

let sandbox: Sandbox;
let pid: number;
beforeAll(async () => {
  sandbox = createSandbox();
  pid = await sandbox.startWorker();
});
afterAll(() => sandbox.dispose());

/** What the worker has worked so far, by the kernel's count. */
function workedMs(): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** One turn full of it, captured by real hooks, until it is observed. */
async function cost(unit: string): Promise<number> {
  const text = unit.repeat(Math.ceil(LENGTH / unit.length)).slice(0, LENGTH);
  const session = nextId('session');
  const more = { prompt_id: nextId('prompt') };
  const before = workedMs();
  await sandbox.hook('new', userPrompt(session, CWD, text, more));
  await sandbox.hook('save', bash(session, CWD, text, text, more));
  await sandbox.hook('save', { ...bashFailure(session, CWD, text, text), ...more });
  await sandbox.hook('summary', stop(session, CWD, text, more));
  const open = `SELECT 1 FROM events e JOIN sessions s ON s.id = e.session_id WHERE s.host_session_id = '${session}'`;
  await until(() => sandbox.query(open).length === 4);
  await until(() => sandbox.query(`${open} AND e.status IN ('pending','claimed')`).length === 0);
  return workedMs() - before;
}

test('hole-S9: text that is made to be slow costs the worker about what plain words cost', async () => {
  await cost('warm up ');
  const plain = Math.max(await cost('plain words '), 100);
  const slow: string[] = [];
  for (const unit of ['(', '[ab ', '$(', ':\n', '((', 'a;(', '[', '"', '`', '\\', '|', '<<EOF\n', 'a.a.', '- - ', '**', '1,', '日']) {
    const ratio = (await cost(unit)) / plain;
    if (ratio > 6) slow.push(`${JSON.stringify(unit)} ${ratio.toFixed(1)}`);
  }
  expect(slow).toEqual([]);
});
