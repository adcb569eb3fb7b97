// `claude-mem config` and `stats`, as a person uses them.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = createSandbox();
});
afterEach(() => sandbox.dispose());

const config = (...args: string[]) => sandbox.person('config', ...args);
const file = () => JSON.parse(readFileSync(sandbox.paths.config, 'utf8'));
function writeProvider(provider: string): void {
  mkdirSync(sandbox.paths.dataDir);
  writeFileSync(sandbox.paths.config, JSON.stringify({ provider }));
}
const cliPath = join(import.meta.dir, '../../dist/cli.js');

/** At a terminal: the keys are pressed when the question is there. */
async function typed(keys: string, ...args: string[]): Promise<{ code: number; shown: string }> {
  let shown = '';
  const data = (_: Bun.Terminal, bytes: Uint8Array) => {
    shown += new TextDecoder().decode(bytes);
  };
  await using terminal = new Bun.Terminal({ data });
  const child = Bun.spawn([process.execPath, cliPath, 'config', ...args], { env: sandbox.env, terminal });
  await until(() => shown.includes('API key for '));
  terminal.write(keys);
  const code = await child.exited;
  await until(() => /kept for|nothing has changed/i.test(shown));
  return { code, shown };
}

/** A `claude` on the PATH that is there and nothing more. */
function addClaude(): string {
  const bin = join(sandbox.home, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'claude'), '#!/bin/sh\nexit 1\n');
  chmodSync(join(bin, 'claude'), 0o755);
  sandbox.env.PATH = `${bin}:${sandbox.env.PATH}`;
  return join(bin, 'claude');
}

