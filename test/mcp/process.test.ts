// The server as the host runs it: real processes, real pipes.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readlinkSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { serveFakeWorker } from '../support/fake-worker.ts';
import { createSandbox, runProcess, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';
import { DIST, MCP_COMMAND, PLUGIN, startMcp } from './mcp-process.ts';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = createSandbox();
});
afterEach(() => sandbox.dispose());

const SEARCH = { name: 'search', arguments: { query: 'range' } };
const NOTHING = { results: [], total: 0, limit: 40, offset: 0, project: 'shop', note: null };

const isGone = (pid: number) => {
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : ') Z';
  return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
};

describe('the server', () => {
  test('answers, says nothing else, and ends with its input', async () => {
    const mcp = startMcp(sandbox.env);
    expect((await mcp.request('initialize', { protocolVersion: '2025-11-25' })).result.serverInfo.name).toBe('claude-mem');
    expect((await mcp.request('tools/list')).result.tools).toHaveLength(6);
    expect(await mcp.end()).toEqual({ code: 0, stderr: '' });
    // Nothing was asked of the memory: no worker, no folder.
    expect(existsSync(sandbox.paths.dataDir)).toBe(false);
  });

  test('is the same by its name', async () => {
    const mcp = startMcp(sandbox.env, [process.execPath, join(DIST, 'cli.js'), 'mcp']);
    expect((await mcp.request('server/discover')).result.supportedVersions).toContain('2026-07-28');
    expect(await mcp.end()).toEqual({ code: 0, stderr: '' });
  });

  test('asks about the project of its host, not about the folder it runs in', async () => {
    const worker = serveFakeWorker(sandbox.paths, () => NOTHING);
    const project = sandbox.project('shop');
    const mcp = startMcp({ ...sandbox.env, CLAUDE_PROJECT_DIR: project });
    await mcp.request('tools/call', SEARCH);
    expect(worker.asked).toMatchObject([{ path: '/api/search', query: { query: 'range', cwd: project } }]);
    await mcp.end();
    await worker.close();
  });

  test('asks about the folder it was started in when no host says otherwise', async () => {
    const worker = serveFakeWorker(sandbox.paths, () => NOTHING);
    const project = sandbox.project('shop');
    const [bun = '', , program = ''] = MCP_COMMAND;
    const mcp = startMcp(sandbox.env, [bun, `--cwd=${project}`, program]);
    await mcp.request('tools/call', SEARCH);
    expect(worker.asked[0]?.query.cwd).toBe(project);
    await mcp.end();
    await worker.close();
  });

  test('as the plugin registers it obeys nothing that lies in the repository', async () => {
    const folder = sandbox.project('hostile');
    writeFileSync(join(folder, 'bunfig.toml'), 'preload = ["./evil.ts"]\n');
    writeFileSync(join(folder, 'evil.ts'), `require('node:fs').writeFileSync(${JSON.stringify(join(folder, 'ran'))}, '');`);
    writeFileSync(join(folder, '.env'), `CLAUDE_MEM_DATA_DIR=${join(folder, 'data')}\n`);
    const { mcpServers } = JSON.parse(readFileSync(join(PLUGIN, '.mcp.json'), 'utf8'));
    const { command, args } = mcpServers['claude-mem'];
    const resolved = [command, ...args].map((part: string) => part.replaceAll(`\${CLAUDE_PLUGIN_ROOT}`, PLUGIN));
    const worker = serveFakeWorker(sandbox.paths, () => NOTHING);
    const mcp = startMcp({ ...sandbox.env, CLAUDE_PROJECT_DIR: folder }, resolved, folder);
    expect((await mcp.request('tools/call', SEARCH)).result.isError).toBe(false);
    expect(worker.asked[0]?.query.cwd).toBe(folder);
    expect(existsSync(join(folder, 'ran'))).toBe(false);
    await mcp.end();
    await worker.close();
  });

  test('passes on what the worker refuses, with its hint', async () => {
    const worker = serveFakeWorker(sandbox.paths, () =>
      Response.json({ error: 'There is no project "x".', hint: 'Known: shop.' }, { status: 404 }),
    );
    const mcp = startMcp(sandbox.env);
    expect((await mcp.request('tools/call', SEARCH)).result).toEqual({
      content: [{ type: 'text', text: 'There is no project "x". Known: shop.' }],
      isError: true,
    });
    await mcp.end();
    await worker.close();
  });

  test('holds no connection between two questions, and finds a worker that came anew', async () => {
    const sockets = (pid: number) =>
      readdirSync(`/proc/${pid}/fd`).filter((fd) => readLink(`/proc/${pid}/fd/${fd}`).startsWith('socket:')).length;
    const mcp = startMcp(sandbox.env);
    await mcp.request('ping');
    const before = sockets(mcp.child.pid);
    for (let round = 0; round < 3; round++) {
      const worker = serveFakeWorker(sandbox.paths, () => NOTHING);
      expect((await mcp.request('tools/call', SEARCH)).result.isError).toBe(false);
      await until(() => sockets(mcp.child.pid) === before);
      await worker.close();
    }
    await mcp.end();
  });

  test('starts a worker when there is none', async () => {
    const mcp = startMcp({ ...sandbox.env, CLAUDE_PROJECT_DIR: sandbox.project('shop') });
    const { result } = await mcp.request('tools/call', SEARCH);
    expect(result.content[0].text).toContain('Nothing found');
    expect(await sandbox.workerPid()).not.toBeNull();
    await mcp.end();
  });
});

