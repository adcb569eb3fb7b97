// all-MiniLM-L6-v2 on our WebAssembly kernel: from tokens to the mean of what the model makes of them.
import { FEED_FORWARD, HIDDEN, type Layer, layOutMinilm, MAX_TOKENS, type Matrix } from './minilm-layout.ts';

/** The exports of src/search/wasm/minilm.ts; addresses and counts are plain numbers. */
type Kernel = {
  lookUp: (tokens: number, table: number, scales: number, output: number, count: number) => void;
  normalise: (values: number, addend: number, gain: number, rows: number) => void;
  quantise: (input: number, output: number, rowScales: number, rows: number, width: number) => void;
  multiply: (...values: [number, number, number, number, number, number, number]) => void;
  attend: (rows: number, context: number, length: number, scratch: number) => void;
  gelu: (values: number, count: number) => void;
};

export type MinilmModel = {
  /** The memory in which the weights must lie, from its beginning. */
  weights: Uint8Array;
  /** One vector for each sequence of token ids, [CLS] and [SEP] included. All of them together are at most 256 tokens. */
  run: (sequences: number[][]) => Float32Array[];
};

const PAGE_BYTES = 65_536;
/** The kernel multiplies six rows at once. What lies in the rows that fill up the last six goes nowhere. */
const ROWS_AT_ONCE = 6;
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
  let end = start;
  // From the start of a cache line: reads that cross two of them are slower.
  const take = (bytes: number): number => {
    const at = Math.ceil(end / 64) * 64;
    end = at + bytes;
    return at;
  };
  return {
    tokens: take(2 * MAX_TOKENS),
    rowScales: take(4 * MAX_ROWS),
    hidden: take(4 * MAX_ROWS * HIDDEN),
    narrow: take(4 * MAX_ROWS * HIDDEN),
    wide: take(4 * MAX_ROWS * FEED_FORWARD),
    integers: take(2 * MAX_ROWS * FEED_FORWARD),
    // What `attend` asks for.
    attention: take(4 * ((3 * 32 + 4) * MAX_TOKENS + 128)),
    byteLength: end,
  };
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
