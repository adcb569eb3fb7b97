// The hook as a process: with a worker, without one, with one that does not answer.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bash, sessionEnd, sessionStart, stop, userPrompt } from '../support/payloads.ts';
import { createSandbox, runProcess, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

const HOOK = join(import.meta.dir, '../../dist/hook.js');
const ALL_IS_WELL = '{"continue":true,"suppressOutput":true}\n';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = createSandbox();
});
afterEach(() => sandbox.dispose());

const spooled = () => (existsSync(sandbox.paths.spool) ? readdirSync(sandbox.paths.spool).filter((name) => name.endsWith('.json')) : []);

describe('a hook with a worker', () => {
  test('has its event in the store when it ends', async () => {
    await sandbox.startWorker();
    const run = await sandbox.hook('save', bash('s', '/home/dev/shop', 'ls', 'x', { tool_use_id: 'toolu_1' }));
    expect([run.code, run.stdout, run.stderr]).toEqual([0, ALL_IS_WELL, '']);
    expect(sandbox.query('SELECT tool_use_id AS id FROM events')).toEqual([{ id: 'toolu_1' }]);
  });

  test('gives the same event one id on two channels', async () => {
    await sandbox.startWorker();
    const payload = userPrompt('s', '/home/dev/shop', 'hello');
    await sandbox.hook('new', payload);
    await sandbox.hook('new', payload);
    expect(sandbox.query('SELECT text FROM prompts')).toEqual([{ text: 'hello' }]);
  });

  test('never gives context at a stop', async () => {
    await sandbox.startWorker();
    expect((await sandbox.hook('summary', stop('s', '/home/dev/shop', 'done'))).stdout).toBe(ALL_IS_WELL);
    expect((await sandbox.hook('cleanup', sessionEnd('s', '/home/dev/shop'))).stdout).toBe(ALL_IS_WELL);
  });
});

const beforeEdit = (file: string) => ({
  ...{ session_id: 's', cwd: '/x', hook_event_name: 'PreToolUse', tool_name: 'Edit' },
  tool_input: { file_path: file, old_string: 'a', new_string: 'const one: Array<string> = [<private>no</private>];' },
});

describe('a hook as it is installed', () => {
  const cases: [string, string, Record<string, unknown>, boolean][] = [
    ['a tool use', 'save', bash('s', '/x', 'ls', 'a.txt'), true],
    ['a prompt', 'new', userPrompt('s', '/x', 'hello'), true],
    ['text that may hold private blocks', 'save', bash('s', '/x', 'cat page', '<p>hello</p>'), false],
    ['much text', 'save', bash('s', '/x', 'cat log', 'line\n'.repeat(20_000)), false],
    ['a question before an edit', 'context', beforeEdit('/x/a.ts'), true],
    ['a question about a file whose name may hide something', 'context', beforeEdit('/x/<a>.ts'), false],
    ['an event that nobody knows', 'save', { session_id: 's', hook_event_name: 'Later' }, false],
    ['a compaction', 'save', { session_id: 's', cwd: '/x', hook_event_name: 'PostCompact', trigger: 'auto' }, false],
  ];
  test.each(cases)('has the worker make the id of what needs no look: %s', async (_, command, payload, isShort) => {
    const lines: string[] = [];
    mkdirSync(sandbox.paths.dataDir, { recursive: true });
    const data = (socket: Bun.Socket, bytes: Buffer) => {
      lines.push(bytes.toString());
      if (lines.at(-1)?.endsWith('\n')) socket.write('{"id":"1","ok":true}\n');
    };
    using _server = Bun.listen({ unix: sandbox.paths.workerSocket, socket: { data } });
    await sandbox.hook(command, payload);
    const envelope = JSON.parse(lines.join(''));
    expect(envelope).toMatchObject({ host: 'claude-code', event: command, payload: { session_id: 's' } });
    expect(envelope.id === undefined).toBe(isShort);
  });

  const patch = (file: string) => ({
    ...{ ...beforeEdit(''), tool_name: 'apply_patch' },
    tool_input: { command: `*** Begin Patch\n*** Update File: ${file}\n@@\n-a\n+const no = 1;\n*** End Patch` },
  });
  test.each([
    [beforeEdit('/x/a.ts'), { file_path: '/x/a.ts' }],
    [patch('a.ts'), { command: '*** Update File: a.ts' }],
  ])('sends of an edit its file alone, whatever it would write', async (payload, sent) => {
    const lines: string[] = [];
    mkdirSync(sandbox.paths.dataDir, { recursive: true });
    const data = (socket: Bun.Socket, bytes: Buffer) => {
      lines.push(bytes.toString());
      if (lines.at(-1)?.endsWith('\n')) socket.write('{"id":"1","ok":true}\n');
    };
    using _server = Bun.listen({ unix: sandbox.paths.workerSocket, socket: { data } });
    await sandbox.hook('context', payload);
    expect(JSON.parse(lines.join('')).payload).toEqual({ ...payload, tool_input: sent });
  });

  test('gives an event the same id by either way', async () => {
    await sandbox.startWorker();
    const payload = userPrompt('s', '/home/dev/shop', 'hello');
    await sandbox.hook('new', payload);
    await runProcess([process.execPath, HOOK, 'new'], sandbox.env, JSON.stringify(payload));
    expect(sandbox.query('SELECT text FROM prompts')).toEqual([{ text: 'hello' }]);
  });

  test('reads stdin that is no socket, too, when it is not said to be one', async () => {
    await sandbox.startWorker();
    const file = join(sandbox.home, 'payload.json');
    writeFileSync(file, JSON.stringify(bash('s', '/home/dev/shop', 'ls', 'x', { tool_use_id: 'toolu_f' })));
    const start = join(import.meta.dir, '../../plugin/bin/start-bun');
    for (const how of [`"${start}" hook.js save <"${file}"`, `cat "${file}" | "${start}" hook.js save`]) {
      const run = await runProcess(['/bin/sh', '-c', how], sandbox.env, '');
      expect([run.code, run.stdout, run.stderr]).toEqual([0, ALL_IS_WELL, '']);
    }
    expect(sandbox.query('SELECT tool_use_id AS id FROM events')).toEqual([{ id: 'toolu_f' }]);
  });
});

