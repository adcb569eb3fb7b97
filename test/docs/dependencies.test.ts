// Every package we depend on is explained in docs/dependencies.md, and nothing else is.
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dir, '../..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const page = readFileSync(join(root, 'docs/dependencies.md'), 'utf8');

const packages: string[] = Object.keys({
  ...manifest.dependencies,
  ...manifest.devDependencies,
  ...manifest.optionalDependencies,
  ...manifest.peerDependencies,
});
const chapters = new Map(
  page
    .split(/^### /m)
    .slice(1)
    .map((chapter): [string, string] => {
      const [name = '', ...rest] = chapter.split('\n');
      return [name.trim(), rest.join('\n').split(/^## /m)[0] ?? ''];
    }),
);

describe('docs/dependencies.md', () => {
  test.each(packages)('says what %s is for and what it costs', (name) => {
    expect(chapters.get(name)).toMatch(/_Costs:_/);
  });

  test('describes no package that is gone', () => {
    expect([...chapters.keys()].filter((name) => !packages.includes(name))).toEqual([]);
  });

  test('is right that users install Bun and nothing else', () => {
    expect(Object.keys(manifest.dependencies)).toEqual(['bun']);
    expect(manifest.dependencies.bun).toMatch(/^\d+\.\d+\.\d+$/);
    expect(manifest.devDependencies['@types/bun']).toBe(manifest.dependencies.bun);
  });
});
