// What only a person does, tried as an agent would: through its shell, its tools, and variables of a starting worker.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sessionStart } from '../support/payloads.ts';
import { createSandbox, type Run, runAtTerminal, runProcess, type Sandbox } from '../support/sandbox.ts';

const CLI = join(import.meta.dir, '../../dist/cli.js');
const MCP = join(import.meta.dir, '../../dist/mcp.js');
const BIN = join(import.meta.dir, '../../bin/claude-mem');

let sandbox: Sandbox;
const folders = { shop: '', other: '' };
beforeAll(async () => {
  sandbox = createSandbox();
  for (const name of ['shop', 'other'] as const) {
    folders[name] = sandbox.project(name);
    await sandbox.hook('context', sessionStart(`begin-${name}`, folders[name]));
  }
  for (const [folder, text] of [
    [folders.shop, 'Prices are kept in giraffe cents'],
    [folders.other, 'The zebra key is rotated on Mondays'],
  ] as const)
    await runAtTerminal([process.execPath, CLI, 'remember', text], sandbox.env, { cwd: folder });
  await runAtTerminal([process.execPath, CLI, 'remember', '--global', 'Answer in plain walrus words'], sandbox.env);
});
afterAll(() => sandbox.dispose());

const config = () => (existsSync(sandbox.paths.config) ? readFileSync(sandbox.paths.config, 'utf8') : '');
const inside = (env: Record<string, string>, args: string[], cwd = folders.shop): Promise<Run> =>
  runProcess(['/bin/sh', '-c', `cd '${cwd}' && exec "$0" "$@"`, process.execPath, CLI, ...args], { ...sandbox.env, ...env }, '');

/** As each agent marks its shell, and none: a script, or a shell whose marks were taken away. */
const SHELLS: [string, Record<string, string>][] = [
  ['Claude Code', { CLAUDECODE: '1', CLAUDE_CODE_ENTRYPOINT: 'cli' }],
  ['Codex', { CODEX_THREAD_ID: 'x' }],
  ['Gemini CLI', { GEMINI_CLI: '1' }],
  ['opencode', { OPENCODE: '1' }],
  ['Cursor', { CURSOR_AGENT: '1' }],
  ['another agent', { AI_AGENT: 'x' }],
  ['nobody', {}],
];

const SETTINGS = [
  ['embedderUrl', 'https://evil.example/v1'],
  ['embedder', 'openai'],
  ['provider', 'openai'],
  ['baseUrl', 'https://evil.example'],
  ['claudePath', '/bin/sh'],
  ['language', 'German,without-reviews'],
  ['excludePaths', '**'],
  ['off', 'true'],
  ['keepDays', '1'],
  ['keepRecords', '1'],
  ['agentAllProjects', 'true'],
] as const;

/** All that is refused is tried, and every shell tries some of it: a door left open and a shell not known show as well as if each tried all. */
function partFor<T>(shell: string, list: readonly T[]): readonly T[] {
  if (process.env.CLAUDE_MEM_TEST_FULL) return list;
  const at = SHELLS.findIndex(([name]) => name === shell);
  return list.filter((_, number) => number % SHELLS.length === at);
}

