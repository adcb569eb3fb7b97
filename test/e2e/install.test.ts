// `install` and `uninstall` from the packed package, with the real Claude Code: what sessions get, and what is left behind.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { until } from '../support/until.ts';
import { readMemory } from './memory-db.ts';
import { createPackedInstall, type PackedInstall } from './packed-install.ts';
import { TEST_TIMEOUT_MS } from './sandbox.ts';

setDefaultTimeout(TEST_TIMEOUT_MS);

const ROOT = join(import.meta.dir, '../..');

let packed: PackedInstall;
/** A session of before the installation. */
let past: string;

beforeAll(async () => {
  packed = await createPackedInstall();
  packed.mock.scripts.set('echo', [{ tools: [{ name: 'Bash', input: { command: 'echo hello' } }] }, { text: 'The shop says hello now.' }]);
});

afterAll(() => packed.close());

async function talk(): Promise<{ session: string; hooks: string[]; tools: string[]; stdout: string; stderr: string }> {
  const before = packed.mock.requests.length;
  const output = ['--output-format', 'stream-json', '--verbose', '--include-hook-events'];
  const said = await packed.claude('-p', '[[mock:echo]] Say hello', ...output, '--allowedTools', 'Bash');
  const [request] = packed.mock.requests.slice(before);
  return {
    ...said,
    session: request?.sessionId ?? expect.unreachable(`nothing reached the model: ${said.stderr}`),
    hooks: [...said.stdout.matchAll(/"subtype":"hook_response".*?"hook_event":"(\w+)"/g)].map(([, name = '']) => name),
    tools: request?.body.tools?.map(({ name }) => name).filter((name) => name.startsWith('mcp__')) ?? [],
  };
}

/** A hook of SessionStart and the tools, by the words that Claude Code has for them, where npm and node are gone and nothing is on the PATH. */
function expectToRunBare(hook: string[], { command, args }: { command: string; args: string[] }): void {
  const run = (line: string[], stdin: object) =>
    JSON.parse(Bun.spawnSync(line, { env: { PATH: '' }, stdin: Buffer.from(`${JSON.stringify(stdin)}\n`) }).stdout.toString() || '{}');
  const start = { session_id: 'bare', cwd: packed.home, hook_event_name: 'SessionStart', source: 'startup' };
  expect(run(hook, start)).toMatchObject({ continue: true });
  const client = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: client };
  expect(run([command, ...args], initialize)).toMatchObject({ id: 1, result: { serverInfo: { name: 'claude-mem' } } });
}

const readJson = (...path: string[]) => JSON.parse(readFileSync(join(...path), 'utf8'));
/** What a document shows, as it is written there. */
const shownIn = (page: string, line: RegExp) => line.exec(readFileSync(join(ROOT, 'docs', page), 'utf8'))?.[0] ?? expect.unreachable(page);

const isKept = (session: string) => readMemory(packed.dataDir, 'SELECT id FROM sessions WHERE host_session_id = ?', session).length > 0;

/** Every file with its bytes. Not the data dir, and not what a session of Claude Code leaves behind by itself. */
function listHome(): string[][] {
  const own =
    /^\/(?:\.cache|\.claude\.json|\.claude\/(?:\.last-cleanup|backups|projects|session-env|sessions|shell-snapshots|plugins\/store))(?:\/|$)/;
  return list(packed.home).filter(([path = '']) => !own.test(path) && path !== '/.claude/plugins' && !path.startsWith('/.claude-mem'));
}

function list(folder: string): string[][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((path) => [path.slice(folder.length), lstatSync(path).isFile() ? String(Bun.hash(readFileSync(path))) : ''])
    .sort();
}

