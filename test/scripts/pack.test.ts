// What `npm pack` would ship: everything that runs, once.
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const ROOT = join(import.meta.dir, '../..');
const Packed = z.tuple([z.object({ files: z.array(z.object({ path: z.string(), size: z.number() })) })]);

test('holds dist and the plugin, but neither twice nor the runtime', () => {
  const { stdout } = Bun.spawnSync(['npm', 'pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: ROOT });
  const [{ files }] = Packed.parse(JSON.parse(stdout.toString()));
  const paths = files.map(({ path }) => path);
  for (const path of ['dist/hook.js', 'dist/worker.js', 'dist/background.js', 'dist/demo.js', 'dist/embed/static.bin'])
    expect(paths).toContain(path);
  for (const path of ['plugin/hooks/hooks.json', 'plugin/.mcp.json', 'plugin/.claude-plugin/plugin.json']) expect(paths).toContain(path);
  // Whoever installs the plugin links both: they are 150 MB.
  expect(paths.filter((path) => /^plugin\/(?:dist|bin)\//.test(path))).toEqual([]);
  expect(files.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(55_000_000);
}, 60_000);

test('the viewer takes 150 KB at most when it is packed, and names no other place', () => {
  const files = [...new Bun.Glob('dist/viewer/**/*.{html,js,css,svg}').scanSync({ cwd: ROOT })];
  expect(files.length).toBeGreaterThan(3);
  const texts = files.map((file) => readFileSync(join(ROOT, file)));
  expect(texts.reduce((sum, text) => sum + Bun.gzipSync(text).length, 0)).toBeLessThan(150_000);
  const places = texts.flatMap((text) => text.toString().match(/https?:\/\/[^\s"'`)]+/g) ?? []);
  // Names of what elements are, which nobody asks for.
  expect(places.filter((place) => !place.startsWith('http://www.w3.org/'))).toEqual([]);
});
