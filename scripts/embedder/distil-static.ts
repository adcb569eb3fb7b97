// Distils static.bin from MiniLM: what the model makes of each word piece alone, weighted by how rare the piece is.
import { join } from 'node:path';
import { HIDDEN, VOCABULARY } from '../../src/search/embed/minilm.ts';
import { STATIC_BYTES } from '../../src/search/embed/static.ts';

export type DistilOrder = { kernel: Uint8Array; weights: Uint8Array; from: number; to: number };

/** The most that fit into one run, each between [CLS] and [SEP]. */
export const PIECES_AT_ONCE = 85;
/** One for each core, up to a number: each has a copy of the weights. */
const THREADS = Math.min(8, Math.max(2, navigator.hardwareConcurrency));
/** Before it, the vocabulary holds nothing that a text could contain, except [UNK]: these weigh nothing and have no vector. */
const FIRST_CHARACTER = 999;
/** In the order of frequency, the word whose weight is one half. */
const HALF_WEIGHT_AT = 25;
/** Letters, digits and signs come before the words. They say next to nothing, but for a text of nothing else. */
const CHARACTER_WEIGHT = 0.02;

type Inputs = { kernel: Uint8Array; weights: Uint8Array; vocabulary: string };

export async function distilStatic({ kernel, weights, vocabulary }: Inputs): Promise<Uint8Array> {
  const vectors = await runPieces(kernel, weights);
  const firstWord = vocabulary.split('\n').indexOf('the');
  const mean = meanOf(vectors.subarray(firstWord * HIDDEN));
  const file = new Uint8Array(STATIC_BYTES);
  const rows = new Int8Array(file.buffer, 0, VOCABULARY * HIDDEN);
  const scales = new Float32Array(file.buffer, rows.length, VOCABULARY);
  for (let piece = FIRST_CHARACTER; piece < VOCABULARY; piece++) {
    const at = piece * HIDDEN;
    // Without what all pieces share, every text would resemble every other.
    const own = vectors.subarray(at, at + HIDDEN).map((value, i) => value - (mean[i] ?? 0));
    const largest = own.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    rows.set(
      own.map((value) => Math.round((127 * value) / largest)),
      at,
    );
    scales[piece] = (weigh(piece, firstWord) * largest) / 127;
  }
  return file;
}

/** BERT's vocabulary lists its words by how frequent they are. Against equal weights: LoCoMo R@5 28 -> 49, CoSQA MRR .20 -> .62. */
function weigh(piece: number, firstWord: number): number {
  if (piece < firstWord) return CHARACTER_WEIGHT;
  const rank = piece - firstWord + 1;
  return rank / (rank + HALF_WEIGHT_AT);
}

async function runPieces(kernel: Uint8Array, weights: Uint8Array): Promise<Float32Array> {
  const share = Math.ceil((VOCABULARY - FIRST_CHARACTER) / THREADS / PIECES_AT_ONCE) * PIECES_AT_ONCE;
  const starts = Array.from({ length: THREADS }, (_, i) => FIRST_CHARACTER + i * share);
  const parts = starts.map((from) => runInThread({ kernel, weights, from, to: Math.min(VOCABULARY, from + share) }));
  const vectors = new Float32Array(VOCABULARY * HIDDEN);
  for (const [i, part] of (await Promise.all(parts)).entries()) vectors.set(part, (starts[i] ?? 0) * HIDDEN);
  return vectors;
}

async function runInThread(order: DistilOrder): Promise<Float32Array> {
  const thread = new Worker(join(import.meta.dir, 'distil-thread.ts'));
  try {
    return await new Promise((resolve, reject) => {
      thread.onmessage = ({ data }) => resolve(data);
      thread.onerror = ({ message }) => reject(new Error(`Distilling failed: ${message}`));
      thread.postMessage(order);
    });
  } finally {
    thread.terminate();
  }
}

function meanOf(vectors: Float32Array): Float32Array {
  const sum = new Float64Array(HIDDEN);
  for (let i = 0; i < vectors.length; i++) sum[i % HIDDEN] = (sum[i % HIDDEN] ?? 0) + (vectors[i] ?? 0);
  return Float32Array.from(sum, (value) => (value * HIDDEN) / vectors.length);
}
