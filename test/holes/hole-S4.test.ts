// What a hook costs does not depend on what is in its payload, and what it has no time for is never written as it came.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeText, makeTextOf, TEXT_KINDS } from '../../bench/spine/payloads.ts';
import { HOSTILE_UNITS, hostileText } from '../core/hostile-text.ts';
import { createLines } from '../support/claude-lines.ts';
import { bash, nextId, stop, userPrompt } from '../support/payloads.ts';
import { createSandbox, runProcess, type Sandbox } from '../support/sandbox.ts';
import { toLines } from '../support/transcript.ts';
import { until } from '../support/until.ts';

const HOOK = join(import.meta.dir, '../../dist/hook.js');
const LATE_HOOK = join(import.meta.dir, '../support/hook-without-time.ts');
const KB = 1024;

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = createSandbox();
  await sandbox.startWorker();
});
afterAll(() => sandbox.dispose());

/** Those that cost the processor more than so many times as much as plain words, each time they are tried side by side. */
async function listSlow(texts: Record<string, string>, most: number, plain: string): Promise<string[]> {
  const slow: string[] = [];
  let usual = Math.min(await runOnce(plain), await runOnce(plain));
  for (const [name, text] of Object.entries(texts)) {
    let ratio = (await runOnce(text)) / usual;
    for (let tries = 0; tries < 4 && ratio > most; tries++) {
      usual = await runOnce(plain);
      ratio = Math.min(ratio, (await runOnce(text)) / usual);
    }
    if (ratio > most) slow.push(`${name} ${ratio.toFixed(1)}`);
  }
  return slow;
}

async function runOnce(stdout: string): Promise<number> {
  const child = Bun.spawn([process.execPath, HOOK, 'save'], { env: sandbox.env, stdin: 'pipe', stdout: 'ignore' });
  child.stdin.write(JSON.stringify(bash('s4', '/home/dev/shop', 'cat it', stdout)));
  await child.stdin.end();
  expect(await child.exited).toBe(0);
  return Number(child.resourceUsage()?.cpuTime.total) / 1000;
}

describe('hole-S4: a hook costs about as much as with plain words', () => {
  test.each([250, 1024])('with %d KB of any kind of text', async (size) => {
    const texts = Object.fromEntries(TEXT_KINDS.map((kind) => [kind, makeTextOf(kind, size * KB)]));
    expect(await listSlow(texts, 3, makeText(size * KB))).toEqual([]);
  });

  test('with 250 KB that are made to be slow', async () => {
    const texts = Object.fromEntries(Object.entries(HOSTILE_UNITS).map(([name, unit]) => [name, hostileText(unit, 250 * KB)]));
    expect(await listSlow(texts, 10, makeText(250 * KB))).toEqual([]);
  });
});

describe('hole-S4: what there was no time for', () => {
  const DIARY = 'diary-of-mine';
  const TOKEN = `ghp_${'k3J9xQ2mV7bT'.repeat(3)}`;
  const output = `${'<p>row</p>\n'.repeat(200)}token ${TOKEN}\n<private>${DIARY} ${'x'.repeat(500)}</private>\nthe end of it`;

  const late = (command: string, payload: unknown, env = sandbox.env) =>
    runProcess([process.execPath, LATE_HOOK, command], env, JSON.stringify(payload));
  const filesWith = (text: string, folder: string): string[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((path) => statSync(path).isFile() && readFileSync(path, 'latin1').includes(text));

  test('is on no disk, is marked, and comes with the transcript', async () => {
    const cwd = sandbox.project('late');
    const session = '22222222-2222-4333-8444-555555555555';
    const [id, promptId] = [nextId('toolu'), nextId('prompt')];
    const transcript = join(sandbox.home, `.claude/projects/late/${session}.jsonl`);
    mkdirSync(dirname(transcript), { recursive: true });
    const { prompt, bash: ran, say } = createLines({ session, cwd, from: Date.now() - 60_000 });
    writeFileSync(transcript, toLines([prompt('List the rows', promptId), ...ran(id, 'cat rows', output), say('Listed.')]));
    const more = { transcript_path: transcript, prompt_id: promptId };

    await sandbox.hook('new', userPrompt(session, cwd, 'List the rows', more));
    const run = await late('save', bash(session, cwd, 'cat rows', output, { ...more, tool_use_id: id }));
    expect([run.code, run.stderr]).toEqual([0, '']);
    const read = () => {
      const [row] = sandbox.query<{ status: string; payload: string }>(`SELECT status, payload FROM events WHERE tool_use_id = '${id}'`);
      return row;
    };
    // On a busy machine it comes by the spool.
    expect(await until(read)).toMatchObject({ status: 'skipped', payload: expect.stringContaining('left out for lack of time') });
    expect(read()?.payload).toContain('cat rows');
    expect((await sandbox.status()).counters.incomplete).toBeGreaterThan(0);

    await sandbox.hook('summary', stop(session, cwd, 'Listed.', more));
    const whole = await until(() => (read()?.payload.includes('the end of it') ? read() : null));
    expect(whole.payload).not.toContain('left out for lack of time');
    expect(filesWith(DIARY, sandbox.paths.dataDir)).toEqual([]);
    expect(filesWith(TOKEN, sandbox.paths.dataDir)).toEqual([]);
    await until(() => read()?.status === 'done');
  });

  test('is not in the spool either', async () => {
    const dataDir = join(sandbox.home, 'deaf');
    mkdirSync(dataDir);
    const server = Bun.listen({ unix: `${dataDir}/worker.sock`, socket: { data: () => undefined } });
    const env = { ...sandbox.env, CLAUDE_MEM_DATA_DIR: dataDir };
    const run = await late('save', bash('spooled', '/x', `push ${TOKEN}`, output, { tool_use_id: 'toolu_s' }), env);
    server.stop(true);
    expect([run.code, run.stderr]).toEqual([0, '']);
    const [name = ''] = readdirSync(join(dataDir, 'spool')).filter((file) => file.endsWith('.json'));
    const envelope = JSON.parse(readFileSync(join(dataDir, 'spool', name), 'utf8'));
    expect(envelope).toMatchObject({ incomplete: true, payload: { session_id: 'spooled', tool_use_id: 'toolu_s' } });
    expect(filesWith(DIARY, dataDir)).toEqual([]);
    expect(filesWith(TOKEN, dataDir)).toEqual([]);
  });
});
