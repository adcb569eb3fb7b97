// all-MiniLM-L6-v2 with int8 weights, on our WebAssembly kernel: the embedding engine that understands paraphrases and code.
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { type Embedder, EmbedderError, toInt8 } from './embedder.ts';
import { createTokenizer, TEXT_END, TEXT_START } from './tokenizer.ts';

export const MINILM_ID = 'minilm-int8-wasm-1';
export const HIDDEN = 384;
const FEED_FORWARD = 1536;
export const LAYERS = 6;
export const VOCABULARY = 30_522;
/** [CLS] and [SEP] among them. */
export const MAX_TOKENS = 256;

/**
 * Reads minilm.bin, minilm.wasm and vocabulary.txt from `folder` (dist/embed). Blocks its thread while it works, 0.3 ms a token.
 * The kernel leaves no rounding open, so a text has the same vector on every machine.
 */
export function loadMinilm(folder: string): Embedder {
  const tokenizer = createTokenizer(readFileSync(join(folder, 'vocabulary.txt'), 'utf8'));
  const model = createMinilmModel(readFileSync(join(folder, 'minilm.wasm')));
  readInto(model.weights, join(folder, 'minilm.bin'));
  return {
    id: MINILM_ID,
    dimension: HIDDEN,
    embed: async (texts) =>
      texts.map((text) => {
        const tokens = tokenizer.tokenize(text, MAX_TOKENS - 2);
        if (tokens.length === 0) return new Int8Array(HIDDEN);
        const [vector] = model.run([[TEXT_START, ...tokens, TEXT_END]]);
        return toInt8(vector ?? []);
      }),
    close: async () => undefined,
  };
}

/** Straight to where it is used: a second copy of 23 MB would stay in the process. */
function readInto(target: Uint8Array, path: string): void {
  const file = openSync(path, 'r');
  try {
    let done = 0;
    while (done < target.length) {
      const count = readSync(file, target, done, target.length - done, done);
      if (count === 0) throw new EmbedderError('settings', `${path} is too short. Install claude-mem again.`);
      done += count;
    }
  } finally {
    closeSync(file);
  }
}

/** The exports of src/search/wasm/minilm.ts; addresses and counts are plain numbers. */
type Kernel = {
  lookUp: (tokens: number, table: number, scales: number, output: number, count: number) => void;
  normalise: (values: number, addend: number, gain: number, rows: number) => void;
  quantise: (input: number, output: number, rowScales: number, rows: number, width: number) => void;
  multiply: (...values: [number, number, number, number, number, number, number]) => void;
  attend: (rows: number, context: number, length: number, scratch: number) => void;
  gelu: (values: number, count: number) => void;
};

type MinilmModel = {
  /** The memory in which the weights must lie, from its beginning. */
  weights: Uint8Array;
  /** One vector for each sequence of token ids, [CLS] and [SEP] included. All of them together are at most 256 tokens. */
  run: (sequences: number[][]) => Float32Array[];
};

const PAGE_BYTES = 65_536;
/** The kernel multiplies four rows at once. What lies in the rows that fill up the last four goes nowhere. */
const ROWS_AT_ONCE = 4;
const MAX_ROWS = roundUp(MAX_TOKENS);

