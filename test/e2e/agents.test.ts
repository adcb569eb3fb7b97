// The real Codex, Gemini CLI, OpenCode and Claude Code, set up by `install`: each knows from its start what the others did in the project.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { SETUPS } from '../../src/agents/setups.ts';
import { runAtTerminal } from '../support/sandbox.ts';
import { until } from '../support/until.ts';
import { claudeBinary } from './claude-binary.ts';
import { readMemory } from './memory-db.ts';
import { type MockApi, startMockApi } from './mock-api.ts';
import { type MockModels, startMockModels } from './mock-models.ts';
import { textOf } from './mock-request.ts';
import { findProgram } from './npm-program.ts';
import { claudeVariables } from './packed-install.ts';
import { endProcessesOf } from './processes.ts';
import { TEST_TIMEOUT_MS } from './sandbox.ts';

setDefaultTimeout(TEST_TIMEOUT_MS);

const ROOT = join(import.meta.dir, '..', '..');
const PROGRAMS = {
  codex: { name: 'codex', package: '@openai/codex', version: '0.166.0', command: '.bin/codex', megabytes: 436 },
  gemini: { name: 'gemini-cli', package: '@google/gemini-cli', version: '0.61.0', command: '.bin/gemini', megabytes: 100 },
  opencode: { name: 'opencode', package: 'opencode-ai', version: '1.18.33', command: '.bin/opencode', megabytes: 354 },
};

let home: string;
let repo: string;
let models: MockModels;
let api: MockApi;
let programs: Record<keyof typeof PROGRAMS, string>;

beforeAll(async () => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "claude-mem's agents ")));
  repo = join(home, 'shop');
  mkdirSync(repo);
  writeFileSync(join(repo, 'cart.ts'), 'DAYS = 1\n');
  await run(['git', 'init', '--quiet'], {});
  models = startMockModels();
  api = startMockApi();
  const [codex, gemini, opencode] = await Promise.all([PROGRAMS.codex, PROGRAMS.gemini, PROGRAMS.opencode].map(findProgram));
  programs = { codex: codex ?? '', gemini: gemini ?? '', opencode: opencode ?? '' };
  writeSettings();
});

afterAll(async () => {
  models.close();
  api.close();
  await claudeMem('stop');
  const left = await endProcessesOf(home);
  rmSync(home, { recursive: true, force: true });
  expect(left).toEqual([]);
});

