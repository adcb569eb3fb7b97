// What `npm pack` would ship: everything that runs, once.
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { z } from 'zod';

const ROOT = join(import.meta.dir, '../..');
const Packed = z.tuple([z.object({ files: z.array(z.object({ path: z.string(), size: z.number() })) })]);

test('holds dist and the plugin, but neither twice nor the runtime', () => {
  const { stdout } = Bun.spawnSync(['npm', 'pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: ROOT });
  const [{ files }] = Packed.parse(JSON.parse(stdout.toString()));
  const paths = files.map(({ path }) => path);
  for (const path of ['dist/hook.js', 'dist/worker.js', 'dist/memory.js', 'dist/embed/static.bin'])
    expect(paths).toContain(path);
  for (const path of ['plugin/hooks/hooks.json', 'plugin/.mcp.json', 'plugin/.claude-plugin/plugin.json'])
    expect(paths).toContain(path);
  // Whoever installs the plugin links both: they are 150 MB.
  expect(paths.filter((path) => /^plugin\/(?:dist|bin)\//.test(path))).toEqual([]);
  expect(files.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(50_000_000);
}, 30_000);
