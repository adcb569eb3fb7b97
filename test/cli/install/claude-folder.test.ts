// Claude Code's folder after us is as it was before us, byte for byte where Claude Code wrote it.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findAbsent, readClaudeSettings, tidyClaudeFolder } from '../../../src/cli/install/claude-folder.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'claude-mem-folder-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

const print = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
const write = (path: string, value: unknown) => {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), print(value));
};
const list = () =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [path.slice(folder.length), lstatSync(path).isDirectory() ? '' : readFileSync(path, 'utf8')])
    .sort();

/** What `claude plugin uninstall` and `marketplace remove` leave where our plugin was. */
function leaveBehind(settings: Record<string, unknown> | null, others: { marketplaces?: object; plugins?: object } = {}) {
  write('plugins/cache/claude-mem/mem/0.1.0/.mcp.json', {});
  for (const name of ['data', 'marketplaces']) mkdirSync(join(folder, 'plugins', name), { recursive: true });
  write('plugins/known_marketplaces.json', others.marketplaces ?? {});
  write('plugins/installed_plugins.json', { version: 2, plugins: others.plugins ?? {} });
  write('settings.json', { ...settings, enabledPlugins: settings?.enabledPlugins ?? {}, extraKnownMarketplaces: {} });
}

describe('tidyClaudeFolder', () => {
  test.each([
    ['no settings', null],
    ['settings without plugins', { env: { A: '1' }, model: 'opus' }],
    ['settings with an empty list', { enabledPlugins: {} }],
    ['empty settings', {}],
  ])('puts back %s', (_, settings) => {
    if (settings) write('settings.json', settings);
    const before = list();
    const absent = findAbsent(folder);
    leaveBehind(settings);
    tidyClaudeFolder(folder, absent);
    expect(list()).toEqual(before);
  });

  test('leaves alone what others have there', () => {
    const absent = findAbsent(folder);
    const others = { marketplaces: { acme: { source: 'x' } }, plugins: { 'lint@acme': [] } };
    leaveBehind({ enabledPlugins: { 'lint@acme': true } }, others);
    write('plugins/cache/acme/lint/1.0.0/.mcp.json', {});
    tidyClaudeFolder(folder, absent);
    expect(readClaudeSettings(folder)).toEqual({ enabledPlugins: { 'lint@acme': true } });
    expect(readdirSync(join(folder, 'plugins/cache'))).toEqual(['acme']);
    expect(JSON.parse(readFileSync(join(folder, 'plugins/known_marketplaces.json'), 'utf8'))).toEqual(others.marketplaces);
    expect(existsSync(join(folder, 'plugins/installed_plugins.json'))).toBe(true);
  });

  test('keeps settings that are a link to another file', () => {
    writeFileSync(join(folder, 'dotfile.json'), print({ model: 'opus' }));
    symlinkSync('dotfile.json', join(folder, 'settings.json'));
    const absent = findAbsent(folder);
    leaveBehind({ model: 'opus' });
    tidyClaudeFolder(folder, absent);
    expect(lstatSync(join(folder, 'settings.json')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(folder, 'dotfile.json'), 'utf8')).toBe(print({ model: 'opus' }));
  });

  test('refuses settings that nobody can read, and does not touch them', () => {
    for (const broken of ['{ "model": ', '[1]', '"text"']) {
      writeFileSync(join(folder, 'settings.json'), broken);
      expect(() => findAbsent(folder)).toThrow('Nothing was changed');
      expect(() => tidyClaudeFolder(folder, ['settings.json', 'enabledPlugins'])).toThrow('cannot be read');
      expect(readFileSync(join(folder, 'settings.json'), 'utf8')).toBe(broken);
    }
  });
});
