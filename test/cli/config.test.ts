// `claude-mem config` and `stats`, as a person uses them.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSandbox, runProcess, type Sandbox } from '../support/sandbox.ts';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = createSandbox();
});
afterEach(() => sandbox.dispose());

const config = (...args: string[]) => sandbox.cli('config', ...args);
const file = () => JSON.parse(readFileSync(sandbox.paths.config, 'utf8'));
const cliPath = join(import.meta.dir, '../../dist/cli.js');
const piped = (stdin: string, ...args: string[]) =>
  runProcess([process.execPath, cliPath, 'config', ...args], sandbox.env, stdin);

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
  test('writes what differs from the default, and only that, for this user alone', async () => {
    expect((await config('set', 'budget.dailyTokens', '50000')).stdout).toContain('budget.dailyTokens is now 50000.');
    expect(file()).toEqual({ 'budget.dailyTokens': 50000 });
    expect(statSync(sandbox.paths.config).mode & 0o777).toBe(0o600);
    expect((await config('get', 'budget.dailyTokens')).stdout.trim()).toBe('50000');
    await config('set', 'budget.dailyTokens', '200000');
    expect(file()).toEqual({});
    expect((await config()).stdout).toMatch(/^budget.dailyTokens +200000$/m);
  });

  test.each([
    [['set', 'colour', 'blue'], /no setting "colour"/],
    [['set', 'provider', 'gpt'], /provider cannot be "gpt"/],
    [['set', 'budget.dailyTokens', '-1'], /cannot be "-1"/],
    [['set', 'budget.dailyTokens'], /Say the value/],
    [['set', 'apiKey', 'sk-secret'], /history|shell remembers/],
    [['set', 'apiKey'], /provider anthropic/],
    [['set', 'claudeLogin', 'allow'], /not on your PATH/],
  ])('refuses %j with a remedy and changes nothing', async (args, message) => {
    const { code, stderr } = await config(...args);
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
    expect(existsSync(sandbox.paths.config)).toBe(false);
  });

  test('leaves a file it cannot read as it is', async () => {
    mkdirSync(sandbox.paths.dataDir);
    writeFileSync(sandbox.paths.config, '{"half":');
    expect((await config('set', 'mode', 'research')).stderr).toMatch(/left as it is/);
    expect(readFileSync(sandbox.paths.config, 'utf8')).toBe('{"half":');
  });

  test('keeps the key with its host, never shows it, and warns when the address changes', async () => {
    expect((await config('set', 'provider', 'anthropic')).stdout).toMatch(/no key for api.anthropic.com/);
    const { stdout } = await piped('sk-test-123\n', 'set', 'apiKey');
    expect(stdout).toContain('kept for api.anthropic.com');
    expect(file().apiKey).toEqual({ value: 'sk-test-123', host: 'api.anthropic.com' });
    expect((await config()).stdout).not.toContain('sk-test-123');
    expect((await config('set', 'baseUrl', 'https://gateway.example')).stdout).toMatch(/not sent to gateway.example/);
  });

  test('remembers where your claude is when you agree', async () => {
    const claude = addClaude();
    await config('set', 'claudeLogin', 'allow');
    expect(file()).toEqual({ claudeLogin: 'allow', claudePath: claude });
  });

  test('is taken up by a running worker', async () => {
    await sandbox.startWorker();
    expect((await sandbox.cli('status')).stdout).toMatch(/observer +auto: local/);
    addClaude();
    await config('set', 'provider', 'claude');
    expect((await sandbox.cli('status')).stdout).toMatch(/observer +claude, claude-haiku-4-5 \(as set\)/);
    await config('set', 'provider', 'local');
    expect((await sandbox.cli('status')).stdout).toMatch(/observer +local, as set/);
  });
});

describe('claude-mem stats', () => {
  test('says that nothing was spent, or that no worker runs', async () => {
    expect((await sandbox.cli('stats')).stderr).toMatch(/not running/);
    await sandbox.startWorker();
    expect((await sandbox.cli('stats')).stdout).toMatch(/0 of 200,000 tokens[\s\S]*cost nothing/);
    expect(JSON.parse((await sandbox.cli('stats', '--json')).stdout)).toMatchObject({ spend: { byDay: [] } });
  });
});
