// What the build makes for the local search, and that it makes slow things once.
import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { remember } from '../../scripts/embedder/cache.ts';
import { listKernels } from '../../scripts/embedder/compile-kernel.ts';
import { makeTree } from './make-tree.ts';

const ROOT = join(import.meta.dir, '../..');

describe.each(['dist/embed', 'plugin/dist/embed'])('%s', (folder) => {
  const kernels = listKernels(ROOT).map((name) => `${name}.wasm`);

  test.each([...kernels, 'minilm.bin', 'static.bin', 'vocabulary.txt'])('holds %s', (name) => {
    expect(existsSync(join(ROOT, folder, name))).toBe(true);
  });

  test('says where the model comes from and what its licence is', () => {
    const notice = readFileSync(join(ROOT, folder, 'NOTICE.txt'), 'utf8');
    expect(notice).toContain('all-MiniLM-L6-v2 (Apache-2.0');
    expect(notice).toContain('Apache License');
    expect(notice).toContain('Yury Selivanov');
  });

  test('holds kernels that bring no memory of their own and ask for nothing else', () => {
    for (const name of kernels) {
      const kernel = new WebAssembly.Module(readFileSync(join(ROOT, folder, name)));
      expect(WebAssembly.Module.imports(kernel).map(({ kind }) => kind)).toEqual(['memory']);
    }
  });
});

describe('remember', () => {
  const order = (inputs: string[], content: string) => ({
    name: 'product.bin',
    inputs,
    make: async () => new TextEncoder().encode(content),
  });

  test('makes a product once and again only when its inputs change', async () => {
    using folder = makeTree({});
    const ask = async (inputs: string[], content: string) => new TextDecoder().decode(await remember(folder.path, order(inputs, content)));
    expect(await ask(['a', 'b'], 'first')).toBe('first');
    expect(await ask(['a', 'b'], 'second')).toBe('first');
    expect(await ask(['ab', ''], 'third')).toBe('third');
  });

  test('keeps only the latest', async () => {
    using folder = makeTree({});
    for (const input of ['a', 'b', 'c']) await remember(folder.path, order([input], input));
    expect(readdirSync(folder.path)).toHaveLength(1);
  });

  test('keeps nothing of a product that could not be made', async () => {
    using folder = makeTree({});
    const make = () => Promise.reject(new Error('no'));
    await expect(remember(folder.path, { name: 'x', inputs: [], make })).rejects.toThrow('no');
    expect(readdirSync(folder.path)).toEqual([]);
  });
});