describe('a hook without a worker', () => {
  test('keeps the event in the spool, starts a worker, and that stores it', async () => {
    const run = await sandbox.hook('save', bash('s', '/home/dev/shop', 'ls', 'x', { tool_use_id: 'toolu_2' }));
    expect([run.code, run.stdout, run.stderr]).toEqual([0, ALL_IS_WELL, '']);
    await until(() => sandbox.workerPid());
    await until(() => sandbox.query('SELECT tool_use_id FROM events').length === 1);
    await until(() => spooled().length === 0);
  });

  test('at the start of a session waits for the worker it starts, and is answered', async () => {
    const run = await sandbox.hook('context', sessionStart('s', sandbox.project('shop')));
    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout).systemMessage).toContain('no memory yet');
    expect(sandbox.query('SELECT host_session_id AS id FROM sessions')).toEqual([{ id: 's' }]);
    expect(spooled()).toEqual([]);
  });
});

describe('a hook whose worker does not answer', () => {
  const deaf = () => {
    mkdirSync(sandbox.paths.dataDir, { recursive: true });
    return Bun.listen({ unix: sandbox.paths.workerSocket, socket: { data: () => undefined } });
  };

  test.each([
    ['save', 300],
    ['context', 1000],
  ])('%s gives up after %d ms and spools without secrets, for this user alone', async (command, budget) => {
    const server = deaf();
    const token = `ghp_${'k3J9xQ2mV7bT'.repeat(3)}`;
    const payload = command === 'save' ? bash('s', '/x', `push ${token}`, '<private>diary') : sessionStart('s', '/x', { note: token });
    const run = await sandbox.hook(command, payload);
    server.stop(true);
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(run.ms).toBeGreaterThan(budget - 20);
    expect(run.ms).toBeLessThan(budget + 4000);
    const [name = ''] = spooled();
    const text = readFileSync(join(sandbox.paths.spool, name), 'utf8');
    expect(text).not.toContain(token);
    expect(text).not.toContain('diary');
    expect(statSync(join(sandbox.paths.spool, name)).mode & 0o077).toBe(0);
    expect(statSync(sandbox.paths.spool).mode & 0o077).toBe(0);
  });

  test.each([
    ['a colour', '&\x1b[0mlt;private&\x1b[0mgt;'],
    ['a written colour', '&\\e[0mlt;private&\\e[0mgt;'],
    ['a colour in octal', '&\\033[0mlt;private&\\033[0mgt;'],
    ['a colour of a URL', '&%1b[0mlt;private>'],
    ['a backspace', '&q\blt;private&q\bgt;'],
  ])('spools no private text behind a bracket that hides %s', async (_, tag) => {
    const server = deaf();
    await sandbox.hook('save', bash('s', '/x', 'cat notes', `before ${tag}my diary`));
    server.stop(true);
    const texts = spooled().map((name) => readFileSync(join(sandbox.paths.spool, name), 'latin1'));
    expect(texts).toEqual([expect.stringContaining('before ')]);
    expect(texts.join()).not.toContain('diary');
  });
});