describe('the server ends', () => {
  test('with its input, when a request is under way', async () => {
    const worker = serveFakeWorker(sandbox.paths, () => new Promise(() => undefined));
    const mcp = startMcp(sandbox.env);
    void mcp.request('tools/call', SEARCH);
    await until(() => worker.asked.length === 1);
    expect((await mcp.end()).code).toBe(0);
    await worker.close();
  });

  test('after the last answers, when its input ends right behind the requests', async () => {
    const worker = serveFakeWorker(sandbox.paths, async () => {
      await Bun.sleep(100);
      return NOTHING;
    });
    const mcp = startMcp(sandbox.env);
    mcp.send(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: SEARCH })}\n`);
    await mcp.end();
    expect(mcp.answers).toMatchObject([{ id: 1, result: { isError: false } }]);
    await worker.close();
  });

  test('after a slow reader has all of them', async () => {
    const requests = Array.from({ length: 200 }, (_, id) => JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list' }));
    const input = join(sandbox.home, 'requests');
    writeFileSync(input, requests.join('\n'));
    const command = `${MCP_COMMAND.join(' ')} < ${input} | (sleep 0.3; cat)`;
    const { stdout } = await runProcess(['sh', '-c', command], sandbox.env, '');
    expect(stdout.trimEnd().split('\n')).toHaveLength(200);
  });

  test.each(['idle', 'with a request under way'])('when its parent is killed and somebody else holds its input: %s', async (state) => {
    const worker = serveFakeWorker(sandbox.paths, () => new Promise(() => undefined));
    // The shell is the parent; the other end of the pipe is ours and stays open.
    const pipe = join(sandbox.home, 'pipe');
    Bun.spawnSync(['mkfifo', pipe]);
    const held = openSync(pipe, 'r+');
    const shell = Bun.spawn(['sh', '-c', `${MCP_COMMAND.join(' ')} < ${pipe}; :`], { env: sandbox.env, stdout: 'pipe' });
    const ask = (method: string, params = {}) => writeSync(held, `${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}\n`);
    ask('ping');
    await shell.stdout.getReader().read();
    if (state !== 'idle') {
      ask('tools/call', SEARCH);
      await until(() => worker.asked.length === 1);
    }
    const [pid = 0] = readFileSync(`/proc/${shell.pid}/task/${shell.pid}/children`, 'utf8').split(' ').map(Number);
    shell.kill('SIGKILL');
    await shell.exited;
    expect(isGone(pid)).toBe(false);
    await until(() => isGone(pid));
    closeSync(held);
    await worker.close();
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('by %s at once, which is how a host ends it', async (signal) => {
    const mcp = startMcp(sandbox.env);
    await mcp.request('ping');
    mcp.child.kill(signal);
    await until(() => isGone(mcp.child.pid));
  });
});

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    // Closed between the two looks.
    return '';
  }
}
