// What Claude Code is asked for, by the state it is in; test/e2e/install.test.ts asks the real one.
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Claude, describeOthers, register } from '../../../src/cli/install/claude-cli.ts';

type State = { id: string; version: string; enabled: boolean; readFromFolder?: string; errors?: string[] };

const folder = mkdtempSync(join(tmpdir(), 'claude-mem-register-'));
mkdirSync(join(folder, 'mem'));
afterAll(() => rmSync(folder, { recursive: true }));

const GOOD: State = { id: 'mem@claude-mem', version: '0.2.0', enabled: true, readFromFolder: join(folder, 'mem') };

/** Becomes as it should be when it has been asked for `last`. */
function fakeClaude(start: State[], last: string): { claude: Claude; asked: string[] } {
  const asked: string[] = [];
  let plugins = start;
  const ask = async (...args: string[]) => {
    const said = args.slice(1).join(' ');
    if (said === 'list --json') return JSON.stringify(plugins);
    asked.push(said);
    if (said.startsWith(last)) plugins = [GOOD];
    return '';
  };
  return { claude: { path: '/usr/bin/claude', ask }, asked };
}

const ADD = [`marketplace add ${folder}`, 'install mem@claude-mem'];
const wanted = { folder, version: '0.2.0' };

describe('register', () => {
  test.each<[string, State[], string, string[]]>([
    ['nothing when all is as it should be', [GOOD], '', []],
    ['nothing of a version that does not say where it reads', [{ ...GOOD, readFromFolder: undefined }], '', []],
    ['both when it is not there', [], 'install', ADD],
    ['both when it is disabled', [{ ...GOOD, enabled: false }], 'install', ADD],
    ['both when it does not load', [{ ...GOOD, errors: ['cache-miss'] }], 'install', ADD],
    ['both when it is read from another place', [{ ...GOOD, readFromFolder: '/gone' }], 'marketplace', ADD],
    ['an update of another version', [{ ...GOOD, version: '0.1.0' }], 'update', [...ADD, 'update mem@claude-mem']],
  ])('asks for %s', async (_, start, last, expected) => {
    const { claude, asked } = fakeClaude(start, last);
    expect(await register(claude, wanted)).toBe(expected.length > 0);
    expect(asked).toEqual(expected);
  });

  test('does not believe it before it is listed', async () => {
    const { claude } = fakeClaude([], 'never');
    await expect(register(claude, wanted)).rejects.toThrow('would not load it: it is not in the list');
  });

  test('says so when the list is no list', async () => {
    const claude: Claude = { path: '/usr/bin/claude', ask: async () => 'No plugins installed.' };
    await expect(register(claude, wanted)).rejects.toThrow('did not answer as expected');
  });
});

describe('describeOthers', () => {
  test.each<[string, object | null, RegExp[]]>([
    ['no settings', null, []],
    ['ours alone', { enabledPlugins: { 'mem@claude-mem': true } }, []],
    ['the public product', { enabledPlugins: { 'claude-mem@thedotmack': true } }, [/claude plugin disable claude-mem@thedotmack$/]],
    ['the same, disabled', { enabledPlugins: { 'claude-mem@thedotmack': false } }, []],
    ['another plugin of our name', { enabledPlugins: { 'mem@acme': true } }, [/only one of them.*disable mem@acme$/]],
    ['hooks by hand', { hooks: { Stop: [{ hooks: [{ command: 'claude-mem summary' }] }] } }, [/same sessions/]],
    ['our own hooks', { hooks: { Stop: [{ hooks: [{ command: '/data/.claude-mem/start-bun hook.js summary' }] }] } }, []],
    ['other hooks', { hooks: { Stop: [{ hooks: [{ command: 'say done' }] }] } }, []],
  ])('of %s', (_, settings, expected) => {
    const said = describeOthers(settings as Parameters<typeof describeOthers>[0], '/data/.claude-mem/start-bun');
    expect(said).toHaveLength(expected.length);
    for (const [index, pattern] of expected.entries()) expect(said[index]).toMatch(pattern);
  });
});
