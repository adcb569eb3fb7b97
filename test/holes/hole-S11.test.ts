// A repository's settings can set the environment of hooks: where the memory lies, and whether there is one, is not theirs to say.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findPaths, homeDir } from '../../src/paths.ts';
import { sessionStart, userPrompt } from '../support/payloads.ts';
import { createSandbox, runProcess, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

/** By the system, not by a variable. */
const known = Bun.spawnSync(['/bin/sh', '-c', 'eval "printf %s ~$(id -un)"']).stdout.toString();

const START = join(import.meta.dir, '../../plugin/bin/start-bun');

let sandbox: Sandbox;
let project: string;
beforeEach(() => {
  sandbox = createSandbox();
  project = sandbox.project('hostile');
  mkdirSync(join(project, '.claude'));
});
afterEach(() => sandbox.dispose());

/** A hook as an agent runs it in the project. */
const hook = (env: Record<string, string>, { cwd = project, start = START } = {}) =>
  runProcess(
    [start, 'hook.js', 'new'],
    { ...sandbox.env, CLAUDECODE: '1', CLAUDE_PROJECT_DIR: project, ...env },
    JSON.stringify(userPrompt('s', project, 'Ports are even here.')),
    cwd,
  );

const settings = (env: Record<string, string>, file = 'settings.json') =>
  writeFileSync(join(project, '.claude', file), JSON.stringify({ env }));

/** Where the person has their memory. */
async function isKept(): Promise<void> {
  await until(() => sandbox.workerPid());
  await until(() => sandbox.query('SELECT id FROM events').length > 0);
}

describe('hole-S11: a data dir in the repository is not taken', () => {
  const spellings = [
    '~/hostile/.mem',
    'HOME/./hostile/.mem',
    'HOME/x/../hostile//.mem/',
    'relative/.mem',
    'HOME/link',
    'HOME/link/deeper/.mem',
  ];
  test.each(spellings)('however it is spelled: %s', async (spelled) => {
    mkdirSync(join(project, '.mem'));
    mkdirSync(join(sandbox.home, 'x'));
    symlinkSync(join(project, '.mem'), join(sandbox.home, 'link'));
    await hook({ CLAUDE_MEM_DATA_DIR: spelled.replace('HOME', sandbox.home) });
    await isKept();
    expect(readdirSync(join(project, '.mem'))).toEqual([]);
    expect(readdirSync(project).sort()).toEqual(['.claude', '.mem']);
  });

  test('nor one in another clone, where its settings may lie', async () => {
    const clone = sandbox.project('clone');
    for (const folder of ['.git', '.mem']) mkdirSync(join(clone, folder));
    await hook({ CLAUDE_MEM_DATA_DIR: join(clone, '.mem') });
    await isKept();
    expect(readdirSync(join(clone, '.mem'))).toEqual([]);
  });

  test('when the agent names its folder by a link, or another one', async () => {
    mkdirSync(join(project, '.git'));
    writeFileSync(join(project, '.git/HEAD'), 'ref: refs/heads/main\n');
    symlinkSync(project, join(sandbox.home, 'elsewhere'));
    const sub = sandbox.project('hostile/sub');
    const inside = { CLAUDE_MEM_DATA_DIR: join(project, '.mem') };
    await hook({ ...inside, CLAUDE_PROJECT_DIR: join(sandbox.home, 'elsewhere') });
    await hook({ ...inside, CLAUDE_PROJECT_DIR: join(sandbox.home, 'nowhere') }, { cwd: sub });
    await isKept();
    expect(existsSync(join(project, '.mem'))).toBe(false);
  });
});

describe('hole-S11: what the settings of the repository set does not count', () => {
  test.each(['settings.json', 'settings.local.json'])('for the data dir, in %s', async (file) => {
    const env = { CLAUDE_MEM_DATA_DIR: join(sandbox.home, 'theirs') };
    settings(env, file);
    await hook(env);
    await isKept();
    expect(existsSync(env.CLAUDE_MEM_DATA_DIR)).toBe(false);
  });

  test.each(['CLAUDE_MEM_INCOGNITO', 'CLAUDE_MEM_OBSERVER'])('for silence: %s', async (name) => {
    settings({ [name]: '1' });
    await hook({ [name]: '1' });
    await isKept();
  });
});

describe('hole-S11: what a file of the repository sets by which an agent completes its environment does not count', () => {
  const files = ['.env', '.env.local', '.gemini/.env', 'part/.env'];
  test.each(files)('for the data dir or for silence: %s', async (file) => {
    const cwd = sandbox.project('hostile/part/deeper');
    mkdirSync(join(project, '.gemini'));
    mkdirSync(join(project, '.git'));
    writeFileSync(join(project, '.git/HEAD'), 'ref: refs/heads/main\n');
    const env = { CLAUDE_MEM_DATA_DIR: join(sandbox.home, 'theirs'), CLAUDE_MEM_INCOGNITO: '1', CLAUDE_MEM_OBSERVER: '1' };
    const lines = Object.entries(env).map(([name, value]) => `export ${name} = '${value}'`);
    writeFileSync(join(project, file), `PORT=3000\r\n${lines.join('\r\n')}\r\n`);
    await hook({ ...env, GEMINI_CLI: '1', CLAUDE_PROJECT_DIR: cwd }, { cwd });
    await isKept();
    expect(existsSync(env.CLAUDE_MEM_DATA_DIR)).toBe(false);
  });
});

describe('hole-S11: what settings of any agent in the repository set for its shell or its servers does not count', () => {
  const json = (path: string[]) => (env: object) => JSON.stringify(path.reduceRight<object>((inner, key) => ({ [key]: inner }), env));
  const files: Record<string, (env: Record<string, string>) => string> = {
    '.mcp.json': json(['mcpServers', 'memory', 'env']),
    '.codex/config.toml': (env) =>
      ['[shell_environment_policy.set]', ...Object.entries(env).map(([name, value]) => `${name} = "${value}"`)].join('\n'),
    '.gemini/settings.json': json(['mcpServers', 'memory', 'env']),
    'opencode.json': json(['mcp', 'memory', 'environment']),
    '.cursor/mcp.json': json(['mcpServers', 'memory', 'env']),
    // As JSON and TOML may spell the same key.
    '.qwen/settings.json': (env) => json(['mcpServers', 'memory', 'env'])(env).replaceAll('CLAUDE', '\\u0043LAUDE'),
    '.vscode/settings.json': (env) => `{ // of the terminal\n"terminal.integrated.env.linux": ${JSON.stringify(env)},\n}`,
  };
  test.each(Object.keys(files))('%s', async (file) => {
    const env = { CLAUDE_MEM_DATA_DIR: join(sandbox.home, 'theirs'), CLAUDE_MEM_INCOGNITO: '1', CLAUDE_MEM_OBSERVER: '1' };
    mkdirSync(dirname(join(project, file)), { recursive: true });
    writeFileSync(join(project, file), files[file]?.(env) ?? '');
    await hook(env);
    await isKept();
    expect(existsSync(env.CLAUDE_MEM_DATA_DIR)).toBe(false);
  });
});

describe('hole-S11: what the person set counts', () => {
  test('a data dir elsewhere, also where the repository sets something else', async () => {
    settings({ PORT: '3000' });
    writeFileSync(join(project, '.mcp.json'), JSON.stringify({ mcpServers: { own: { args: ['$CLAUDE_MEM_DATA_DIR:/mem'] } } }));
    writeFileSync(join(project, '.env'), 'PORT=3000\n# not CLAUDE_MEM_DATA_DIR, nor MY_CLAUDE_MEM_DATA_DIR=x\n');
    const env = { CLAUDE_MEM_DATA_DIR: join(sandbox.home, 'mine') };
    await hook(env);
    await until(() => existsSync(join(sandbox.home, 'mine/memory.db')));
    expect(existsSync(sandbox.paths.dataDir)).toBe(false);
    Object.assign(sandbox.env, env);
    await sandbox.cli('stop');
  });

  test('a session without memory', async () => {
    await hook({ CLAUDE_MEM_INCOGNITO: '1' });
    await hook({ CLAUDE_MEM_OBSERVER: '1' });
    expect((await sandbox.cli('search', 'ports')).stdout).not.toContain('even');
  });
});

describe('hole-S11: HOME', () => {
  test('of a session does not move the memory of the one who installed it', async () => {
    await sandbox.cli('install', '--traditional');
    const start = join(sandbox.paths.dataDir, 'plugin/runtime/bin/start-bun');
    for (const HOME of [project, join(sandbox.home, 'another')]) await hook({ HOME }, { start });
    await isKept();
    expect(existsSync(join(project, '.claude-mem'))).toBe(false);
    expect(existsSync(join(sandbox.home, 'another'))).toBe(false);
    const environ = await Bun.file(`/proc/${await sandbox.workerPid()}/environ`).text();
    expect(environ.split('\0')).toContain(`HOME=${sandbox.home}`);
  });

  test('in the repository gives way to the one that the system knows, for the real hook, too', async () => {
    const { stdout } = await runProcess(
      [START, 'cli.js', 'status', '--json'],
      { ...sandbox.env, CLAUDECODE: '1', CLAUDE_PROJECT_DIR: project, HOME: project, CLAUDE_MEM_DATA_DIR: '' },
      '',
      project,
    );
    expect(JSON.parse(stdout).dataDir).toBe(`${known}/.claude-mem`);
    expect(existsSync(join(project, '.claude-mem'))).toBe(false);
  });

  test.each(['settings.json', 'settings.local.json'])('that %s sets does not count, wherever it leads', async (file) => {
    const theirs = join(sandbox.home, 'theirs');
    settings({ HOME: theirs, CLAUDE_PLUGIN_DATA: join(theirs, 'data') }, file);
    const env = { ...sandbox.env, CLAUDECODE: '1', CLAUDE_PROJECT_DIR: project, CLAUDE_MEM_DATA_DIR: '' };
    const { stdout } = await runProcess(
      [START, 'cli.js', 'status', '--json'],
      { ...env, HOME: theirs, CLAUDE_PLUGIN_DATA: join(theirs, 'data') },
      '',
      project,
    );
    expect(JSON.parse(stdout).dataDir).toBe(`${known}/.claude-mem`);
    expect(existsSync(theirs)).toBe(false);
  });

  test('nor one that settings set to the repository and call the agent’s own', async () => {
    const env = { HOME: project, CLAUDE_PLUGIN_DATA: join(project, '.claude/data') };
    settings(env);
    const { stdout } = await runProcess(
      [START, 'cli.js', 'status', '--json'],
      { ...sandbox.env, CLAUDECODE: '1', CLAUDE_PROJECT_DIR: project, CLAUDE_MEM_DATA_DIR: '', ...env },
      '',
      project,
    );
    expect(JSON.parse(stdout).dataDir).toBe(`${known}/.claude-mem`);
  });

  test.each(['/proc/self/cwd/a', '//proc/self/cwd', '/./proc/thread-self/cwd/a', 'LINK', 'LINK/a'])(
    'by way of whoever looks does not count: %s',
    async (spelled) => {
      symlinkSync('/proc/self/cwd', join(sandbox.home, 'cwd-link'));
      const HOME = spelled.replace('LINK', join(sandbox.home, 'cwd-link'));
      for (const name of ['HOME', 'CLAUDE_MEM_DATA_DIR']) {
        const env = { ...sandbox.env, CLAUDECODE: '1', CLAUDE_PROJECT_DIR: project, CLAUDE_MEM_DATA_DIR: '' };
        const { stdout } = await runProcess([START, 'cli.js', 'status', '--json'], { ...env, [name]: HOME }, '', project);
        const home = name === 'HOME' ? known : sandbox.home;
        expect([name, JSON.parse(stdout).dataDir]).toEqual([name, `${home}/.claude-mem`]);
      }
      expect(readdirSync(project)).toEqual(['.claude']);
    },
  );

  const within = (env: Record<string, string>, look: () => string) => {
    const before = { ...process.env };
    Object.assign(process.env, { CLAUDE_PROJECT_DIR: project, ...env });
    try {
      return look();
    } finally {
      for (const name of ['CLAUDE_PROJECT_DIR', ...Object.keys(env)]) delete process.env[name];
      Object.assign(process.env, before);
    }
  };

  test('in the repository, by a link, too, gives way to the one that the system knows', () => {
    symlinkSync(project, join(sandbox.home, 'link'));
    for (const HOME of [project, join(project, '.claude'), join(sandbox.home, 'link')]) {
      expect(within({ HOME }, homeDir)).toBe(known);
      expect(within({ HOME }, () => findPaths().dataDir)).toBe(`${known}/.claude-mem`);
    }
  });

  test('elsewhere stays, and so does the home of somebody who works in it', () => {
    expect(within({ HOME: sandbox.home }, homeDir)).toBe(sandbox.home);
    const agent = { CLAUDE_PLUGIN_DATA: join(project, '.claude/plugins/data/mem') };
    expect(within({ HOME: project, ...agent }, homeDir)).toBe(project);
    const home = realpathSync(known);
    expect(within({ HOME: home, CLAUDE_PROJECT_DIR: home, CLAUDE_MEM_DATA_DIR: `${home}/.own-mem` }, () => findPaths().dataDir)).toBe(
      `${home}/.own-mem`,
    );
  });
});

const agents = ['CLAUDECODE', 'GEMINI_CLI', 'CODEX_THREAD_ID', 'AI_AGENT'];
test.each(agents)('hole-S11: a server and a command of any agent keep to it, too: %s', async (agent) => {
  const env = { ...sandbox.env, [agent]: '1', CLAUDE_MEM_DATA_DIR: join(project, '.mem') };
  const { stdout } = await runProcess([START, 'cli.js', 'status', '--json'], env, '', project);
  expect(JSON.parse(stdout).dataDir).toBe(sandbox.paths.dataDir);
  const asked = await runProcess([START, 'hook.js', 'context'], env, JSON.stringify(sessionStart('s', project)), project);
  expect(asked.code).toBe(0);
  expect(existsSync(join(project, '.mem'))).toBe(false);
});
