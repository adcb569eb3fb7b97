// What of the viewer is shipped.
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '../..');

test('the viewer takes 150 KB at most when it is packed, and names no other place', () => {
  const files = [...new Bun.Glob('dist/viewer/**/*.{html,js,css,svg}').scanSync({ cwd: ROOT })];
  expect(files.length).toBeGreaterThan(3);
  const texts = files.map((file) => readFileSync(join(ROOT, file)));
  expect(texts.reduce((sum, text) => sum + Bun.gzipSync(text).length, 0)).toBeLessThan(150_000);
  const places = texts.flatMap((text) => text.toString().match(/https?:\/\/[^\s"'`)]+/g) ?? []);
  // Names of what elements are, which nobody asks for.
  expect(places.filter((place) => !place.startsWith('http://www.w3.org/'))).toEqual([]);
});
