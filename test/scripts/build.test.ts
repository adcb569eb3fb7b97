// The build on a small tree: what ends up in dist/ and plugin/, that it runs elsewhere, and what it refuses.
import { expect, test } from 'bun:test';
import { cpSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from '../../scripts/build.ts';
import { makeTree } from './make-tree.ts';

const TREE = {
  'package.json': JSON.stringify({ version: '1.2.3', dependencies: { bun: Bun.version } }),
  'plugin/hooks/hooks.json': '{}',
  'bin/start-bun': '#!/bin/sh',
  'src/hook/hook.ts': "if (process.argv[2]) import('./spool.ts').then(({ spool }) => spool());\nelse console.log('fast');",
  'src/hook/run-hook.ts': 'export const runHook = 1;',
  'src/hook/spool.ts': "import { writeSync } from 'node:fs';\nexport const spool = () => writeSync(1, 'spooled');",
  'src/hook/clean-payload.ts': 'export const judge = 1;',
  'src/client/start-worker.ts': 'export const startWorker = 1;',
  'src/search/embed/child.ts': 'export const child = 1;',
  'src/import/child.ts': 'export const importer = 1;',
  'src/backup/child.ts': 'export const backup = 1;',
  'src/server/background.ts': 'export const door = 1;',
  'src/cli/worker.ts': 'console.log(import.meta.dir);',
  'src/cli/mcp.ts': 'export const mcp = 1;',
  'src/mcp/run-tools.ts': 'export const tools = 1;',
  'src/cli/demo/demo.ts': 'export const demo = 1;',
  'src/cli/main.ts': 'declare const CLAUDE_MEM_VERSION: string;\nconsole.log(CLAUDE_MEM_VERSION);',
};

const BARE = ['backup', 'demo', 'hook', 'importer', 'mcp-tools'];
const NAMES = ['background', ...BARE, 'clean-payload', 'cli', 'embedder', 'mcp', 'run-hook', 'spool', 'start-worker', 'worker'];
const FILES = [
  ...NAMES.flatMap((name) => (BARE.includes(name) ? [`${name}.js`] : [`${name}.js`, `${name}.js.jsc`])),
  'claude-mem.1',
].sort();

function run(bun: string, ...args: string[]): string {
  return Bun.spawnSync([bun, ...args])
    .stdout.toString()
    .trim();
}

test('makes a plugin that runs with its own runtime after it was moved', async () => {
  using folder = makeTree(TREE);
  await build(folder.path);
  const moved = join(folder.path, 'moved plugin');
  renameSync(join(folder.path, 'plugin'), moved);
  const bun = join(moved, 'bin/bun');
  expect(readdirSync(join(moved, 'dist')).sort()).toEqual(FILES);
  expect(run(bun, join(moved, 'dist/hook.js'))).toBe('fast');
  expect(run(bun, join(moved, 'dist/hook.js'), 'spool')).toBe('spooled');
  expect(run(bun, join(moved, 'dist/worker.js'))).toBe(join(moved, 'dist'));
  expect(run(bun, join(moved, 'dist/cli.js'))).toBe('1.2.3');
});

test('builds again over an earlier build, keeps the linked runtime and removes what is no longer made', async () => {
  using folder = makeTree(TREE);
  await build(folder.path);
  const runtime = statSync(join(folder.path, 'plugin/bin/bun')).ino;
  writeFileSync(join(folder.path, 'dist/old.js'), '');
  await build(folder.path);
  expect(readdirSync(join(folder.path, 'dist')).sort()).toEqual(FILES);
  expect(readdirSync(join(folder.path, 'plugin/bin')).sort()).toEqual(['bun', 'start-bun']);
  expect(statSync(join(folder.path, 'plugin/bin/bun')).ino).toBe(runtime);
});

test('never shows a half-written file to a hook that runs during a build', async () => {
  using folder = makeTree(TREE);
  await build(folder.path);
  const builds = (async () => {
    for (let round = 0; round < 5; round += 1) await build(folder.path);
  })();
  const hook = [join(folder.path, 'plugin/bin/bun'), join(folder.path, 'plugin/dist/hook.js')];
  for (let round = 0; round < 20; round += 1) {
    expect(await Bun.spawn(hook).stdout.text()).toBe('fast\n');
  }
  await builds;
});

const PACKAGE = {
  'src/cli/worker.ts': "import { x } from 'some-package';\nconsole.log(x);",
  'node_modules/some-package/package.json': '{"name":"some-package","version":"2.0.0","license":"MIT","main":"index.js"}',
  'node_modules/some-package/index.js': 'export const x = 1;',
};

test('ships the licence of every package it bundles', async () => {
  using folder = makeTree({ ...TREE, ...PACKAGE, 'node_modules/some-package/LICENSE': 'As you like.' });
  await build(folder.path);
  const licences = readFileSync(join(folder.path, 'dist/third-party-licences.txt'), 'utf8');
  expect(licences).toBe('== some-package 2.0.0 (MIT)\n\nAs you like.\n');
});

test('refuses a folder in whose path Bun fails, and says so', async () => {
  using folder = makeTree(Object.fromEntries(Object.entries(TREE).map(([path, text]) => [`ada's/${path}`, text])));
  await expect(build(join(folder.path, "ada's"))).rejects.toThrow('with a quote or a backslash in its name');
});

type Refusal = { tree: Record<string, string>; without?: string; message: RegExp };

const refusals: Record<string, Refusal> = {
  'a missing entry point': { tree: {}, without: 'src/cli/worker.ts', message: /do not exist: src\/cli\/worker\.ts/ },
  'another Bun than the pinned one': {
    tree: { 'package.json': JSON.stringify({ version: '1.2.3', dependencies: { bun: '0.0.1' } }) },
    message: /package\.json pins 0\.0\.1/,
  },
  'a hook that loads a module at its start': {
    tree: { 'src/hook/hook.ts': "import { readFileSync } from 'node:fs';\nreadFileSync('x');" },
    message: /hook\.js loads .*fs at every start/,
  },
  'a hook that would load a module early although it is imported lazily': {
    tree: { 'src/hook/hook.ts': "import('./lazy.ts');", 'src/hook/lazy.ts': "import { readFileSync } from 'node:fs';\nreadFileSync('x');" },
    message: /hook\.js loads .*fs at every start/,
  },
  'a package in the hook': {
    tree: { ...PACKAGE, 'src/hook/hook.ts': "import { x } from 'some-package';\nconsole.log(x);" },
    message: /must hold nothing but our own code/,
  },
  'a package without its licence': { tree: PACKAGE, message: /some-package is bundled but .* holds no licence text/ },
  'top-level await, which bytecode does not allow': {
    tree: { 'src/cli/main.ts': 'await Promise.resolve();' },
    message: /"await" can only be used inside an "async" function/,
  },
  'a path of the machine that builds': {
    tree: { 'src/cli/worker.ts': "console.log(new URL('x', import.meta.url));" },
    message: /worker\.js names the folder it was built in/,
  },
};

test.each(Object.entries(refusals))('refuses %s', async (_, { tree, without, message }) => {
  const files: Record<string, string> = { ...TREE, ...tree };
  if (without !== undefined) delete files[without];
  using folder = makeTree(files);
  const outcome = await build(folder.path).then(
    () => 'built',
    (error) => (error instanceof AggregateError ? error.errors.join('\n') : String(error)),
  );
  expect(outcome).toMatch(message);
});

test('the command prints why it failed and exits 1', () => {
  using folder = makeTree({ 'package.json': TREE['package.json'] });
  cpSync(join(import.meta.dir, '../../scripts'), join(folder.path, 'scripts'), { recursive: true });
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, join(folder.path, 'scripts/build.ts')]);
  expect(exitCode).toBe(1);
  expect(stderr.toString()).toContain('these entry points do not exist: src/hook/hook.ts');
});