describe('claude-mem config', () => {
  test('says what a running worker does while the file cannot be read', async () => {
    await sandbox.startWorker();
    writeFileSync(sandbox.paths.config, '{"contextTokens": ');
    expect((await config()).stderr).toMatch(/problem: .*cannot be read.*the settings from before apply/);
    await sandbox.cli('stop');
    expect((await config()).stderr).toMatch(/problem: .*cannot be read.*nothing is stored or added to sessions/);
  });

  test('writes what differs from the default, and only that, for this user alone', async () => {
    expect((await config('set', 'budget.dailyTokens', '50000')).stdout).toContain('budget.dailyTokens is now 50000.');
    expect(file()).toEqual({ 'budget.dailyTokens': 50000 });
    expect(statSync(sandbox.paths.config).mode & 0o777).toBe(0o600);
    expect((await config('get', 'budget.dailyTokens')).stdout.trim()).toBe('50000');
    await config('set', 'budget.dailyTokens', '200000');
    expect(file()).toEqual({});
    expect((await config()).stdout).toMatch(/^budget.dailyTokens\t200000\t$/m);
  });

  test.each([
    [['set', 'colour', 'blue'], /no setting "colour"/],
    [['set', 'quietSecond', '5'], /no setting "quietSecond"\. Did you mean quietSeconds\?/],
    [['set', 'provider', 'gpt'], /provider cannot be "gpt": it must be one of auto, claude, anthropic, openai, local\./],
    [['set', 'budget.dailyTokens', '-1'], /cannot be "-1": it must be a whole number from 0\./],
    [['set', 'budget.dailyTokens', '5,0'], /cannot be "5,0": it must be a whole number/],
    [['set', 'budget.dailyTokens', ''], /needs a value.*config unset budget.dailyTokens/],
    [['set', 'budget.dailyTokens'], /Say the value/],
    [['set', 'contextTokens', '5'], /a whole number from 200 to 10000\./],
    [['set', 'idleMinutes', '0'], /a number above 0\./],
    [['set', 'model', 'x'.repeat(201)], /at most 200 characters/],
    [['set', 'model', 'one\ntwo'], /control character/],
    [['set', 'baseUrl', 'localhost:11434/v1'], /not a URL like https:/],
    [['set', 'baseUrl', 'http://example.com'], /must begin with https:/],
    [['set', 'baseUrl', 'https://me:word@example.com'], /user or password/],
    [['set', 'claudePath', 'claude'], /an absolute path/],
    [['set', 'claudePath', '/usr/bin'], /not a file that can be run/],
    [['set', 'apiKey', 'sk-secret'], /shell remembers/],
    [['set', 'apiKey'], /provider anthropic/],
    [['set', 'claudeLogin', 'allow'], /not on your PATH/],
  ])('refuses %j with a remedy and changes nothing', async (args, message) => {
    const { code, stderr } = await config(...args);
    expect(code).toBe(stderr.includes('\nRun `claude-mem config set --help`.\n') ? 2 : 1);
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('word@');
    expect(existsSync(sandbox.paths.config)).toBe(false);
  });

  test.each([
    ['budget.dailyTokens', '50,000', 50000],
    ['budget.dailyTokens', ' 50_000 ', 50000],
    ['baseUrl', 'http://[::1]:1/v1', 'http://[::1]:1/v1'],
    ['baseUrl', 'https://gateway.example/v1', 'https://gateway.example/v1'],
  ])('sets %s to %j', async (name, text, value) => {
    await config('set', name, text);
    expect(file()).toEqual({ [name]: value });
  });

  test('leaves a file it cannot read as it is', async () => {
    mkdirSync(sandbox.paths.dataDir);
    writeFileSync(sandbox.paths.config, '{"half":');
    expect((await config('set', 'mode', 'research')).stderr).toMatch(/left as it is/);
    expect(readFileSync(sandbox.paths.config, 'utf8')).toBe('{"half":');
  });

  test('keeps the key with its host, never shows it, and warns when the address changes', async () => {
    expect((await config('set', 'provider', 'anthropic')).stdout).toMatch(/no key for api.anthropic.com/);
    expect((await typed('sk-test-123\r', 'set', 'apiKey')).shown).toContain('kept for api.anthropic.com');
    expect(file().apiKey).toEqual({ value: 'sk-test-123', host: 'api.anthropic.com' });
    expect((await config()).stdout).not.toContain('sk-test-123');
    expect((await config('set', 'baseUrl', 'https://gateway.example')).stdout).toMatch(/not sent to gateway.example/);
  });

  test.each([
    ['two words', 'sk-one sk-two\r'],
    ['another alphabet', 'schlüssel\r'],
    ['nothing', '\r'],
    ['Ctrl-C', 'sk-typed\x03'],
    ['Ctrl-D at once', '\x04'],
  ])('takes %s for no key, and changes nothing', async (_, keys) => {
    writeProvider('anthropic');
    const { code, shown } = await typed(keys, 'set', 'apiKey');
    expect([code, shown]).toEqual([1, expect.stringMatching(/nothing has changed/i)]);
    expect(shown).not.toContain('sk-');
    expect(file()).toEqual({ provider: 'anthropic' });
  });

  test.each([
    ['the line', 'sk-typed\r'],
    ['the line without arrows and what was deleted', '\x1b[Ask-\x1bOBtypef\x7fd\x1b[3~\r'],
    ['the line again after Ctrl-U', 'wrong\x15sk-typed\r'],
  ])('reads from a terminal, without showing it, %s', async (_, keys) => {
    writeProvider('anthropic');
    const { code, shown } = await typed(keys, 'set', 'apiKey');
    expect(file().apiKey).toEqual({ value: 'sk-typed', host: 'api.anthropic.com' });
    expect([code, shown.includes('typed')]).toEqual([0, false]);
  });

  test('asks for no key on this machine', async () => {
    const { stdout: first } = await config('set', 'provider', 'openai');
    expect(first).toContain('There is no key for api.openai.com yet');
    expect(first).toContain('model (sonnet) is for another provider: claude-mem config set model NAME');
    expect((await config('set', 'baseUrl', 'http://127.0.0.1:11434/v1')).stdout).not.toContain('key');
    expect((await config('set', 'model', 'llama3.2')).stdout).toBe('model is now llama3.2.\n');
  });

  test('says what was set for another provider, and how to set it right', async () => {
    addClaude();
    await config('set', 'provider', 'openai');
    await config('set', 'baseUrl', 'http://127.0.0.1:11434/v1');
    await config('set', 'model', 'llama3.2');
    expect((await config('set', 'provider', 'anthropic')).stdout).toContain(
      'baseUrl is still http://127.0.0.1:11434/v1. To use the address of anthropic: claude-mem config unset baseUrl',
    );
    expect((await config('set', 'provider', 'claude')).stdout).toContain(
      'model (llama3.2) is for another provider: claude-mem config unset model',
    );
    expect((await config('unset', 'baseUrl')).stdout).toContain('model (llama3.2) is for another provider');
    expect((await config('unset', 'model')).stdout).toBe(
      'model is the default again: sonnet.\nIt costs about $0.80 a day of 30 turns (haiku: $0.27, sonnet: $0.80), an estimate at list prices.\n',
    );
    expect((await config('set', 'model', 'haiku')).stdout).toContain('model is now haiku.\nIt costs about $0.27 a day');
    const listed = await config();
    expect(listed.stdout).toMatch(/^model\thaiku\tyes$/m);
    expect(listed.stderr).toContain('It costs about $0.27 a day');
  });

  test.each([
    ['claude', 'sonet'],
    ['anthropic', 'haiku 4'],
  ])('refuses to ask %s for a model that there is not: %s', async (provider, model) => {
    addClaude();
    writeProvider(provider);
    const { stderr, code } = await config('set', 'model', model);
    expect(stderr).toContain(`There is no model "${model}" of Claude: it is sonnet, haiku, opus`);
    expect(code).toBe(1);
    expect(file().model).toBeUndefined();
    for (const known of ['opus', 'claude-sonnet-4-5', 'eu.anthropic.claude-haiku-4-5-20251001-v1:0'])
      expect((await config('set', 'model', known)).stdout).toContain(`model is now ${known}.`);
  });

  test('remembers where your claude is when you agree', async () => {
    const claude = addClaude();
    await config('set', 'claudeLogin', 'allow');
    expect(file()).toEqual({ claudeLogin: 'allow', claudePath: claude });
  });

  test('is applied by a running worker', async () => {
    await sandbox.startWorker();
    expect((await sandbox.cli('status')).stdout).toMatch(/extraction\s+auto: local/);
    addClaude();
    await config('set', 'provider', 'claude');
    expect((await sandbox.cli('status')).stdout).toMatch(/extraction\s+claude, sonnet \(as set\)/);
    await config('set', 'provider', 'auto');
    expect((await sandbox.cli('status')).stdout).toMatch(/extraction\s+auto: local; to use your Claude login/);
    await config('set', 'claudeLogin', 'allow');
    expect((await sandbox.cli('status')).stdout).toMatch(/extraction\s+claude, .*\(auto: your Claude login, as you agreed\)/);
    await config('set', 'provider', 'local');
    expect((await sandbox.cli('status')).stdout).toMatch(/extraction\s+local, as set/);
  });

  test('says when the running worker has the setting from a variable', async () => {
    sandbox.env.CLAUDE_MEM_MODEL = 'claude-opus-4-1';
    await sandbox.person('start');
    delete sandbox.env.CLAUDE_MEM_MODEL;
    const line = 'The running worker has it from CLAUDE_MEM_MODEL: run `claude-mem restart` without it.';
    expect((await config('set', 'model', 'claude-sonnet-4-5')).stdout).toContain(line);
    expect((await config('unset', 'model')).stdout).toContain(line);
    expect((await config('set', 'mode', 'research')).stdout).not.toContain('The running worker');
    await sandbox.cli('restart');
    expect((await config('set', 'model', 'claude-sonnet-4-5')).stdout).not.toContain('The running worker');
  });
});

describe('claude-mem stats', () => {
  test('says that nothing was spent, or that no worker runs', async () => {
    expect((await sandbox.cli('stats')).stderr).toMatch(/not running/);
    await sandbox.startWorker();
    expect((await sandbox.cli('stats')).stdout).toMatch(/0 of 200,000 tokens[\s\S]*cost nothing/);
    expect(JSON.parse((await sandbox.cli('stats', '--json')).stdout)).toMatchObject({ spend: { byProject: [] } });
  });
});
