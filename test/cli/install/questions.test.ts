// The one question about a model: what it sends where, what it costs, what it gives, on the person's own last session; Ollama, too.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadConfig } from '../../../src/config.ts';
import { GENERATIONS, ONE_SESSION, writePeer } from '../../import/original-database.ts';
import { runInTerminal } from '../../support/in-terminal.ts';
import { edit, sessionStart, stop, userPrompt } from '../../support/payloads.ts';
import { createSandbox, runAtTerminal, type Sandbox } from '../../support/sandbox.ts';
import { until } from '../../support/until.ts';

let sandbox: Sandbox;
let ollama: ReturnType<typeof Bun.serve>;
beforeEach(() => {
  sandbox = createSandbox();
  ollama = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => Response.json({ models: [{ name: 'llama3.2:latest' }] }) });
});
afterEach(async () => {
  await sandbox.dispose();
  await ollama.stop(true);
});

const CLI = [process.execPath, join(import.meta.dir, '../../../dist/cli.js'), 'install', '--traditional'];
const install = (answer: string, more: Record<string, string> = {}) =>
  runAtTerminal(CLI, { ...sandbox.env, OLLAMA_HOST: `127.0.0.1:${ollama.port}`, ...more }, { answer });
const chosen = () => {
  const { provider, baseUrl, model, claudeLogin } = loadConfig(sandbox.paths.config, {}).config;
  return { provider, baseUrl, model, claudeLogin };
};

test('shows the last session, and takes a model of this machine', async () => {
  const [session, cwd] = ['one', sandbox.project('shop')];
  await sandbox.startWorker();
  await sandbox.hook('context', sessionStart(session, cwd));
  await sandbox.hook('new', userPrompt(session, cwd, 'Round the refunds to whole cents in the ledger'));
  await sandbox.hook('save', edit(session, cwd, 'src/ledger.ts', ['-floor(x)', '+round(x)']));
  await sandbox.hook('summary', stop(session, cwd, 'Refunds are rounded to whole cents in src/ledger.ts.'));
  await until(() => sandbox.query('SELECT 1 FROM observations').length > 0);

  const { stdout, stderr, code } = await install('o');
  expect(code).toBe(0);
  expect(stderr).toContain('It gets of each turn: your prompt');
  expect(stderr).toMatch(/Your last session: “Round the refunds.*” \(shop, 1 turn\)\. Rules made 1 memory of it:\s+- Refunds are rounded/);
  expect(stderr).toContain('about 5,700 tokens');
  expect(stderr).toContain('o  with llama3.2:latest of Ollama');
  // There is no `claude` here whose login could be used.
  expect(stderr).not.toContain('  y  ');
  expect(stdout).toContain('provider is now openai.');
  expect(chosen()).toMatchObject({ provider: 'openai', baseUrl: `http://127.0.0.1:${ollama.port}/v1`, model: 'llama3.2:latest' });
  expect((await install('o')).stderr).toBe('');
});

test('offers your Claude login where there is one, with its price; Enter changes nothing', async () => {
  const { stdout, stderr } = await install('', { CLAUDE_CODE_PATH: '/bin/true' });
  expect(stderr).toMatch(/y {2}with your Claude login: sent to Anthropic; about \$0\.80 a day .* at most 200,000 tokens a day/);
  expect(stdout).toContain('Nothing changed.');
  expect(chosen()).toMatchObject({ provider: 'auto', claudeLogin: 'ask' });
});

test('breaks no word at a terminal of 80 columns', async () => {
  const env = { ...sandbox.env, OLLAMA_HOST: `127.0.0.1:${ollama.port}`, CLAUDE_CODE_PATH: '/bin/true' };
  const { shown, code } = await runInTerminal(['install', '--traditional'], { env, at: 'later] ', typed: '\n' });
  expect([code, shown]).toEqual([0, expect.stringContaining('with llama3.2:latest of Ollama')]);
  // A path that is longer than a line stays whole.
  for (const line of shown.split(/\r?\n/)) if (/ \S+ /.test(line.trim())) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(80);
});

test('imports from an original claude-mem and turns it off, if that is wanted; else both go on', async () => {
  const theirs = join(sandbox.paths.dataDir, 'claude-mem.db');
  const settings = join(sandbox.home, '.claude/settings.json');
  for (const folder of [theirs, settings].map(dirname)) mkdirSync(folder, { recursive: true });
  writePeer(theirs, GENERATIONS['version 10'] ?? {}, ONE_SESSION);
  writeFileSync(settings, JSON.stringify({ enabledPlugins: { 'claude-mem@thedotmack': true } }));
  const claude = join(sandbox.home, 'claude');
  writeFileSync(claude, `#!/bin/sh\necho "$@" >> '${sandbox.home}/asked'\n`, { mode: 0o755 });

  expect((await sandbox.cli('install', '--traditional')).stdout).toContain(`claude-mem import ${theirs}`);
  const { stdout, stderr } = await install('y', { CLAUDE_CODE_PATH: claude });
  expect(stderr).toContain('turn that one off (its data stays)? [y/N]');
  expect(stdout).toContain('Turned off claude-mem@thedotmack.');
  expect(readFileSync(join(sandbox.home, 'asked'), 'utf8')).toBe('plugin disable claude-mem@thedotmack\n');
  expect(sandbox.query('SELECT 1 FROM observations').length).toBeGreaterThan(0);
  expect(existsSync(theirs)).toBe(true);
});

test('is not asked without a terminal, and no model is used', async () => {
  const { stdout, stderr, code } = await sandbox.cli('install', '--traditional');
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  expect(stdout).not.toContain('Which?');
  expect(chosen()).toMatchObject({ provider: 'auto', claudeLogin: 'ask' });
});
