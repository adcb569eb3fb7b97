// No code from a repository: whatever lies where we are started, above it and above our own files, and whatever its settings put into our environment.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { startImportProcess } from '../../src/import/process.ts';
import { ChildEmbedder } from '../../src/search/embed/child-embedder.ts';
import { findEmbedder } from '../../src/search/embed/engines.ts';
import { startBun } from '../../src/start-bun.ts';
import { bash, sessionStart, userPrompt } from '../support/payloads.ts';
import { createSandbox, type Run, runProcess, type Sandbox } from '../support/sandbox.ts';
import { layTraps, REDIRECTIONS, type Traps } from '../support/traps.ts';
import { until } from '../support/until.ts';

const ROOT = join(import.meta.dir, '../..');
const STUB = [join(ROOT, 'bin/claude-mem')];
const ASK_TOOLS = [
  {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
  },
  { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} },
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('');

let sandbox: Sandbox;
let traps: Traps;
beforeEach(() => {
  sandbox = createSandbox();
  traps = layTraps(join(sandbox.home, 'hostile'));
});
afterEach(() => sandbox.dispose());

type Call = { cwd?: string; env?: Record<string, string>; stdin?: string };

const call = (command: string[], { cwd = traps.project, env = {}, stdin = '' }: Call = {}): Promise<Run> =>
  runProcess(command, { ...sandbox.env, PATH: process.env.PATH ?? '', ...env }, stdin, cwd);

/** The hooks and the server as the plugin registers them. */
function registered(plugin = join(ROOT, 'plugin')) {
  const read = (file: string) => JSON.parse(readFileSync(join(plugin, file), 'utf8').replaceAll(`\${CLAUDE_PLUGIN_ROOT}`, () => plugin));
  const { hooks } = read('hooks/hooks.json');
  const { command, args } = read('.mcp.json').mcpServers['claude-mem'];
  const hook = (event: string): string[] => [hooks[event][0].hooks[0].command, ...hooks[event][0].hooks[0].args];
  return { hook, server: [command, ...args] as string[] };
}

describe('hole-S1: the traps are real', () => {
  test.each(Object.entries(REDIRECTIONS))('%s where Bun is started', async (_, redirection) => {
    const own = layTraps(join(sandbox.home, 'again'), redirection);
    await call([process.execPath, '--config=/dev/null', join(ROOT, 'dist/cli.js'), '--version'], { cwd: own.sub });
    expect(own.caught()).not.toEqual([]);
  });

  test.each(['BUN_OPTIONS', 'BUN_INSPECT_PRELOAD'])('%s', async (name) => {
    const env = { [name]: traps.variables[name] ?? '' };
    await call([process.execPath, '--config=/dev/null', '-e', '0'], { cwd: '/', env });
    expect(traps.caught()).not.toEqual([]);
  });
});