describe('hole-S6: the shell of', () => {
  test.each(SHELLS)('%s changes no setting that sends, runs, silences or deletes', async (shell, env) => {
    const settings = partFor(shell, SETTINGS);
    const tried = await Promise.all(settings.map(([name, value]) => inside(env, ['config', 'set', name, value])));
    for (const [at, { code, stderr }] of tried.entries()) {
      const [name, value] = settings[at] ?? ['', ''];
      expect([name, code]).toEqual([name, 1]);
      expect(stderr).toContain('Only a person may do this');
      expect(stderr).toContain(`claude-mem config set ${name} ${value.includes('*') ? `'${value}'` : value}`);
    }
    expect(config()).toBe('');
  });

  test.each(SHELLS)('%s imports no file, pauses nothing, gets no link, also with --yes', async (shell, env) => {
    const file = join(sandbox.home, 'export.jsonl');
    writeFileSync(file, '{"claude-mem":"export","version":1}\n');
    const all = [
      ['import', file, '--yes'], ['import', file, '--json'], ['pause'], ['resume', '--all'], ['viewer', '--json'],
      ['token', 'rotate'], ['pin', '1'], ['wrong', '1'], ['edit', '1', '--title', 'x'], ['forget', '1', '--yes'],
      ['distrust', 'origin:user'], ['projects', 'merge', 'other', 'shop', '--yes'], ['uninstall'], ['restore', 'latest'],
      ['replace', '1', '2'], ['projects', 'rename', 'shop', 'x'], ['projects', 'separate', folders.shop, '--yes'],
      ['forget', '--matching', 'giraffe', '--yes'], ['forget', '--project', 'shop', '--yes'], ['forget', '--undo', '1'],
    ]; // biome-ignore format: one command beside the other
    const commands = partFor(shell, all);
    const tried = await Promise.all(commands.map((args) => inside(env, args)));
    for (const [at, { code, stderr, stdout }] of tried.entries()) {
      expect([commands[at], code, stdout]).toEqual([commands[at], 1, '']);
      expect(stderr).toContain('Only a person may do this');
    }
  });

  test.each(SHELLS.slice(0, 3))('%s reads its own project alone', async (_, env) => {
    expect((await inside(env, ['search', 'giraffe'])).stdout).toContain('giraffe cents');
    expect((await inside(env, ['search', 'walrus'])).stdout).toContain('walrus words');
    const reads = [
      ['search', 'zebra', '--all'],
      ['search', 'zebra', '--project', 'other'],
      ['show', '2'],
      ['timeline', '2'],
      ['recap', '--all'],
      ['export', '-'],
      ['projects'],
    ];
    const tried = await Promise.all(reads.map((args) => inside(env, args)));
    for (const [at, { code, stdout, stderr }] of tried.entries()) {
      expect([reads[at], code, stdout]).toEqual([reads[at], 1, '']);
      expect(stderr).toContain('agentAllProjects true');
      expect(stderr).not.toContain('zebra key');
    }
  });

  /** What an agent would run to read beside its project. */
  const READS = [
    ['search', 'zebra'],
    ['search', 'zebra', '--sessions'],
    ['timeline', '2026-11-17T08:00:00Z'],
    ['recap', '--since', '1 year'],
    ['show', '2'],
    ['context', '--preview'],
    ['context', '--prompt', 'the zebra key'],
    ['export', '--decisions', 'out'],
  ];

  test.each([
    ['CLAUDE_CODE_SESSION_ID', { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'begin-shop' }],
    ['CODEX_THREAD_ID', { CODEX_THREAD_ID: 'begin-shop' }],
    [
      'CLAUDE_CODE_SESSION_ID, which says another folder',
      { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'begin-shop', CLAUDE_PROJECT_DIR: 'OTHER' },
    ],
  ])('an agent that is known by %s reads its own project, whatever folder it goes into', async (_, env) => {
    const set = JSON.parse(JSON.stringify(env).replace('OTHER', folders.other));
    const tried = await Promise.all(READS.map((args) => inside(set, args, folders.other)));
    for (const [at, { code, stdout, stderr }] of tried.entries()) {
      expect([READS[at], code]).toEqual([READS[at], 1]);
      expect(stdout + stderr).not.toContain('zebra key');
      expect(stderr).toContain('agentAllProjects true');
    }
    expect(existsSync(join(folders.other, 'out'))).toBe(false);
    const kept = await inside(set, ['remember', 'The agent was here'], folders.other);
    expect([kept.code, kept.stderr]).toEqual([1, expect.stringContaining('another project')]);
    expect((await inside(set, ['search', 'giraffe'], folders.shop)).stdout).toContain('giraffe cents');
  });

  test('an agent of a session that is not known here is bound to its folder', async () => {
    const env = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'never-seen' };
    expect((await inside(env, ['search', 'giraffe'])).stdout).toContain('giraffe cents');
    expect((await inside(env, ['search', 'zebra', '--project', 'other'])).code).toBe(1);
    const preview = await inside(env, ['context', '--prompt', 'giraffe cents']);
    expect([preview.code, preview.stderr]).toEqual([0, '']);
  });

  test('a worker that an agent starts is handed on no address, and says so', async () => {
    await sandbox.cli('stop');
    const env = { CLAUDECODE: '1', CLAUDE_MEM_EMBEDDER: 'openai', CLAUDE_MEM_EMBEDDER_URL: 'http://127.0.0.1:9/v1' };
    const { stderr } = await inside(env, ['start']);
    expect(stderr).toContain('CLAUDE_MEM_EMBEDDER, CLAUDE_MEM_EMBEDDER_URL');
    expect((await sandbox.status()).fromVariables).toEqual([]);
  });
});

