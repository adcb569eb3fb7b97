// Claude Code's files after us are as they were before us, byte for byte; what others change meanwhile stays.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { leavePlace, listThere, lookAfter, lookBefore, type PlaceName, planEntries, writeEntries } from '../../../src/cli/install/place.ts';
import { NO_MARK, type Place, writeMark } from '../../../src/cli/install/plugin-folder.ts';

const PLUGIN = join(import.meta.dir, '../../../plugin');
const source = { version: '0.1.0', dist: '', plugin: PLUGIN, bun: '', launcher: '' };
let scratch: string;
let folder: string;
let claudeFolder: string;
let name: PlaceName;

beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'claude-mem-place-'));
  folder = join(scratch, `data $HOME "dir's ä`, 'plugin');
  writeMark(folder, NO_MARK);
  claudeFolder = join(scratch, 'claude');
  name = { claudeFolder, project: null, mode: 'traditional' };
});
afterEach(() => rmSync(scratch, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(claudeFolder, path)), { recursive: true });
  writeFileSync(join(claudeFolder, path), text);
}
const read = (path: string) => readFileSync(join(claudeFolder, path), 'utf8');
const list = (root = claudeFolder) =>
  !existsSync(root)
    ? null
    : readdirSync(root, { recursive: true, withFileTypes: true })
        .map((entry) => join(entry.parentPath, entry.name))
        .map((path) => [path, lstatSync(path).isFile() ? readFileSync(path, 'utf8') : ''])
        .sort();

/** As `install` does it; `act` in place of writing our entries, as `claude plugin` would. */
function install(known?: Place, act = () => writeEntries(planEntries(name, folder, source))): Place {
  const before = lookBefore(name, folder, known);
  const there = listThere(name);
  act();
  return lookAfter(before, there);
}

const FOREIGN = '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"say done"}]}]},\n\t"model" : "opus"}';

describe('traditional mode', () => {
  test.each([
    ['nothing', null, null],
    ['empty files', '', '{}'],
    ['empty settings', '{}\n', '{ }'],
    ['hooks of others, in a form of their own', FOREIGN, '{"mcpServers":{"other":{"command":"x"}},"userID":"u"}'],
    ['settings with tabs', '{\n\t"env": {\n\t\t"A": "1"\n\t},\n\t"hooks": {}\n}\n', '{\n  "mcpServers": {}\n}'],
    ['Windows line ends', '{\r\n  "model": "opus"\r\n}\r\n', '{\r\n  "userID": "u"\r\n}'],
  ])('leaves %s as it was', (_, settings, state) => {
    if (settings !== null) write('settings.json', settings);
    if (state !== null) write('.claude.json', state);
    const before = list();
    const place = install();
    expect(JSON.parse(read('settings.json')).hooks.SessionStart).toHaveLength(1);
    expect(JSON.parse(read('.claude.json')).mcpServers['claude-mem'].args).toEqual(['mcp.js']);
    leavePlace(place, folder);
    expect(list()).toEqual(before);
    if (!settings || settings.length <= 4) return;
    // Outside of our entries every byte is as it was, also where somebody wrote in it since.
    const again = install();
    write('settings.json', `${read('settings.json')}\n`);
    leavePlace(again, folder);
    expect(read('settings.json')).toBe(`${settings}\n`);
  });

  test('of files that others changed since only our part goes, wherever it stands now', () => {
    write('settings.json', FOREIGN);
    const place = install();
    const changed = read('settings.json').replace('"opus"', '"sonnet"');
    write('settings.json', changed);
    const state = JSON.parse(read('.claude.json'));
    write('.claude.json', JSON.stringify({ numStartups: 3, ...state }));
    leavePlace(place, folder);
    expect(read('settings.json')).toBe(FOREIGN.replace('"opus"', '"sonnet"'));
    expect(JSON.parse(read('.claude.json'))).toEqual({ numStartups: 3 });
  });

  test('done again changes nothing, and what was changed in between outlives its end', () => {
    write('settings.json', '{"model":"opus"}');
    const first = install();
    const made = list();
    expect(planEntries(name, folder, source)).toEqual([]);
    install(first);
    expect(list()).toEqual(made);
    write('settings.json', read('settings.json').replace('opus', 'sonnet'));
    leavePlace(install(first), folder);
    expect(read('settings.json')).toBe('{"model":"sonnet"}');
  });

  test('for one project it stands in that project, for this machine alone', () => {
    const project = join(scratch, 'my shop');
    mkdirSync(project);
    name = { ...name, project };
    write('.claude.json', '{"projects":{}}');
    const before = list(project);
    const place = install();
    expect(JSON.parse(readFileSync(join(project, '.claude/settings.local.json'), 'utf8')).hooks.Stop).toHaveLength(1);
    expect(JSON.parse(read('.claude.json')).projects[project].mcpServers['claude-mem']).toBeDefined();
    leavePlace(place, folder);
    expect(list(project)).toEqual(before);
    expect(read('.claude.json')).toBe('{"projects":{}}');
  });

  test('a server of that name that is not ours stops it', () => {
    write('.claude.json', '{"mcpServers":{"claude-mem":{"command":"theirs"}}}');
    expect(() => planEntries(name, folder, source)).toThrow('claude mcp remove claude-mem');
  });

  test('a link to settings elsewhere stays one', () => {
    write('dotfile.json', '{ "model": "opus" }');
    symlinkSync('dotfile.json', join(claudeFolder, 'settings.json'));
    const place = install();
    expect(read('dotfile.json')).toContain('hooks');
    leavePlace(place, folder);
    expect(lstatSync(join(claudeFolder, 'settings.json')).isSymbolicLink()).toBe(true);
    expect(read('dotfile.json')).toBe('{ "model": "opus" }');
  });

  test('settings that nobody can read are refused, and not touched', () => {
    const place = install();
    for (const broken of ['{ "model": ', '[1]', '"text"']) {
      write('settings.json', broken);
      for (const act of [
        () => planEntries(name, folder, source),
        () => lookBefore(name, folder, undefined),
        () => leavePlace(place, folder),
      ])
        expect(act).toThrow('Nothing was changed');
      expect(read('settings.json')).toBe(broken);
    }
  });
});

