// What a hook gets on stdin when things are wrong: it exits 0, says nothing, is counted, and loses nothing else.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { fetchStatus } from '../../src/cli/worker-state.ts';
import { bash, nextId } from '../support/payloads.ts';
import { createSandbox, type Run, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

const MB = 1024 * 1024;
/** What came to the offline queue on a busy machine is looked for every half minute at the latest. */
const SWEPT_MS = 90_000;
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = createSandbox();
  await sandbox.startWorker();
});
afterAll(() => sandbox.dispose());

const counters = async () => (await until(() => fetchStatus(sandbox.paths))).counters;
const big = (size: number, id: string) => {
  const open = `{"session_id":"big","cwd":"/home/dev/shop","hook_event_name":"PostToolUse","tool_name":"Bash","tool_use_id":"${id}","tool_input":{"command":"cat"},"tool_response":{"stdout":"FIRST `;
  return `${open}${'all work and no play\\n'.repeat(Math.ceil(size / 22))} LAST"}}`;
};
const deep = (id: string) =>
  `{"session_id":"deep","cwd":"/x","hook_event_name":"PostToolUse","tool_name":"mcp","tool_use_id":"${id}","tool_input":${'{"a":'.repeat(1e6)}1${'}'.repeat(1e6)}}`;

/** With its peak memory. The kernel's own figure for a child counts its parent's from before exec, so this looks by itself. */
async function save(payload: string): Promise<Run & { maxRss: number }> {
  let maxRss = 0;
  let timer: Timer | undefined;
  const look = (pid: number) => {
    try {
      maxRss = Math.max(maxRss, Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024);
    } catch {
      // It has ended.
    }
  };
  const run = await sandbox.hook('save', payload, (pid) => {
    timer = setInterval(() => look(pid), 2);
  });
  clearInterval(timer);
  return { ...run, maxRss };
}

describe('a hook', () => {
  test.each([
    ['empty', '', 'bad-input:empty'],
    ['not JSON', 'this is not JSON', 'bad-input:not-json'],
    ['cut JSON', '{"session_id":"s","tool_na', 'bad-input:not-json'],
    ['an array', '[]', 'bad-input:not-an-object'],
    ['binary', '\u0000\u0001\u0002', 'bad-input:not-json'],
  ])('with %s payload is silent, and counted', async (_, payload, counter) => {
    for (const command of ['context', 'new', 'save', 'summary', 'cleanup']) {
      const before = (await counters())[counter] ?? 0;
      const run = await sandbox.hook(command, payload);
      expect([command, run.code, run.stdout, run.stderr]).toEqual([command, 0, '', '']);
      expect(run.ms).toBeLessThan(20_000);
      expect((await counters())[counter]).toBe(before + 1);
    }
  });

  test('with an unknown event keeps it raw', async () => {
    const run = await sandbox.hook('save', { session_id: 'u', cwd: '/x', hook_event_name: 'NeverSeen', x: 1 });
    expect([run.code, run.stdout]).toEqual([0, '']);
    expect((await counters())['unknown-event:NeverSeen']).toBe(1);
    expect(JSON.stringify(sandbox.query("SELECT payload FROM events WHERE kind = 'unknown'"))).toContain('NeverSeen');
  });

  test.each([
    ['200 KB', 0.2 * MB],
    ['5 MB', 5 * MB],
  ])('with %s of output keeps head, tail, hash and length', async (_, size) => {
    const id = nextId('big');
    const run = await save(big(size, id));
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(run.ms).toBeLessThan(20_000);
    if (size > MB) expect(run.maxRss).toBeGreaterThan(20 * MB);
    expect(run.maxRss).toBeLessThan(300 * MB);
    const payload = await until(() => stored(id), SWEPT_MS);
    expect(payload.action.stdout).toStartWith('FIRST all work');
    expect(payload.action.stdout.length).toBeLessThan(70_000);
    // A machine too busy for 300 ms of work leaves the end to the transcript, and says so.
    if (/left out for lack of time|characters left out\]/.test(payload.action.stdout)) return;
    expect(payload.action.stdout).toEndWith(' LAST');
    expect(payload.action.stdout).toMatch(/middle of \d{6,} characters left out, sha256 [0-9a-f]{64}/);
  });

  test('with 200 MB of output keeps its head and does not look at all of it', async () => {
    const id = nextId('huge');
    const run = await save(big(200 * MB, id));
    expect([run.code, run.stdout, run.stderr]).toEqual([0, '', '']);
    expect(run.maxRss).toBeLessThan(300 * MB);
    const payload = await until(() => stored(id), SWEPT_MS);
    expect(payload.action.stdout).toStartWith('FIRST all work');
    expect(payload.action.stdout).toMatch(/middle of \d{9} characters left out/);
  });

  test('with a payload a million levels deep keeps the event', async () => {
    const id = nextId('deep');
    const run = await save(deep(id));
    expect([run.code, run.stdout, run.stderr]).toEqual([0, '', '']);
    expect(run.ms).toBeLessThan(20_000);
    expect(run.maxRss).toBeLessThan(300 * MB);
    expect(await until(() => stored(id), SWEPT_MS)).toBeTruthy();
  });

  test('with a payload that comes slowly waits for all of it, longer than for a silent host', async () => {
    const id = nextId('slow');
    const payload = JSON.stringify(bash('slow', '/home/dev/shop', 'ls', 'y'.repeat(600), { tool_use_id: id }));
    const hook = sandbox.openHook('save');
    for (let at = 0; at < payload.length; at += 100) {
      hook.stdin.write(payload.slice(at, at + 100));
      await hook.stdin.flush();
      await Bun.sleep(500);
    }
    await hook.stdin.end();
    expect(await hook.exited).toBe(0);
    expect(await until(() => stored(id), SWEPT_MS)).toBeTruthy();
  });

  test('after all that still takes an ordinary event', async () => {
    const run = await sandbox.hook('save', bash('after', '/home/dev/shop', 'ls', 'x'));
    expect(run.stdout).toBe('{"continue":true,"suppressOutput":true}\n');
  });
});

function stored(toolUseId: string) {
  const [row] = sandbox.query<{ payload: string }>(`SELECT payload FROM events WHERE tool_use_id = '${toolUseId}'`);
  return row ? JSON.parse(row.payload) : null;
}