/** As a person has them, in the forms that people write. */
function writeSettings(): void {
  const provider = {
    npm: '@ai-sdk/anthropic',
    name: 'mock',
    options: { baseURL: `${api.url}/v1`, apiKey: 'x' },
    models: { m: { name: 'm' } },
  };
  const files = {
    // Of this model it knows that it has a tool for patches.
    '.codex/config.toml': `model = "gpt-5.5"\nmodel_provider = "mock"\n\n[model_providers.mock]\nname = "mock"\nbase_url = "${models.url}/v1"\nwire_api = "responses"\nenv_key = "MOCK_KEY"\n\n[projects.${JSON.stringify(repo)}]\ntrust_level = "trusted"`,
    '.codex/hooks.json': '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}',
    '.gemini/settings.json': '{\n\t// Of my own.\n\t"security": { "auth": { "selectedType": "gemini-api-key" } }\n}',
    '.cursor/mcp.json': '{}\n',
    '.config/opencode/opencode.json': JSON.stringify({
      $schema: 'https://opencode.ai/config.json',
      model: 'mock/m',
      small_model: 'mock/m',
      autoupdate: false,
      provider: { mock: provider },
    }),
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(home, dirname(path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
}

async function run(command: string[], env: Record<string, string>): Promise<string> {
  const child = Bun.spawn(command, {
    cwd: repo,
    env: { PATH: process.env.PATH ?? '', HOME: home, LANG: 'C.UTF-8', TERM: 'xterm', ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: 180_000,
  });
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}:\n${stderr}${stdout}`);
  return stdout + stderr;
}

const claudeMem = (...args: string[]) => run([process.execPath, join(ROOT, 'dist/cli.js'), ...args], {});

/** It would fetch a list of models, and types for its plugins. */
const NO_NETWORK = { OPENCODE_DISABLE_MODELS_FETCH: '1', npm_config_registry: 'http://127.0.0.1:9', npm_config_fetch_retries: '0' };

const ask = {
  codex: (prompt: string) =>
    run(
      [
        programs.codex,
        'exec',
        '--dangerously-bypass-hook-trust',
        '--dangerously-bypass-approvals-and-sandbox',
        '--skip-git-repo-check',
        prompt,
      ],
      { MOCK_KEY: 'x' },
    ),
  gemini: (prompt: string) =>
    run([programs.gemini, '--yolo', '-m', 'gemini-2.5-flash', '-p', prompt, '--allowedTools', 'Bash'], {
      GEMINI_API_KEY: 'fake',
      GOOGLE_GEMINI_BASE_URL: models.url,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    }),
  opencode: (prompt: string) => run([programs.opencode, 'run', prompt], NO_NETWORK),
  claude: async (prompt: string) => run([await claudeBinary(), '-p', prompt], claudeVariables(home, api.url)),
};

const isProcessed = async (host: string) => {
  const sql = 'SELECT o.title FROM observations o JOIN sessions s ON s.id = o.session_id WHERE s.host = ?';
  await until(() => readMemory(join(home, '.claude-mem'), sql, host).length > 0);
};
const kindsOf = (host: string) => {
  const sql = 'SELECT e.kind FROM events e JOIN sessions s ON s.id = e.session_id WHERE s.host = ? ORDER BY e.seq';
  return readMemory<{ kind: string }>(join(home, '.claude-mem'), sql, host).map(({ kind }) => kind);
};

/** Every file of the agents' own that we write, with its bytes. */
const listSettings = () =>
  [...Object.values(SETUPS).flatMap(({ files }) => files.map(({ path }) => path)), '.config/opencode/opencode.json'].map((path) => {
    const file = join(home, path);
    return [path, existsSync(file) ? readFileSync(file, 'utf8') : null];
  });

test('what one agent did is in the context of another, both ways; undone, their settings are as before', async () => {
  const before = listSettings();
  await claudeMem('install', '--traditional');
  await claudeMem('install', '--agent', 'all');
  const installed = listSettings();
  await claudeMem('install', '--agent', 'all');
  expect(listSettings()).toEqual(installed);
  expect(installed).not.toEqual(before);

  models.sayings.codex = 'We decided to keep carts in Redis because sessions move between servers.';
  const said = await ask.codex('Where do carts go?');
  // A hook that answers what Codex does not take is called failed, at every tool.
  expect(said).not.toMatch(/hook: \w+ Failed/);
  expect(kindsOf('codex')).toEqual(['start', 'prompt', 'tool', 'tool', 'stop', 'end']);
  await isProcessed('codex');

  models.sayings.gemini = 'We decided to round prices up because the tax office does.';
  await ask.gemini('How are prices rounded?');
  expect(models.told.at(-1)).toContain('keep carts in Redis');
  expect(kindsOf('gemini')).toEqual(['start', 'prompt', 'tool', 'stop', 'end']);
  await isProcessed('gemini');

  api.scripts.set('mail', [
    { text: 'Let me look.', tools: [{ name: 'bash', input: { command: 'echo seen-by-opencode', description: 'Look' } }] },
    { text: 'We decided to send mail from a queue because the server is slow.' },
  ]);
  await ask.opencode('[[mock:mail]] How is mail sent?');
  const given = api.requests.map(textOf).join('\n');
  expect(given).toContain('keep carts in Redis');
  expect(given).toContain('round prices up');
  expect(kindsOf('opencode')).toEqual(['start', 'prompt', 'said', 'tool', 'stop']);
  await isProcessed('opencode');

  api.scripts.set('ship', [
    { text: 'Let me look.', tools: [{ name: 'Bash', input: { command: 'echo seen-by-claude' } }] },
    { text: 'We decided to ship on Tuesdays because support is there then.' },
  ]);
  const asked = api.requests.length;
  await ask.claude('[[mock:ship]] When do we ship?');
  const told = api.requests.slice(asked).map(textOf).join('\n');
  for (const decided of ['keep carts in Redis', 'round prices up', 'send mail from a queue']) expect(told).toContain(decided);
  await isProcessed('claude-code');

  expect(await ask.codex('And now?')).toContain('hook: PreToolUse Completed');
  expect(models.told.at(-1)).toContain('claude-mem on cart.ts');
  expect(models.told.at(-1)).toContain('send mail from a queue');
  expect(models.told.at(-1)).toContain('ship on Tuesdays');

  await ask.gemini('And now?');
  for (const decided of ['send mail from a queue', 'ship on Tuesdays']) expect(models.told.at(-1)).toContain(decided);

  expect(await claudeMem('search', 'carts in Redis', '--json')).toContain('"agent": "codex"');

  // These versions send nothing that we do not know. (Of OpenCode our plugin chooses what is sent.)
  const { counters } = JSON.parse(await claudeMem('status', '--json'));
  expect(Object.keys(counters).filter((name) => name.startsWith('unknown-'))).toEqual([]);

  await uninstall();
  expect(listSettings()).toEqual(before);
});

const uninstall = () => {
  const env = { PATH: process.env.PATH ?? '', HOME: home, LANG: 'C.UTF-8' };
  return runAtTerminal([process.execPath, join(ROOT, 'dist/cli.js'), 'uninstall'], env, { cwd: repo });
};

test('what Codex itself writes into its settings while we are in them stays when we are set up again, and when we go', async () => {
  const config = join(home, '.codex/config.toml');
  const readConfig = () => Bun.TOML.parse(readFileSync(config, 'utf8')) as Record<string, object>; // Tables, but for `model`.
  const change = async () => {
    await run([programs.codex, 'features', 'enable', 'shell_snapshot'], {});
    await run([programs.codex, 'mcp', 'add', 'mine', '--', '/bin/true'], {});
  };
  const before = readFileSync(config, 'utf8');
  await change();
  const changed = readConfig();
  writeFileSync(config, before);

  await claudeMem('install', '--agent', 'codex');
  const ours = readConfig().mcp_servers;
  await change();
  await claudeMem('install', '--agent', 'codex');
  expect(readConfig()).toEqual({ ...changed, mcp_servers: { ...changed.mcp_servers, ...ours } });
  await uninstall();
  expect(readConfig()).toEqual(changed);
});