/** What `claude plugin marketplace add` and `install` write, in Claude Code's own form. */
function actAsClaude(): void {
  const edit = (path: string, change: (value: Record<string, Record<string, unknown>>) => void) => {
    const value = existsSync(join(claudeFolder, path)) ? JSON.parse(read(path)) : {};
    change(value);
    write(path, `${JSON.stringify(value, null, 2)}\n`);
  };
  edit('settings.json', (settings) => {
    settings.enabledPlugins = { ...settings.enabledPlugins, 'mem@claude-mem': true };
    settings.extraKnownMarketplaces = { ...settings.extraKnownMarketplaces, 'claude-mem': {} };
  });
  edit('plugins/known_marketplaces.json', (known) => Object.assign(known, { 'claude-mem': {} }));
  edit('plugins/installed_plugins.json', (installed) =>
    Object.assign(installed, { version: 2, plugins: { ...installed.plugins, 'mem@claude-mem': [] } }),
  );
  write('plugins/cache/claude-mem/mem/0.1.0/.mcp.json', '{}');
  mkdirSync(join(claudeFolder, 'plugins/marketplaces'), { recursive: true });
  if (!existsSync(join(claudeFolder, '.claude.json'))) write('backups/.claude.json.backup.1', '{}');
  edit('.claude.json', (state) => Object.assign(state, { migrationVersion: 15 }));
}

describe('a plugin', () => {
  beforeEach(() => {
    name = { ...name, mode: 'plugin' };
  });

  test.each([
    ['nothing', null],
    ['settings in a form of their own', '{"model":"opus","enabledPlugins":{"lint@acme":false}}'],
    ['an empty list', '{"enabledPlugins":{}}'],
  ])('leaves %s as it was', (_, settings) => {
    if (settings !== null) write('settings.json', settings);
    const before = list();
    leavePlace(install(undefined, actAsClaude), folder);
    expect(list()).toEqual(before);
  });

  test('leaves what others have there, and what Claude Code has come to know since', () => {
    write('settings.json', '{"enabledPlugins":{"lint@acme":true}}');
    const place = install(undefined, actAsClaude);
    write('settings.json', read('settings.json').replace('{', '{ "model": "opus",'));
    write('.claude.json', '{"numStartups":1}');
    write('plugins/known_marketplaces.json', '{"claude-mem":{"lastUpdated":"later"}}');
    write('plugins/cache/acme/lint/1.0.0/.mcp.json', '{}');
    leavePlace(place, folder);
    expect(JSON.parse(read('settings.json'))).toEqual({ model: 'opus', enabledPlugins: { 'lint@acme': true } });
    expect(read('.claude.json')).toBe('{"numStartups":1}');
    expect(readdirSync(join(claudeFolder, 'plugins')).sort()).toEqual(['cache']);
    expect(readdirSync(join(claudeFolder, 'plugins/cache'))).toEqual(['acme']);
  });

  test('installed by 0.1.0 is taken out as well', () => {
    actAsClaude();
    leavePlace({ ...name, files: [], made: [] }, folder);
    expect(existsSync(join(claudeFolder, 'settings.json'))).toBe(false);
    expect(read('.claude.json')).toContain('15');
  });
});