describe('a hook whose store cannot be used', () => {
  test('keeps the event in the spool, and a starting session hears why, once', async () => {
    mkdirSync(sandbox.paths.dataDir);
    writeFileSync(sandbox.paths.database, 'somebody else wrote this, and it is no database at all'.repeat(3));
    const start = await sandbox.hook('context', sessionStart('s', '/home/dev/shop'));
    expect(JSON.parse(start.stdout).systemMessage).toContain('claude-mem is off: ');
    expect(start.stdout).toContain('is not a claude-mem memory');
    const save = await sandbox.hook('save', bash('s', '/home/dev/shop', 'ls', 'x'));
    expect([save.code, save.stdout, save.stderr]).toEqual([0, ALL_IS_WELL, '']);
    expect(spooled()).toHaveLength(2);
    expect(readFileSync(sandbox.paths.database, 'utf8')).toStartWith('somebody else');
  });

  test('tells a starting session when there is no place to write', async () => {
    writeFileSync(join(sandbox.home, 'file'), 'x');
    const env = { ...sandbox.env, CLAUDE_MEM_DATA_DIR: join(sandbox.home, 'file') };
    const run = await runProcess([process.execPath, HOOK, 'context'], env, JSON.stringify(sessionStart('s', '/x')));
    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout).systemMessage).toContain('claude-mem is off: ');
  });
});

describe('a hook', () => {
  test('of our own observer keeps nothing and says nothing', async () => {
    const env = { ...sandbox.env, CLAUDE_MEM_OBSERVER: '1' };
    const payload = JSON.stringify(userPrompt('s', '/x', 'observe'));
    expect(await runProcess([process.execPath, HOOK, 'new'], env, payload)).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(existsSync(sandbox.paths.dataDir)).toBe(false);
  });

  test('that is told to end keeps its event first', async () => {
    await sandbox.startWorker();
    const child = Bun.spawn([process.execPath, HOOK, 'save'], { env: sandbox.env, stdin: 'pipe', stdout: 'ignore' });
    // Its handler is there once it reads; a payload that it has not seen to the end yet shows that.
    child.stdin.write(' '.repeat(300_000));
    await child.stdin.flush();
    child.kill('SIGTERM');
    child.stdin.write(JSON.stringify(bash('s', '/home/dev/shop', 'ls', 'x', { tool_use_id: 'toolu_3' })));
    await child.stdin.end();
    expect(await child.exited).toBe(0);
    expect(sandbox.query('SELECT tool_use_id AS id FROM events')).toEqual([{ id: 'toolu_3' }]);
  });

  test('without a home ends quietly', async () => {
    const run = await runProcess([process.execPath, HOOK, 'save'], { PATH: '/usr/bin' }, JSON.stringify(bash('s', '/x', 'a', 'b')));
    expect(run).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  test('whose data dir is a file ends quietly', async () => {
    writeFileSync(join(sandbox.home, 'file'), 'x');
    const env = { ...sandbox.env, CLAUDE_MEM_DATA_DIR: join(sandbox.home, 'file') };
    const run = await runProcess([process.execPath, HOOK, 'save'], env, JSON.stringify(bash('s', '/x', 'a', 'b')));
    expect(run).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  test('passes nothing of its environment to the worker but path, home, language and data dir', async () => {
    const env = { ...sandbox.env, ANTHROPIC_API_KEY: 'k', CLAUDE_MEM_PROVIDER: 'evil', NODE_OPTIONS: '--x', LD_PRELOAD: '' };
    await runProcess([process.execPath, HOOK, 'context'], env, JSON.stringify(sessionStart('s', sandbox.project('shop'))));
    const pid = await until(() => sandbox.workerPid());
    const names = readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .filter(Boolean)
      .map((entry) => entry.split('=')[0]);
    expect(names.sort()).toEqual(['CLAUDE_MEM_DATA_DIR', 'HOME', 'LANG', 'PATH']);
  });
});
