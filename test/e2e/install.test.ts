// `install` and `uninstall` from the packed package, with the real Claude Code: what sessions get, and what is left behind.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../support/until.ts';
import { readMemory } from './memory-db.ts';
import { createPackedInstall, type PackedInstall } from './packed-install.ts';
import { TEST_TIMEOUT_MS } from './sandbox.ts';

setDefaultTimeout(TEST_TIMEOUT_MS);

let packed: PackedInstall;
/** A session of before the installation. */
let past: string;

beforeAll(async () => {
  packed = await createPackedInstall();
  packed.mock.scripts.set('echo', [{ tools: [{ name: 'Bash', input: { command: 'echo hello' } }] }, { text: 'The shop says hello now.' }]);
  past = (await talk()).session;
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

const isKept = (session: string) => readMemory(packed.dataDir, 'SELECT id FROM sessions WHERE host_session_id = ?', session).length > 0;

/** Every file with its bytes. Not the data dir, and not what a session of Claude Code leaves behind by itself. */
function listHome(): string[][] {
  const own = /^\/(?:\.cache|\.claude\.json|\.claude\/(?:backups|projects|session-env|sessions|shell-snapshots|plugins\/store))(?:\/|$)/;
  return list(packed.home).filter(([path = '']) => !own.test(path) && !path.startsWith('/.claude-mem'));
}

function list(folder: string): string[][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((path) => [path.slice(folder.length), lstatSync(path).isFile() ? read(path) : ''])
    .sort();
}

/** Claude Code gives its settings an order of its own whenever it writes them; what they say counts. */
function read(path: string): string {
  const bytes = readFileSync(path);
  if (!path.endsWith('/settings.json')) return String(Bun.hash(bytes));
  return JSON.stringify(Object.entries(JSON.parse(bytes.toString())).sort());
}

test('leaves nothing behind, done twice and undone', async () => {
  const settings = join(packed.home, '.claude/settings.json');
  writeFileSync(settings, JSON.stringify({ model: 'claude-opus-5-5', enabledPlugins: { 'lint@acme': false } }));
  const home = list(packed.home);
  const installed = await packed.claudeMem(['install']);
  expect(installed).toMatchObject({ exitCode: 0, stderr: '' });
  expect(installed.stdout).toContain('Registered it');
  expect(installed.stdout).toContain('Found transcripts: 1 of claude-code');
  expect(readFileSync(settings, 'utf8')).toContain('"mem@claude-mem": true');

  const made = list(packed.home);
  expect((await packed.claudeMem(['install'])).stdout).toStartWith('All is in place already');
  expect(list(packed.home)).toEqual(made);

  expect(await packed.person(['uninstall'])).toMatchObject({ exitCode: 0, stderr: '' });
  expect(list(packed.home)).toEqual(home);
  rmSync(settings);
});

test('an installed session is remembered and has the tools; without the package, too; uninstalled it is not', async () => {
  const home = listHome();
  await packed.claudeMem(['install']);
  const copy = join(packed.home, '.claude/plugins/cache/claude-mem');
  const bytes = readdirSync(copy, { recursive: true }).map((path) => lstatSync(join(copy, String(path))).size);
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(100_000);

  const first = await talk();
  expect(first.hooks).toEqual(expect.arrayContaining(['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'Stop']));
  expect(first.tools).toContain('mcp__plugin_mem_claude-mem__search');
  expect(first.tools).toHaveLength(6);
  expect(isKept(first.session)).toBe(true);

  // npm has removed or moved it: nothing of the plugin lies there.
  renameSync(packed.prefix, `${packed.prefix}-away`);
  const second = await talk();
  renameSync(`${packed.prefix}-away`, packed.prefix);
  expect(second.stderr).toBe('');
  expect(isKept(second.session)).toBe(true);

  const removed = await packed.person(['uninstall']);
  expect(removed).toMatchObject({ exitCode: 0, stderr: '' });
  expect(removed.stdout).toContain(`Your memories stay in ${packed.dataDir}`);
  expect(listHome()).toEqual(home);
  expect(existsSync(join(packed.dataDir, 'plugin'))).toBe(false);
  const third = await talk();
  expect(third).toMatchObject({ hooks: [], tools: [], stderr: '' });
  expect(isKept(third.session)).toBe(false);
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
  expect(isKept(session)).toBe(true);

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

test('says what to do where `claude` is not found, or its settings cannot be read', async () => {
  const node = Bun.which('node') ?? expect.unreachable();
  const withoutClaude = { PATH: `${join(packed.prefix, 'node_modules/.bin')}:${join(node, '..')}:/usr/bin:/bin` };
  const { exitCode, stderr } = await packed.claudeMem(['install'], withoutClaude);
  expect({ exitCode, stderr }).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('/plugin install mem@claude-mem'),
  });
  await packed.claudeMem(['install']);
  expect((await packed.person(['uninstall'], withoutClaude)).stderr).toContain('/plugin uninstall mem@claude-mem');

  const settings = join(packed.home, '.claude/settings.json');
  const good = readFileSync(settings, 'utf8');
  writeFileSync(settings, good.slice(0, -3));
  for (const command of ['install', 'uninstall']) {
    expect((await packed.person([command])).stderr).toContain('Nothing was changed');
    expect(readFileSync(settings, 'utf8')).toBe(good.slice(0, -3));
  }
  writeFileSync(settings, good);
  expect((await packed.person(['uninstall'])).exitCode).toBe(0);
  expect(readFileSync(settings, 'utf8')).not.toContain('claude-mem');
});