/** Hooks of somebody else, in a form that no program writes. */
function writeForeign(trace: string): string {
  const settings = join(packed.home, '.claude/settings.json');
  const command = `echo fired >> '${trace.replaceAll("'", `'\\''`)}'`;
  const hooks = { SessionStart: [{ hooks: [{ type: 'command', command }] }] };
  mkdirSync(dirname(settings), { recursive: true });
  writeFileSync(settings, `{"model": "claude-opus-5-5",\n\t"enabledPlugins":{"lint@acme":false} ,"hooks":${JSON.stringify(hooks)}}`);
  return settings;
}

test('the package holds dist and the plugin, but neither twice nor the runtime', () => {
  const folder = join(packed.prefix, 'node_modules/claude-mem');
  const paths = list(folder).map(([path = '']) => path);
  for (const path of ['hook.js', 'worker.js', 'background.js', 'demo.js', 'embed/static.bin']) expect(paths).toContain(`/dist/${path}`);
  for (const path of ['hooks/hooks.json', '.mcp.json', '.claude-plugin/plugin.json']) expect(paths).toContain(`/plugin/${path}`);
  // Whoever installs the plugin links both: they are 150 MB.
  expect(paths.filter((path) => /^\/plugin\/(?:dist|bin)\//.test(path))).toEqual([]);
  expect(paths.reduce((sum, path) => sum + lstatSync(join(folder, path)).size, 0)).toBeLessThan(55_000_000);
});

test('where no agent is nothing is written', async () => {
  const before = list(packed.home);
  const { exitCode, stderr } = await packed.claudeMem(['install'], packed.withoutClaude);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('claude-mem install --traditional') });
  expect(list(packed.home)).toEqual(before);
});

test('in an empty HOME it leaves nothing behind, done twice and undone, without a network', async () => {
  const before = list(packed.home);
  const planned = await packed.claudeMem(['install', '--dry-run']);
  expect(planned.stdout).toMatch(
    /Would put \d+ files \(1\d\d\.\d MB.*\nWould run: .*marketplace add .*\nWould run: .* plugin install mem@claude-mem\n/,
  );
  expect(list(packed.home)).toEqual(before);
  const plan = JSON.parse((await packed.claudeMem(['install', '--dry-run', '--json'])).stdout);
  expect(plan).toMatchObject({
    mode: 'plugin',
    commands: [expect.arrayContaining(['marketplace', 'add']), expect.anything()],
    changes: [],
  });
  expect(list(packed.home)).toEqual(before);
  const installed = await packed.claudeMem(['install'], {}, OFFLINE);
  expect(installed).toMatchObject({ exitCode: 0, stderr: '' });
  expect(installed.stdout).toContain('Registered it');
  const made = list(packed.home);
  expect((await packed.claudeMem(['install'])).stdout).toStartWith('All is in place already');
  expect(JSON.parse((await packed.claudeMem(['install', '--json'])).stdout)).toMatchObject({ mode: 'plugin', isChanged: false });
  expect(list(packed.home)).toEqual(made);
  const removed = await packed.person(['uninstall', '--json']);
  expect(JSON.parse(removed.stdout)).toMatchObject({ wasInstalled: true, isDataLeft: false });
  expect(removed.exitCode).toBe(0);
  expect(list(packed.home)).toEqual(before);
});

/** As root, who may. Elsewhere nothing is cut off. */
const OFFLINE = process.getuid?.() === 0 && Bun.spawnSync(['unshare', '-n', 'true']).exitCode === 0 ? ['unshare', '-n'] : [];

test('traditional: sessions are remembered and have the tools, with nothing on the PATH; every byte of others stays', async () => {
  const trace = join(packed.home, 'their-hook.txt');
  const settings = writeForeign(trace);
  const home = listHome();
  const planned = await packed.claudeMem(['install', '--dry-run', '--traditional']);
  expect(planned.stdout).toContain(`\n+++ ${settings}\n@@ `);
  expect(listHome()).toEqual(home);
  const installed = await packed.claudeMem(['install'], packed.withoutClaude);
  expect(installed).toMatchObject({ exitCode: 0, stderr: '' });
  expect(readFileSync(join(packed.dataDir, 'plugin/before', findCopy('settings.json')), 'utf8')).toContain('"lint@acme":false} ,');

  // npm and node are gone, and nothing is on the PATH.
  const [hook] = readJson(settings).hooks.SessionStart.at(-1).hooks;
  renameSync(packed.prefix, `${packed.prefix}-away`);
  expectToRunBare(['/bin/sh', '-c', hook.command], readJson(packed.home, '.claude.json').mcpServers['claude-mem']);
  await until(() => isKept('bare'));
  const { statusLine } = JSON.parse(shownIn('operations.md', /^\{ "statusLine": .*/m));
  const line = Bun.spawnSync(['/bin/sh', '-c', statusLine.command], { env: { PATH: '', HOME: packed.home }, stdin: Buffer.from('{}') });
  expect(line.stdout.toString()).toMatch(/^mem \S/);
  const said = await talk();
  renameSync(`${packed.prefix}-away`, packed.prefix);
  expect(said.hooks).toEqual(expect.arrayContaining(['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'Stop']));
  expect(said.tools).toContain('mcp__claude-mem__search');
  await until(() => isKept(said.session));
  expect(readFileSync(trace, 'utf8')).toBe('fired\n');
  past = said.session;

  expect((await packed.claudeMem(['doctor'])).stdout).toContain('Claude Code loads hooks in');
  expect((await packed.claudeMem(['install'])).stdout).toStartWith('All is in place already: hooks in');
  expect(await packed.person(['uninstall'])).toMatchObject({ exitCode: 0, stderr: '' });
  rmSync(trace);
  expect(listHome()).toEqual(home);
  expect(readFileSync(join(packed.home, '.claude.json'), 'utf8')).not.toContain('mcp.js');
  rmSync(settings);
});

const findCopy = (name: string) => readdirSync(join(packed.dataDir, 'plugin/before')).find((one) => one.endsWith(name)) ?? '';

test('for one project it stands in that project alone', async () => {
  const home = list(join(packed.home, 'shop'));
  expect((await packed.claudeMem(['install', '--project'])).stdout).toContain('settings.local.json');
  const { session } = await talk();
  await until(() => isKept(session));
  expect((await packed.claudeMem(['install', '--project'])).stdout).toStartWith('All is in place already');
  await packed.person(['uninstall']);
  expect(list(join(packed.home, 'shop'))).toEqual(home);
});

test('a plugin: a session is remembered and has the tools, without the package, too; uninstalled it is not', async () => {
  const settings = writeForeign(join(packed.home, 'their-hook.txt'));
  rmSync(join(packed.home, 'their-hook.txt'), { force: true });
  const home = listHome();
  const { stdout } = await packed.claudeMem(['install']);
  expect(stdout).toContain('Found transcripts:');
  expect(readFileSync(settings, 'utf8')).toContain('"mem@claude-mem": true');
  const copy = join(packed.home, '.claude/plugins/cache/claude-mem');
  const bytes = readdirSync(copy, { recursive: true }).map((path) => lstatSync(join(copy, String(path))).size);
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(100_000);

  // npm has removed or moved it: nothing of the plugin lies there.
  renameSync(packed.prefix, `${packed.prefix}-away`);
  const plugin = join(packed.dataDir, 'plugin/mem');
  const [hook] = readJson(plugin, 'hooks/hooks.json').hooks.SessionStart[0].hooks;
  expectToRunBare([hook.command, ...hook.args], readJson(plugin, '.mcp.json').mcpServers['claude-mem']);
  const first = await talk();
  renameSync(`${packed.prefix}-away`, packed.prefix);
  expect(first.stderr).toBe('');
  expect(first.hooks).toEqual(expect.arrayContaining(['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'Stop']));
  expect(first.tools).toContain('mcp__plugin_mem_claude-mem__search');
  expect(first.tools).toHaveLength(6);
  await until(() => isKept(first.session));

  const removed = await packed.person(['uninstall']);
  expect(removed).toMatchObject({ exitCode: 0, stderr: '' });
  expect(removed.stdout).toContain(`Your memories stay in ${packed.dataDir}`);
  rmSync(join(packed.home, 'their-hook.txt'));
  expect(listHome()).toEqual(home);
  expect(existsSync(join(packed.dataDir, 'plugin'))).toBe(false);
  rmSync(settings);
  const next = await talk();
  expect(next).toMatchObject({ hooks: [], tools: [], stderr: '' });
  expect(isKept(next.session)).toBe(false);
});

/** What npm put there, of a version before. */
function placeOlder(): { command: string; version: string } {
  const [here, older] = [join(packed.prefix, 'node_modules/claude-mem'), join(packed.prefix, 'node_modules/older')];
  cpSync(here, older, { recursive: true });
  const { version } = readJson(here, 'package.json');
  const files = [
    'package.json',
    ...readdirSync(join(older, 'dist'))
      .filter((name) => name.endsWith('.js'))
      .map((name) => `dist/${name}`),
  ];
  for (const file of files) writeFileSync(join(older, file), readFileSync(join(older, file), 'utf8').replaceAll(version, '0.0.9'));
  // Made of the code as it was.
  for (const name of readdirSync(join(older, 'dist'))) if (name.endsWith('.jsc')) rmSync(join(older, 'dist', name));
  return { command: join(older, 'bin/claude-mem'), version };
}

test('is upgraded by installing again: plugin, hooks and the worker that runs', async () => {
  const { command, version } = placeOlder();
  const home = listHome();
  for (const mode of [[], ['--traditional']]) {
    const older = await packed.claudeMem(['install', ...mode], { OLDER: command }, ['/bin/sh', '-c', 'exec "$OLDER" "$@"']);
    expect(older).toMatchObject({ exitCode: 0, stderr: '' });
    expect((await talk()).hooks).toContain('SessionStart');
    const versions = async () => {
      const { version: installed } = readJson(packed.dataDir, 'plugin/installed.json');
      const { stdout } = await packed.claudeMem(['status', '--json']);
      const cached = mode.length > 0 ? [] : readdirSync(join(packed.home, '.claude/plugins/cache/claude-mem/mem'));
      return [installed, JSON.parse(stdout).version, ...cached];
    };
    expect(new Set(await versions())).toEqual(new Set(['0.0.9']));
    expect((await packed.claudeMem(['install'])).stdout).toContain(`version ${version}`);
    const { hooks, session } = await talk();
    expect(hooks).toContain('SessionStart');
    await until(() => isKept(session));
    expect(await versions()).toEqual(expect.arrayContaining([version]));
    expect((await versions()).slice(0, 2)).toEqual([version, version]);
    await packed.person(['uninstall']);
    expect(listHome()).toEqual(home);
  }
  rmSync(dirname(dirname(command)), { recursive: true });
});

test('the tools alone are there by the line that docs/mcp.md shows', async () => {
  const [, ...words] = shownIn('mcp.md', /^claude mcp add .*/m).split(' ');
  await packed.claude(...words);
  // It starts the server and speaks to it.
  expect((await packed.claude('mcp', 'list')).stdout).toMatch(/^claude-mem: claude-mem mcp - .*Connected/m);
  await packed.claude('mcp', 'remove', 'claude-mem');
});

test('works beside the public product of the same name, and says so', async () => {
  const market = join(packed.home, 'their-market');
  const trace = join(packed.home, 'their-hook.txt');
  const hook = { hooks: [{ type: 'command', command: `echo fired >> '${trace.replaceAll("'", `'\\''`)}'` }] };
  const files = {
    '.claude-plugin/marketplace.json': {
      name: 'thedotmack',
      owner: { name: 'somebody' },
      plugins: [{ name: 'claude-mem', source: './plugin' }],
    },
    'plugin/.claude-plugin/plugin.json': { name: 'claude-mem', version: '9.0.0' },
    'plugin/hooks/hooks.json': { hooks: { SessionStart: [hook] } },
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(market, path, '..'), { recursive: true });
    writeFileSync(join(market, path), JSON.stringify(content));
  }
  await packed.claude('plugin', 'marketplace', 'add', market);
  await packed.claude('plugin', 'install', 'claude-mem@thedotmack');
  const { stdout } = await packed.claudeMem(['install']);
  expect(stdout).toContain('claude plugin disable claude-mem@thedotmack');
  const { session } = await talk();
  expect(readFileSync(trace, 'utf8')).toBe('fired\n');
  await until(() => isKept(session));

  await packed.person(['uninstall']);
  const settings = JSON.parse(readFileSync(join(packed.home, '.claude/settings.json'), 'utf8'));
  expect(settings.enabledPlugins).toEqual({ 'claude-mem@thedotmack': true });
  await packed.claude('plugin', 'marketplace', 'remove', 'thedotmack');
});

