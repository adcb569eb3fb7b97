// The `claude-mem` command as npm installs it: finds Bun in every layout npm leaves, passes on exit codes and signals.
import { expect, test } from 'bun:test';
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTree } from './make-tree.ts';

const bin = join(import.meta.dir, '../../bin');
const CLI = `
const [, , command] = process.argv;
if (command === 'wait') {
  process.on('SIGTERM', () => process.exit(42));
  setInterval(() => {}, 1000);
  console.log('waiting');
} else if (command === 'die') process.kill(process.pid, 'SIGKILL');
else { console.log(JSON.stringify(process.argv.slice(2))); process.exit(7); }
`;
const PLACEHOLDER = 'echo "bun is not installed" >&2; exit 1';
const MANIFEST = JSON.stringify({ optionalDependencies: { '@oven/bun-musl': '1', '@oven/bun-here': '1' } });

type Layout = 'hoisted' | 'nested' | 'without scripts' | 'without bun';

/** A package installed as npm would in the given layout, with a CLI made for the test. */
function install(layout: Layout, files: Record<string, string> = { 'dist/cli.js': CLI }) {
  const own = 'node_modules/claude-mem';
  const folder = makeTree({ 'package.json': '{}' });
  const place = join(folder.path, own);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(place, name, '..'), { recursive: true });
    writeFileSync(join(place, name), text);
  }
  cpSync(bin, join(place, 'bin'), { recursive: true });
  placeBun(layout, layout === 'nested' ? join(place, 'node_modules') : join(folder.path, 'node_modules'));
  // As npm links it.
  mkdirSync(join(folder.path, 'node_modules/.bin'), { recursive: true });
  symlinkSync('../claude-mem/bin/claude-mem', join(folder.path, 'node_modules/.bin/claude-mem'));
  const command = [join(folder.path, 'node_modules/.bin/claude-mem')];
  return { command, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

function placeBun(layout: Layout, modules: string): void {
  if (layout === 'without bun') return;
  const real = join(modules, layout === 'without scripts' ? '@oven/bun-here/bin/bun' : 'bun/bin/bun.exe');
  mkdirSync(join(real, '..'), { recursive: true });
  mkdirSync(join(modules, 'bun/bin'), { recursive: true });
  symlinkSync(process.execPath, real);
  writeFileSync(join(modules, 'bun/package.json'), MANIFEST);
  if (layout !== 'without scripts') return;
  writeFileSync(join(modules, 'bun/bin/bun.exe'), PLACEHOLDER);
  mkdirSync(join(modules, '@oven/bun-musl/bin'), { recursive: true });
  writeFileSync(join(modules, '@oven/bun-here/package.json'), '{}');
  writeFileSync(join(modules, '@oven/bun-musl/package.json'), '{}');
  writeFileSync(join(modules, '@oven/bun-musl/bin/bun'), 'x'.repeat(2_000_000));
  chmodSync(join(modules, '@oven/bun-musl/bin/bun'), 0o755);
}

test.each(['hoisted', 'nested', 'without scripts'] as const)('runs the CLI when Bun is installed %s', (layout) => {
  using installed = install(layout);
  const { stdout, exitCode } = Bun.spawnSync([...installed.command, 'search', 'two words', '--json']);
  expect({ stdout: stdout.toString(), exitCode }).toEqual({ stdout: '["search","two words","--json"]\n', exitCode: 7 });
});

test('is found by its old path, too, and with node', () => {
  using installed = install('hoisted');
  const old = installed.command[0]?.replace('.bin/claude-mem', 'claude-mem/bin/claude-mem.mjs') ?? '';
  for (const command of [[old], ['node', old]]) expect(Bun.spawnSync([...command, 'x']).exitCode).toBe(7);
});

test('passes a signal on and ends with the code of the CLI', async () => {
  using installed = install('hoisted');
  const run = Bun.spawn([...installed.command, 'wait']);
  const { value } = await run.stdout.getReader().read();
  expect(new TextDecoder().decode(value)).toBe('waiting\n');
  run.kill('SIGTERM');
  expect(await run.exited).toBe(42);
});

test('dies of the signal that killed the CLI', async () => {
  using installed = install('hoisted');
  const run = Bun.spawn([...installed.command, 'die']);
  await run.exited;
  expect(run.signalCode).toBe('SIGKILL');
});

const broken = {
  'Bun is missing': { layout: 'without bun', files: { 'dist/cli.js': CLI }, says: /"bun", is not installed.*npm install/s },
  'dist is missing': { layout: 'hoisted', files: {}, says: /dist\/cli\.js does not exist.*npm run prepare/s },
} as const;

test.each(Object.entries(broken))('says what to do when %s', (_, { layout, files, says }) => {
  using installed = install(layout, files);
  const { stderr, exitCode } = Bun.spawnSync([...installed.command, 'status']);
  expect(stderr.toString()).toMatch(says);
  expect(exitCode).toBe(1);
});
