// The plugin folder that `install` makes: what is in it, what it costs, what becomes of it later.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  NO_MARK,
  noteOffer,
  notePlace,
  type PackageFiles,
  type Place,
  placePlugin,
  readMark,
  writeMark,
} from '../../../src/cli/install/plugin-folder.ts';

const ROOT = join(import.meta.dir, '../../..');
let scratch: string;
let source: PackageFiles;
let folder: string;

beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'claude-mem-place-'));
  source = makePackage('0.1.0');
  folder = join(scratch, `data "dir's`, 'plugin');
});

afterEach(() => rmSync(scratch, { recursive: true }));

/** Our real plugin; small files in place of the runtime and the bundles. */
function makePackage(version: string): PackageFiles {
  const root = join(scratch, `package-${version}`);
  const dist = join(root, 'dist');
  mkdirSync(join(dist, 'embed'), { recursive: true });
  writeFileSync(join(dist, 'hook.js'), `hook ${version}`);
  writeFileSync(join(dist, `only-${version}.js`), '');
  writeFileSync(join(dist, 'embed/static.bin'), 'same in all versions');
  const bun = join(root, 'bun');
  writeFileSync(bun, `bun ${version}`);
  chmodSync(bun, 0o755);
  return { version, dist, plugin: join(ROOT, 'plugin'), bun, launcher: join(ROOT, 'bin/start-bun') };
}

const readPlaced = (path: string) => readFileSync(join(folder, path), 'utf8');

describe('placePlugin', () => {
  test('makes a plugin of text alone, for this user alone, that names its runtime by whole paths', () => {
    expect(placePlugin(folder, source)).toBe(true);
    expect(readdirSync(join(folder, 'mem')).sort()).toEqual(['.claude-plugin', '.mcp.json', 'commands', 'hooks', 'skills']);
    const command = join(folder, 'runtime/bin/start-bun');
    const { hooks } = JSON.parse(readPlaced('mem/hooks/hooks.json'));
    expect(hooks.Stop[0].hooks[0]).toMatchObject({ command, args: ['hook.js', 'summary'] });
    const { mcpServers } = JSON.parse(readPlaced('mem/.mcp.json'));
    expect(mcpServers['claude-mem']).toMatchObject({ command, args: ['mcp.js'] });
    // For a shell; what is allowed is spelled as what is run.
    const quoted = `'${join(folder, 'runtime').replaceAll("'", `'\\''`)}'/bin/start-bun cli.js status`;
    expect(readPlaced('mem/commands/status.md').split(quoted)).toHaveLength(3);
    for (const path of ['mem/hooks/hooks.json', 'mem/.mcp.json', 'mem/commands/status.md', 'mem/commands/why.md'])
      expect(readPlaced(path)).not.toContain('CLAUDE_PLUGIN');
    for (const path of ['', 'mem', 'runtime', 'runtime/dist']) expect(statSync(join(folder, path)).mode & 0o777).toBe(0o700);
    // Named as the marketplace does, and not as the public product.
    expect(JSON.parse(readPlaced('mem/.claude-plugin/plugin.json'))).toMatchObject({ name: 'mem', version: '0.1.0' });
    const marketplace = JSON.parse(readPlaced('.claude-plugin/marketplace.json'));
    expect(marketplace).toMatchObject({ name: 'claude-mem', plugins: [{ name: 'mem', source: './mem' }] });
  });

  test('takes no space for the runtime, and keeps it when the package is gone', () => {
    placePlugin(folder, source);
    expect(statSync(join(folder, 'runtime/bin/bun')).ino).toBe(statSync(source.bun).ino);
    rmSync(join(source.dist, '..'), { recursive: true });
    expect(readPlaced('runtime/bin/bun')).toBe('bun 0.1.0');
    expect(readPlaced('runtime/dist/embed/static.bin')).toBe('same in all versions');
  });

  test('changes nothing the second time, and knows a copy by its bytes, where there can be no link', () => {
    placePlugin(folder, source);
    expect(placePlugin(folder, source)).toBe(false);
    const hook = join(folder, 'runtime/dist/hook.js');
    rmSync(hook);
    writeFileSync(hook, 'hook 0.1.0');
    expect(placePlugin(folder, source)).toBe(false);
    rmSync(hook);
    writeFileSync(hook, 'hook 0.1.X');
    expect(placePlugin(folder, source)).toBe(true);
    expect(readPlaced('runtime/dist/hook.js')).toBe('hook 0.1.0');
  });

  test('installs another version whole, and keeps nothing of the one before', () => {
    placePlugin(folder, source);
    mkdirSync(join(folder, 'mem/skills/old'), { recursive: true });
    writeFileSync(join(folder, 'mem/skills/old/SKILL.md'), 'of an older version');
    expect(placePlugin(folder, makePackage('0.2.0'))).toBe(true);
    expect(readPlaced('runtime/bin/bun')).toBe('bun 0.2.0');
    expect(existsSync(join(folder, 'runtime/dist/only-0.1.0.js'))).toBe(false);
    expect(existsSync(join(folder, 'mem/skills/old/SKILL.md'))).toBe(false);
    expect(JSON.parse(readPlaced('mem/.claude-plugin/plugin.json')).version).toBe('0.2.0');
    // The package of before was not written through the link.
    expect(readFileSync(source.bun, 'utf8')).toBe('bun 0.1.0');
  });
});

describe('the mark', () => {
  const place: Place = { claudeFolder: '/home/ada/.claude', project: null, mode: 'plugin', files: [], made: ['/home/ada/.claude'] };

  test('outlives a second placing, and has each place once', () => {
    writeMark(folder, NO_MARK);
    notePlace(folder, '0.1.0', { ...place, made: [] });
    placePlugin(folder, source);
    noteOffer(folder, 'import');
    notePlace(folder, '0.2.0', place);
    expect(readMark(folder)).toEqual({ version: '0.2.0', places: [place], agents: [], offered: ['import'] });
    notePlace(folder, '0.2.0', { ...place, project: '/work/shop' });
    expect(readMark(folder)?.places).toHaveLength(2);
  });

  test('of 0.1.0 is understood', () => {
    writeMark(folder, NO_MARK);
    const old = { version: '0.1.0', places: [{ claudeFolder: '/home/ada/.claude', absent: ['settings.json'] }], offered: ['login'] };
    writeFileSync(join(folder, 'installed.json'), JSON.stringify(old));
    expect(readMark(folder)?.places).toEqual([{ ...place, made: [] }]);
  });

  test('is null before there is one, and a folder of somebody else is refused', () => {
    expect(readMark(folder)).toBeNull();
    mkdirSync(folder, { recursive: true });
    expect(readMark(folder)).toBeNull();
    writeFileSync(join(folder, 'theirs.txt'), '');
    expect(() => readMark(folder)).toThrow('was not made by claude-mem install');
  });

  test('begins again when it is damaged', () => {
    writeMark(folder, NO_MARK);
    writeFileSync(join(folder, 'installed.json'), '{"version": ');
    expect(readMark(folder)).toEqual({ version: '', places: [], agents: [], offered: [] });
  });
});