export function createMinilmModel(kernelFile: Uint8Array<ArrayBuffer>): MinilmModel {
  const layout = layOutMinilm();
  const scratch = layOutScratch(layout.byteLength);
  const memory = new WebAssembly.Memory({ initial: Math.ceil(scratch.byteLength / PAGE_BYTES) });
  const instance = new WebAssembly.Instance(new WebAssembly.Module(kernelFile), { env: { memory } });
  const kernel = instance.exports as Kernel; // The build makes both from one tree.

  const run = (sequences: number[][]): Float32Array[] => {
    const rows = sequences.reduce((sum, { length }) => sum + length, 0);
    if (rows > MAX_TOKENS) throw new RangeError(`${rows} tokens at once, more than ${MAX_TOKENS}`);
    embedWords(sequences);
    for (const layer of layout.layers) runLayer(layer, sequences, roundUp(rows));
    return pool(new Float32Array(memory.buffer, scratch.hidden, rows * HIDDEN), sequences);
  };

  const embedWords = (sequences: number[][]) => {
    new Uint16Array(memory.buffer, scratch.tokens, MAX_TOKENS).set(sequences.flat());
    let [tokens, hidden] = [scratch.tokens, scratch.hidden];
    for (const { length } of sequences) {
      kernel.lookUp(tokens, layout.words, layout.wordScales, hidden, length);
      kernel.normalise(hidden, layout.positions, layout.embeddingNorm, length);
      tokens += 2 * length;
      hidden += 4 * HIDDEN * length;
    }
  };

  const runLayer = (layer: Layer, sequences: number[][], rows: number) => {
    multiply(scratch.hidden, layer.attention, scratch.wide, rows);
    let [wide, context] = [scratch.wide, scratch.narrow];
    for (const { length } of sequences) {
      kernel.attend(wide, context, length, scratch.attention);
      wide += 4 * 3 * HIDDEN * length;
      context += 4 * HIDDEN * length;
    }
    multiply(scratch.narrow, layer.attentionOutput, scratch.wide, rows);
    kernel.normalise(scratch.hidden, scratch.wide, layer.attentionNorm, rows);
    multiply(scratch.hidden, layer.feedForward, scratch.wide, rows);
    kernel.gelu(scratch.wide, rows * FEED_FORWARD);
    multiply(scratch.wide, layer.feedForwardOutput, scratch.narrow, rows);
    kernel.normalise(scratch.hidden, scratch.narrow, layer.outputNorm, rows);
  };

  const multiply = (input: number, { at, inner, channels }: Matrix, output: number, rows: number) => {
    kernel.quantise(input, scratch.integers, scratch.rowScales, rows, inner);
    kernel.multiply(scratch.integers, scratch.rowScales, at, output, rows, inner, channels);
  };

  return { weights: new Uint8Array(memory.buffer, 0, layout.byteLength), run };
}

function layOutScratch(start: number) {
  // From the start of a cache line: reads that cross two of them are slower.
  const { take, end } = createLayout(start, 64);
  return {
    tokens: take(2 * MAX_TOKENS),
    rowScales: take(4 * MAX_ROWS),
    hidden: take(4 * MAX_ROWS * HIDDEN),
    narrow: take(4 * MAX_ROWS * HIDDEN),
    wide: take(4 * MAX_ROWS * FEED_FORWARD),
    integers: take(2 * MAX_ROWS * FEED_FORWARD),
    // What `attend` asks for.
    attention: take(4 * ((2 * 32 + 1) * MAX_TOKENS + 32)),
    byteLength: end(),
  };
}

/** One block behind the other, each from a multiple of so many bytes. */
function createLayout(start: number, alignment: number) {
  const align = (at: number) => Math.ceil(at / alignment) * alignment;
  let free = align(start);
  const take = (bytes: number): number => {
    const at = free;
    free = align(at + bytes);
    return at;
  };
  return { take, end: () => free };
}

function roundUp(rows: number): number {
  return Math.ceil(rows / ROWS_AT_ONCE) * ROWS_AT_ONCE;
}

function pool(hidden: Float32Array, sequences: number[][]): Float32Array[] {
  let at = 0;
  return sequences.map(({ length }) => {
    const sum = new Float32Array(HIDDEN);
    for (let row = 0; row < length; row++) {
      for (let i = 0; i < HIDDEN; i++) sum[i] = (sum[i] ?? 0) + (hidden[at + i] ?? 0);
      at += HIDDEN;
    }
    return sum;
  });
}

/** `multiply` in the kernel says how a matrix looks. */
export type Matrix = { at: number; inner: number; channels: number };
type Layer = ReturnType<typeof layOutMinilm>['layers'][number];

/** Where everything lies in minilm.bin, which is loaded into the kernel's memory as it is. */
export function layOutMinilm() {
  const { take, end } = createLayout(0, 16);
  const takeMatrix = (inner: number, channels: number): Matrix => ({ at: take(inner * channels + 2 * 4 * channels), inner, channels });
  /** f32 gain[384], f32 shift[384]. */
  const takeNorm = () => take(2 * 4 * HIDDEN);
  return {
    /** i8[30522][384] and f32[30522]. */
    words: take(VOCABULARY * HIDDEN),
    wordScales: take(4 * VOCABULARY),
    /** f32[256][384], with what says "first sentence" added. */
    positions: take(4 * MAX_TOKENS * HIDDEN),
    embeddingNorm: takeNorm(),
    layers: Array.from({ length: LAYERS }, () => ({
      /** Query, key and value side by side. */
      attention: takeMatrix(HIDDEN, 3 * HIDDEN),
      attentionOutput: takeMatrix(HIDDEN, HIDDEN),
      attentionNorm: takeNorm(),
      feedForward: takeMatrix(HIDDEN, FEED_FORWARD),
      feedForwardOutput: takeMatrix(FEED_FORWARD, HIDDEN),
      outputNorm: takeNorm(),
    })),
    byteLength: end(),
  };
}
