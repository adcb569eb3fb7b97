// `claude-mem pause`, `resume`, `statusline` and settings per project, as a person uses them.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveFakeWorker } from '../support/fake-worker.ts';
import { sessionStart, userPrompt } from '../support/payloads.ts';
import { createSandbox, runProcess, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

let sandbox: Sandbox;
let shop: string;
beforeEach(() => {
  sandbox = createSandbox();
  shop = sandbox.project('shop');
});
afterEach(() => sandbox.dispose());

const cliPath = join(import.meta.dir, '../../dist/cli.js');
const say = async (...args: string[]) => {
  const { stdout, stderr, code } = await sandbox.person(...args);
  return { said: stdout + stderr, code };
};
const settings = () => JSON.parse(readFileSync(sandbox.paths.config, 'utf8'));
const statusline = (input: unknown) => runProcess([process.execPath, cliPath, 'statusline'], sandbox.env, JSON.stringify(input));

describe('claude-mem pause', () => {
  test('starts a worker if it must, is the first thing that status says, and ends with resume', async () => {
    expect((await say('pause', '1h')).said).toMatch(/^paused until .*\d\d:\d\d \(everything\)\n/);
    expect((await say('status')).said).toMatch(/^name\tvalue\nnot stored\tpaused until .*\(everything\)\nworker\t/);
    expect(JSON.parse((await say('status', '--json')).said).silences).toMatchObject([{ scope: 'everything' }]);
    expect((await say('resume')).said).toBe('The pause is over.\n');
    expect((await say('resume')).said).toBe('This was not paused.\n');
    expect((await say('status')).said).toMatch(/^name\tvalue\nworker\t/);
  });

  test('of a project and of a session', async () => {
    expect((await say('pause', '--session', 'session-7')).said).toMatch(
      /incognito: session session-7\n.*`claude-mem resume --session session-7` ends it/,
    );
    const { said } = await say('pause', '--project', shop, '30', 'minutes');
    expect(said).toMatch(/paused until .* \(project shop\)/);
    expect(said).toContain(`\`claude-mem resume --project ${shop}\` ends it`);
    expect((await say('resume')).said).toMatch(/not paused.*still incognito.*claude-mem resume --session session-7/s);
    expect(JSON.parse((await say('resume', '--all', '--json')).said)).toEqual({ ended: 2, silences: [] });
  });

  test.each([
    [['soon'], /"soon" is not a time that is understood.*Use 30m.*"until 18:00"/],
    [['5'], /"5" is not a time that is understood.*Use 30m/],
    [['--session'], /There is no session here/],
    [['--session', '1h'], /the time before the option: claude-mem pause 1h --session/],
    [['--project', '/tmp', '--session', 'x'], /either --project or --session/],
  ])('%j is not understood', async (args, reason) => {
    expect(await say('pause', ...args)).toMatchObject({ code: 2, said: expect.stringMatching(reason) });
  });

  test('of a project that nobody knows is refused', async () => {
    const said = expect.stringContaining('No project is called "nobody"');
    expect(await say('pause', '--project', 'nobody')).toMatchObject({ code: 1, said });
  });
});

test('a session that starts in a pause is told so and nothing else, and leaves nothing', async () => {
  await say('pause');
  const { stdout } = await sandbox.hook('context', sessionStart('s', shop));
  expect(JSON.parse(stdout)).toMatchObject({ systemMessage: 'claude-mem is paused: nothing is stored or added to sessions.' });
  expect(stdout).not.toContain('additionalContext');
  await sandbox.hook('new', userPrompt('s', shop, 'quiet words'));
  expect(sandbox.query('SELECT * FROM sessions')).toEqual([]);
});

test('of an incognito session nothing is there but that it is to be kept out', async () => {
  sandbox.env.CLAUDE_MEM_INCOGNITO = '1';
  expect(await sandbox.hook('context', sessionStart('s', shop))).toMatchObject({ stdout: '', code: 0 });
  expect(await sandbox.hook('new', userPrompt('s', shop, 'quiet words'))).toMatchObject({ stdout: '', code: 0 });
  await until(() => sandbox.workerPid());
  await until(() => sandbox.query('SELECT * FROM tombstones').length > 0);
  for (const table of ['sessions', 'prompts', 'events', 'transcripts', 'silences', 'counters'])
    expect(sandbox.query(`SELECT * FROM ${table}`)).toEqual([]);
  expect((await statusline({ session_id: 's', cwd: shop })).stdout).toBe('mem incognito\n');
  expect((await say('status')).said).toMatch(/^name\tvalue\nnot stored\tincognito: this session/);
});

test('what an agent says in a shell of a silent session is not remembered either', async () => {
  await say('pause', '--session', 'one');
  Object.assign(sandbox.env, { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'one' });
  const refused = { code: 1, said: expect.stringMatching(/nothing .*(kept|stored).* Only the user can say it now/) };
  expect(await say('remember', 'quiet words')).toMatchObject(refused);
  Object.assign(sandbox.env, { CLAUDE_CODE_SESSION_ID: 'two', CLAUDE_MEM_INCOGNITO: '1' });
  expect(await say('remember', 'quiet words')).toMatchObject(refused);
  expect(sandbox.query('SELECT * FROM observations')).toEqual([]);
  delete sandbox.env.CLAUDE_MEM_INCOGNITO;
  expect(await say('remember', 'loud words')).toMatchObject({ code: 0 });
});

test('inside of a session nobody is silenced; it says what the person is to run', async () => {
  Object.assign(sandbox.env, { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'one' });
  for (const [args, command] of [
    [['pause', '--session'], 'claude-mem pause --session one'],
    [['resume', '--session'], 'claude-mem resume --session one'],
    [['pause', 'until', '18:00'], 'claude-mem pause until 18:00'],
  ] as const)
    expect(await say(...args)).toMatchObject({ code: 1, said: expect.stringContaining(`run:\n  ${command}\n`) });
});

describe('settings that cannot be read', () => {
  test('are named by every command, and left for a person to put right', async () => {
    writeFileSync(ensureFile(), '{"off": true,}');
    expect((await say('status')).said).toMatch(
      /^name\tvalue\nnot stored\toff: everything: .*config.json cannot be read .*fix it or delete it\n/,
    );
    await sandbox.startWorker();
    expect((await say('status')).said).toMatch(/^name\tvalue\nnot stored\toff: everything: .*config.json cannot be read /);
    expect((await say('resume')).said).toMatch(/still off: everything: .*fix it or delete it\n$/);
    for (const args of [
      ['set', 'off', 'true'],
      ['unset', 'off'],
      ['get', 'off'],
    ])
      expect(await say('config', ...args)).toMatchObject({ code: 1, said: expect.stringMatching(/delete it/) });
    expect(readFileSync(sandbox.paths.config, 'utf8')).toBe('{"off": true,}');
  });

  test('are repaired one by one', async () => {
    writeFileSync(ensureFile(), '{"off": "ja", "projects": {"shop": {"off": "nein"}}}');
    expect((await say('config')).said).toMatch(/problem: .*off: must be true or false; fix it.*nothing is stored or added to sessions/);
    expect((await say('config', 'unset', 'off')).said).toMatch(/Nothing is stored or added to sessions: .*shop: off: must be true/);
    expect((await say('config', 'set', 'off', 'true', '--project', 'shop')).said).not.toContain('Nothing is stored or added to sessions');
    expect(settings()).toEqual({ projects: { shop: { off: true } } });
  });
});

test('a worker of another version is named, whatever its status says', async () => {
  const old = serveFakeWorker(sandbox.paths, () => ({ pid: 1, version: '0.1.0' }));
  try {
    for (const command of ['status', 'start'])
      expect(await say(command)).toMatchObject({ code: 1, said: expect.stringMatching(/another version.*claude-mem restart/) });
  } finally {
    old.close();
  }
});

describe('claude-mem statusline', () => {
  test('goes on in a folder that is gone', async () => {
    const gone = sandbox.project('gone');
    const command = `cd ${gone} && rmdir ${gone} && exec ${process.execPath} ${cliPath} statusline`;
    expect(await runProcess(['/bin/sh', '-c', command], sandbox.env, '{}')).toMatchObject({ stdout: 'mem asleep\n', code: 0 });
  });

  test('never starts a worker', async () => {
    expect(await statusline({ cwd: shop })).toMatchObject({ stdout: 'mem asleep\n', code: 0 });
    expect(await sandbox.workerPid()).toBeNull();
  });

  test('shows what is stored, and what the session was given', async () => {
    await sandbox.startWorker();
    const remembered = await runProcess([process.execPath, cliPath, 'remember', 'Prices are cents'], sandbox.env, '', shop);
    expect(remembered.code).toBe(0);
    const shown = async () => (await statusline({ session_id: 's', cwd: shop })).stdout;
    await until(async () => (await shown()) === 'mem 1\n');
    await sandbox.hook('context', sessionStart('s', shop));
    await until(async () => (await shown()) === 'mem 1 · 1 in context\n');
  });

  test('shows a pause', async () => {
    await say('pause', '--project', shop);
    const shown = async () => (await statusline({ workspace: { project_dir: shop } })).stdout;
    // On a busy machine it says so rather than wait.
    await until(async () => (await shown()) === 'mem paused here\n');
    expect((await statusline({ cwd: sandbox.project('blog') })).stdout).toBe('mem 0\n');
  });
});

describe('settings of one project', () => {
  test('are set, shown, and taken back', async () => {
    expect((await say('config', 'set', 'contextTokens', '500', '--project', shop)).said).toMatch(/is now in .*: 500\./);
    await say('config', 'set', 'excludePaths', 'secrets/**, *.pem', '--project', shop);
    expect(settings()).toEqual({ projects: { [shop]: { contextTokens: 500, excludePaths: ['secrets/**', '*.pem'] } } });
    expect((await say('config', 'get', 'contextTokens', '--project', shop)).said).toBe('500\n');
    expect((await say('config', 'get', 'contextTokens')).said).toBe('2000\n');
    expect((await say('config')).said).toContain(`\t500\tin ${shop}\n`);
    expect(JSON.parse((await say('config', '--json')).said).projects[shop].contextTokens).toBe(500);
    await say('config', 'unset', 'contextTokens', '--project', shop);
    await say('config', 'unset', 'excludePaths', '--project', shop);
    expect(settings()).toEqual({});
  });

  test('go to the closest label that is there, so that they count', async () => {
    writeFileSync(ensureFile(), JSON.stringify({ projects: { '~/shop': { contextFull: 3 }, shop: { off: true } } }));
    await say('config', 'set', 'off', 'false', '--project', shop);
    expect(settings().projects).toEqual({ shop: { off: true }, '~/shop': { contextFull: 3, off: false } });
    expect((await say('config', 'get', 'off', '--project', shop)).said).toBe('false\n');
  });

  test('turn a project off, which status and the status line show', async () => {
    await say('config', 'set', 'off', 'true', '--project', 'shop');
    expect((await say('status')).said).toMatch(/^name\tvalue\nnot stored\toff: project shop\n/);
    await sandbox.startWorker();
    expect((await say('status')).said).toMatch(/^name\tvalue\nnot stored\toff: project shop\nworker\t/);
    expect((await statusline({ cwd: shop })).stdout).toBe('mem off here\n');
    const { said } = await say('config', 'set', 'off', 'true', '--project', 'shpo');
    expect(said).toContain('Nothing is known of this project yet');
  });

  test.each([
    [['set', 'provider', 'local', '--project', 'shop'], /provider applies to all projects/],
    [['set', 'off', 'maybe', '--project', 'shop'], /off cannot be "maybe": it must be true or false/],
    [['set', 'contextTypes', 'rumour'], /one or several of decision, bugfix/],
    [['set', 'excludePaths', '!src'], /excludePaths cannot be "!src"/],
    [['set', 'off', '--project'], /Say the value/],
  ])('%j is refused', async (args, reason) => {
    expect(await say('config', ...args)).toMatchObject({ code: 2, said: expect.stringMatching(reason) });
  });
});

function ensureFile(): string {
  sandbox.project('.claude-mem');
  return sandbox.paths.config;
}