describe('hole-S1: the command line', () => {
  test.each(Object.entries(REDIRECTIONS))('obeys not %s, there, above or below', async (_, redirection) => {
    const own = layTraps(join(sandbox.home, 'again'), redirection);
    for (const cwd of [own.project, own.sub]) {
      const { stdout, code } = await call([...STUB, 'status', '--json'], { cwd });
      expect({ caught: own.caught(), code }).toEqual({ caught: [], code: 0 });
      expect(JSON.parse(stdout)).toMatchObject({ running: false, dataDir: sandbox.paths.dataDir });
    }
  });

  test('obeys no variable, starts a clean worker, and knows the folder it was called in', async () => {
    const env = traps.variables;
    expect((await call([...STUB, 'start'], { env, cwd: traps.sub })).code).toBe(0);
    expectClean((await sandbox.workerPid()) ?? 0);
    await call([...STUB, 'remember', 'Ports are even here.'], { env, cwd: traps.sub });
    expect((await call([...STUB, 'export', 'out.jsonl'], { env, cwd: traps.sub })).code).toBe(0);
    expect(readFileSync(join(traps.sub, 'out.jsonl'), 'utf8')).toContain('Ports are even here.');
    const found = await call([...STUB, 'search', 'ports'], { env, cwd: traps.sub });
    expect(found.stdout).toContain('Ports are even here.');
    expect((await call([...STUB, 'statusline'], { env, stdin: '{}' })).stdout).toStartWith('mem ');
    expect(traps.caught()).toEqual([]);
  });

  test('serves the tools, and opens no debugger', async () => {
    const port = 20_000 + (process.pid % 20_000);
    const [reached, socket] = [{ count: 0 }, join(sandbox.home, 'notify.sock')];
    const open = () => {
      reached.count += 1;
    };
    using _ = Bun.listen({ unix: socket, socket: { open, data: () => undefined } });
    const env = {
      ...traps.variables,
      BUN_INSPECT: `127.0.0.1:${port}`,
      BUN_INSPECT_NOTIFY: `unix://${socket}`,
      BUN_INSPECT_CONNECT_TO: socket,
    };
    for (const command of [[...STUB, 'mcp'], registered().server]) {
      const { stdout, stderr } = await call(command, { env, stdin: ASK_TOOLS });
      expect(stdout.split('"inputSchema"').length - 1).toBe(6);
      expect(stderr).not.toContain(String(port));
    }
    expect({ reached: reached.count, caught: traps.caught() }).toEqual({ reached: 0, caught: [] });
  });

  test('obeys no NODE_OPTIONS, by the old path of the command either', async () => {
    const evil = join(traps.project, 'evil.cjs');
    for (const NODE_OPTIONS of [`--require ${evil}`, `--import ${evil}`])
      for (const command of ['claude-mem', 'claude-mem.mjs'])
        expect((await call([join(ROOT, 'bin', command), '--version'], { env: { NODE_OPTIONS } })).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(traps.caught()).toEqual([]);
  });
});

describe('hole-S1: the plugin', () => {
  test('hooks store what happens, and the worker that they start is clean', async () => {
    const { hook } = registered();
    const env = { ...traps.variables, CLAUDE_PROJECT_DIR: traps.project, CLAUDECODE: '1' };
    const send = (event: string, payload: unknown, cwd: string) => call(hook(event), { env, cwd, stdin: JSON.stringify(payload) });
    expect((await send('SessionStart', sessionStart('s', traps.project), traps.project)).code).toBe(0);
    expectClean((await until(() => sandbox.workerPid())) ?? 0);
    await send('UserPromptSubmit', userPrompt('s', traps.project, 'Make ports even'), traps.sub);
    const { stdout } = await send('PostToolUse', bash('s', traps.project, 'ls', 'even.txt'), traps.sub);
    expect(JSON.parse(stdout)).toEqual({ continue: true, suppressOutput: true });
    await until(() => sandbox.query('SELECT kind FROM events').length === 3);
    expect(traps.caught()).toEqual([]);
  });

  test('as `install` lays it out obeys nothing of the folder it is called in either', async () => {
    expect((await call([...STUB, 'install', '--traditional'])).stdout).toContain('Put version');
    const { hook, server } = registered(join(sandbox.paths.dataDir, 'plugin/mem'));
    expect([hook('SessionStart')[0], server[0]].every((path) => path?.startsWith(sandbox.paths.dataDir))).toBe(true);
    const env = { ...traps.variables, CLAUDE_PROJECT_DIR: traps.project, CLAUDECODE: '1' };
    for (const cwd of [traps.project, traps.sub]) {
      const stdin = JSON.stringify(sessionStart('s', traps.project));
      expect((await call(hook('SessionStart'), { stdin, env, cwd })).code).toBe(0);
      expect((await call(server, { stdin: ASK_TOOLS, env, cwd })).stdout).toContain('file_history');
    }
    expectClean((await until(() => sandbox.workerPid())) ?? 0);
    expect(traps.caught()).toEqual([]);
  });

  test.each(['node_modules/mem', 'mem'])('obeys nothing above its own files, in %s of a repository', async (place) => {
    const plugin = join(traps.project, place);
    for (const part of ['dist', 'bin', 'hooks']) mkdirSync(join(plugin, part), { recursive: true });
    for (const file of ['bin/start-bun', 'hooks/hooks.json', '.mcp.json'])
      if (existsSync(join(ROOT, 'plugin', file))) copyFileSync(join(ROOT, 'plugin', file), join(plugin, file));
    linkSync(realpathSync(join(ROOT, 'plugin/bin/bun')), join(plugin, 'bin/bun'));
    for (const file of readdirSync(join(ROOT, 'dist')).filter((name) => /\.js(?:\.jsc)?$/.test(name)))
      copyFileSync(join(ROOT, 'dist', file), join(plugin, 'dist', file));
    const { hook, server } = registered(plugin);
    const stdin = JSON.stringify(sessionStart('s', traps.project));
    expect((await call(hook('SessionStart'), { stdin, env: traps.variables })).code).toBe(0);
    await until(() => sandbox.workerPid());
    expect((await call(server, { stdin: ASK_TOOLS })).stdout).toContain('file_history');
    expect(traps.caught()).toEqual([]);
  });
});

test('hole-S1: importer and embedder do their work in a hostile folder, and run none of its code', async () => {
  const before = process.cwd();
  process.chdir(traps.project);
  try {
    const importer = startImportProcess();
    const begin = { kind: 'begin', database: join(sandbox.home, 'memory.db'), keepSince: 0 } as const;
    expect(await importer.take(begin)).toEqual({ kind: 'ready' });
    await importer.end();
    const embedder = new ChildEmbedder({ engine: 'minilm', ...findEmbedder() });
    expect(await embedder.embed(['even ports'], 'query')).toHaveLength(1);
    await embedder.close();
  } finally {
    process.chdir(before);
  }
  expect(traps.caught()).toEqual([]);
});

test('hole-S1: one place decides how Bun is started', () => {
  const starts = new Bun.Glob('**/*.ts').scanSync({ cwd: join(ROOT, 'src') });
  const files = [...starts].filter((file) => /execPath|['"]--cwd/.test(readFileSync(join(ROOT, 'src', file), 'utf8')));
  expect(files.filter((file) => !file.startsWith('observer/')).sort()).toEqual(['cli/install/plugin-folder.ts', 'start-bun.ts']);
  const last = readFileSync(join(ROOT, 'bin/start-bun'), 'utf8').trimEnd().split('\n').at(-1);
  const [, , ...flags] = startBun('/a/worker.js').slice(0, -1);
  expect(last).toBe(`exec "$bun" --cwd="\${program%/*}" ${flags.join(' ')} "$program" "$@"`);
});

/** Nothing of the traps is in its environment. */
function expectClean(pid: number): void {
  const names = readFileSync(`/proc/${pid}/environ`, 'utf8')
    .split('\0')
    .map((entry) => entry.split('=')[0] ?? '');
  expect(names.filter((name) => /^(?:BUN|NODE|JSC)_/.test(name))).toEqual([]);
}