test('asks at a terminal, once; --purge only takes a whole word', async () => {
  const asked = await packed.atTerminal(['install'], ['n', 'n']);
  expect(asked).toContain('claudeLogin is now deny.');
  expect(asked).toMatch(/Found transcripts: \d+ of .*\? \[Y\/n\] n\nNot now\./);
  expect(await packed.atTerminal(['install'], [])).not.toContain('?');

  expect(await packed.atTerminal(['uninstall', '--purge'], ['yes'])).toContain('Nothing was changed.');
  expect(existsSync(join(packed.dataDir, 'memory.db'))).toBe(true);
  expect((await packed.claudeMem(['uninstall', '--purge'])).stderr).toContain('there is no terminal');
  expect(await packed.atTerminal(['uninstall', '--purge'], ['erase'])).toContain('Deleted all memories');
  expect(existsSync(packed.dataDir)).toBe(false);
});

test('--yes reads the past', async () => {
  await packed.claudeMem(['install', '--yes']);
  await until(() => isKept(past));
  await packed.person(['uninstall']);
});

test('settings that cannot be read are left alone; what is installed as a plugin goes without `claude`, too', async () => {
  const home = listHome();
  await packed.claudeMem(['install']);
  expect((await packed.claudeMem(['install'], packed.withoutClaude)).stderr).toContain('Nothing was written');
  const settings = join(packed.home, '.claude/settings.json');
  const good = readFileSync(settings, 'utf8');
  writeFileSync(settings, good.slice(0, -3));
  for (const command of ['install', 'uninstall']) {
    expect((await packed.person([command])).stderr).toContain('Nothing was changed');
    expect(readFileSync(settings, 'utf8')).toBe(good.slice(0, -3));
  }
  writeFileSync(settings, good);
  expect((await packed.person(['uninstall'], packed.withoutClaude)).exitCode).toBe(0);
  expect(listHome()).toEqual(home);
});