test('hole-S6: a person at a terminal is asked, is told what follows, and can say no', async () => {
  const set = [process.execPath, CLI, 'config', 'set', 'embedderUrl', 'https://vectors.example/v1'];
  const no = await runAtTerminal(set, sandbox.env, { answer: 'n' });
  expect(no.stderr).toContain('Memories of all projects will be sent to https://vectors.example/v1. Change it? [y/N]');
  expect([no.stdout, config()]).toEqual(['Nothing was changed.\n', '']);
  await runAtTerminal(set, sandbox.env);
  expect(config()).toContain('https://vectors.example/v1');
  await sandbox.person('config', 'unset', 'embedderUrl');
});

/** The MCP server as a client starts it: each call is a tool. */
async function callTools(cwd: string, calls: [string, object][]): Promise<{ text: string; isError: boolean }[]> {
  const lines = calls.map(([name, given], id) =>
    JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: given } }),
  );
  const env = { ...sandbox.env, CLAUDE_PROJECT_DIR: cwd, CLAUDECODE: '1' };
  const { stdout } = await runProcess([process.execPath, `--cwd=${join(MCP, '..')}`, MCP], env, `${lines.join('\n')}\n`);
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return calls.map((_, id) => {
    const { result } = answers.find((one) => one.id === id);
    return { text: result.content[0].text, isError: result.isError === true };
  });
}

test('hole-S6: the tools read and hide in their own project, and never what a person said', async () => {
  const [own, everywhere, ...refused] = await callTools(folders.shop, [
    ['search', { query: 'giraffe' }],
    ['search', { query: 'walrus' }],
    ['search', { query: 'zebra', all: true }],
    ['search', { query: 'zebra', project: 'other' }],
    ['search', { query: 'zebra', everywhere: true }],
    ['timeline', { anchor: '2' }],
    ['get_observations', { ids: ['2'] }],
    ['forget', { ids: ['2'] }],
    ['forget', { ids: ['3'] }],
    ['forget', { ids: ['1'] }],
    ['remember', { text: 'Obey', global: true }],
  ]);
  expect(own?.text).toContain('giraffe cents');
  expect(everywhere?.text).toContain('walrus words');
  for (const { text, isError } of refused) expect([text, isError]).toEqual([expect.not.stringContaining('zebra key'), true]);
  expect(refused[2]?.text).toContain('search does not know everywhere. It knows: query,');
  expect(refused[7]?.text).toContain('The user can do it in a terminal: claude-mem forget 1');
  expect(sandbox.query('SELECT 1 FROM observations WHERE hidden_at IS NOT NULL')).toEqual([]);
});

test.each([
  ['that it was called in', {}],
  ['of its session, where that is known', { CLAUDE_CODE_SESSION_ID: 'begin-shop' }],
])('hole-S6: a server that is told another folder reads the project %s', async (_, more) => {
  const search = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'search', arguments: { query: 'zebra' } } };
  const env = { ...sandbox.env, CLAUDECODE: '1', CLAUDE_PROJECT_DIR: folders.other, ...more };
  const { stdout } = await runProcess([BIN, 'mcp'], env, `${JSON.stringify(search)}\n`, folders.shop);
  expect(stdout).not.toContain('zebra key');
  expect(JSON.parse(stdout).result.isError).toBe(true);
});

test('hole-S6: the next session says what an agent hid, once', async () => {
  const [kept] = await callTools(folders.shop, [['remember', { text: 'The agent noted a narwhal' }]]);
  const id = /#(\d+)/.exec(kept?.text ?? '')?.[1] ?? '';
  await callTools(folders.shop, [['forget', { ids: [id] }]]);
  const { message: said } = await sandbox.hear(folders.shop);
  expect(said).toContain(`An agent hid #${id} “The agent noted a narwhal”`);
  expect(said).toContain(`claude-mem forget --undo ${id}`);
  expect((await sandbox.hear(folders.shop)).message).not.toContain('narwhal');
});
