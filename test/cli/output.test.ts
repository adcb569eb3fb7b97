// How every command prints: colours, the pager, JSON, exit codes, the manual page.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { buildProgram } from '../../src/cli/program.ts';
import { runInTerminal } from '../support/in-terminal.ts';
import { createSandbox, runAtTerminal, type Sandbox } from '../support/sandbox.ts';

const CLI = join(import.meta.dir, '../../dist/cli.js');

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = createSandbox();
  await sandbox.startWorker();
  for (const text of ['Uploads are retried seven times', '設定の読込は再試行する']) await sandbox.person('remember', text);
});
afterAll(() => sandbox.dispose());

const inTerminal = (
  args: string[],
  env: Record<string, string> = {},
  more: { width?: number; rows?: number; at?: string; typed?: string } = {},
) => runInTerminal(args, { env: { ...sandbox.env, ...env }, ...more });

describe('colours', () => {
  const SEARCH = ['search', 'upload'];
  const MATCH = '\x1b[1;33mUploads\x1b[0m';

  test.each<[string, string[], Record<string, string>, boolean]>([
    ['by default', [], {}, true],
    ['not with NO_COLOR', [], { NO_COLOR: '1' }, false],
    ['not in a terminal that has none', [], { TERM: 'dumb' }, false],
    ['--color never before all', ['--color', 'never'], { FORCE_COLOR: '1' }, false],
    ['--color always before all', ['--color', 'always'], { NO_COLOR: '1', TERM: 'dumb' }, true],
    ['FORCE_COLOR before what the terminal can do', [], { FORCE_COLOR: '1', TERM: 'dumb' }, true],
    ['NO_COLOR before FORCE_COLOR', [], { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
  ])('%s', async (_, flags, env, isPainted) => {
    const { shown } = await inTerminal([...SEARCH, ...flags], env);
    expect(shown).toContain('Uploads');
    expect(shown.includes(MATCH)).toBe(isPainted);
    if (!isPainted) expect(shown).not.toContain('\x1b[');
  });

  test('mark the words that were asked for, in any form, also inside of an unspaced text', async () => {
    expect((await inTerminal(['search', 'retry', 'of', 'uploads'])).shown).toContain(`${MATCH} are \x1b[1;33mretried\x1b[0m seven`);
    expect((await inTerminal(['search', '再試行'])).shown).toContain('読込は\x1b[1;33m再試行\x1b[0mする');
  });
});

test.each([
  ['search x --color alway', 'always'],
  ['install --agent gemini,codx', 'codex'],
])('%s: a wrong word is named', async (line, meant) => {
  const { code, stderr } = await sandbox.cli(...line.split(' '));
  expect([code, stderr]).toEqual([2, expect.stringContaining(`Did you mean ${meant}?`)]);
});

describe('the pager', () => {
  const LONG = ['config'];

  test('gets what does not fit, and only that', async () => {
    const env = { PAGER: `sed 's/^/paged: /'` };
    expect((await inTerminal(LONG, env)).shown).toContain('paged: ');
    expect((await inTerminal(LONG, env, { rows: 200 })).shown).not.toContain('paged: ');
    expect((await sandbox.cli(...LONG)).stdout).not.toContain('paged: ');
  });

  test.each<[string, Record<string, string>]>([
    ['cat', { PAGER: 'cat' }],
    ['empty', { PAGER: '' }],
    ['not there', { PAGER: 'no-such-pager-here' }],
    ['for a terminal that cannot move', { PAGER: 'false', TERM: 'dumb' }],
    ['of an agent', { PAGER: 'false', CLAUDECODE: '1' }],
  ])('that is %s loses nothing', async (_, env) => {
    const { shown, code } = await inTerminal(LONG, env);
    expect([code, shown]).toEqual([0, expect.stringMatching(/logLevel[\s\S]*agentAllProjects/)]);
  });

  test.skipIf(Bun.which('less') === null)('is less when none is named: a key leaves it', async () => {
    const { shown, code } = await inTerminal(LONG, {}, { at: ':', typed: 'q' });
    expect([code, shown]).toEqual([0, expect.stringContaining('logLevel')]);
    expect(shown).not.toContain('agentAllProjects');
  });
});

const listCommands = (command: Command): Command[] => [command, ...command.commands.flatMap(listCommands)];
const nameOf = (command: Command): string => (command.parent?.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name());
const [, ...COMMANDS] = listCommands(buildProgram());
const hasJson = ({ options }: Command) => options.some(({ long }) => long === '--json');
/** Alone it is a hook. */
const ANSWERING = COMMANDS.filter((command) => hasJson(command) && nameOf(command) !== 'context').map(nameOf);

describe('--json', () => {
  test.each([
    ...ANSWERING,
    'search upload',
    'show 1',
    'config get model',
    'config set idleMinutes 31',
    'config unset idleMinutes',
    'context --preview',
    'forget --hidden',
    'logs -n 3',
    'sync status',
    'install --traditional --dry-run',
    // Refused, failed, or not understood.
    'show 999',
    'jobs cancel 999',
    'forget 1',
    'search --type gossip',
    'search x --limit 0',
    'config set idleMinutes never',
    'block --undo',
    'no-such-command',
  ])('%s: JSON or nothing on stdout, and the same exit code as without', async (line) => {
    const words = line.split(' ');
    const [json, text] = [await sandbox.cli(...words, '--json'), await sandbox.cli(...words)];
    expect([line, text.code]).toEqual([line, json.code]);
    if (json.code === 0 || json.stdout !== '') expect(JSON.parse(json.stdout)).toBeObject();
    else expect(json.stderr).not.toBe('');
  });

  test('is for all but what is a tale, a script, another protocol or a secret to be read aloud', () => {
    const others = COMMANDS.filter((command) => !hasJson(command)).map(nameOf);
    const hooks = ['new', 'save', 'summary', 'cleanup'];
    const programs = ['complete', 'completion', 'mcp', 'statusline', 'worker', 'hub'];
    expect(others.sort()).toEqual(['demo', 'help', ...programs, ...hooks, 'sync pair', 'sync phrase'].sort());
  });
});

test('a terminal gets ages, a pipe moments', async () => {
  expect((await inTerminal(['timeline'], { NO_COLOR: '1' })).shown).toMatch(/^ *1 {2}(just now|\d+ min ago) +decision/m);
  expect((await sandbox.cli('timeline')).stdout).toMatch(/^1\t\d{4}-\d\d-\d\dT[\d:.]+Z\tdecision\t/m);
});

test.each([
  ['status', ['name', 'value'], 'worker'],
  ['stats', ['name', 'value'], 'stored'],
  ['doctor', ['state', 'check', 'found', 'why', 'remedy'], 'ok'],
])('%s is a table of tab-separated values in a pipe, and wrapped at a terminal', async (command, head, first) => {
  const rows = (await sandbox.cli(command)).stdout
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => line.split('\t'));
  expect(rows[0]).toEqual(head);
  for (const row of rows) expect(row).toHaveLength(head.length);
  expect(rows.map(([name]) => name)).toContain(first);
  const { shown } = await inTerminal([command], { NO_COLOR: '1', PAGER: 'cat' });
  expect(shown).not.toContain('\t');
  // What has no space in it stays whole, to be copied.
  for (const line of shown.split('\n')) if (/ \S+ /.test(line.trim())) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(80);
});

test.each(['show 1', 'context --why', 'sync', 'search x --since neverday', 'search qqq'])(
  '%s breaks no word at a terminal',
  async (line) => {
    const { shown } = await inTerminal(line.split(' '), { NO_COLOR: '1', PAGER: 'cat' }, { width: 40 });
    expect(shown.split('\n').filter((one) => Bun.stringWidth(one) > 40 && /\S \S/.test(one))).toEqual([]);
  },
);

test('context shows a person at a terminal the next one', async () => {
  expect((await inTerminal(['context'], { PAGER: 'cat' })).shown).toContain('Uploads are retried seven times');
});

describe('the manual page', () => {
  const page = readFileSync(join(CLI, '../claude-mem.1'), 'utf8');

  test('is what `help --man` prints into a pipe', async () => {
    expect((await sandbox.cli('help', '--man')).stdout).toBe(page);
  });

  test.skipIf(Bun.which('man') === null)('is one that man shows without a warning', async () => {
    const child = Bun.spawn(['man', '--warnings', '-l', join(CLI, '../claude-mem.1')], {
      env: { ...sandbox.env, MANWIDTH: '80' },
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const [text, warned] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    expect(warned).toBe('');
    expect(text).toMatch(/claude-mem search \[query\.\.\.\][\s\S]*EXIT STATUS[\s\S]*ENVIRONMENT/);
  });

  test('is shown to a person', async () => {
    const { stdout, stderr } = await runAtTerminal([process.execPath, CLI, 'help', 'search'], sandbox.env);
    expect([stdout, stderr]).toEqual([expect.stringMatching(/^Usage: claude-mem search [\s\S]*Examples:/), '']);
  });
});
