// Makes minilm.bin of the model's 16 bit weights: int8 with a scale for each channel, in the order in which the kernel reads them.
import { HIDDEN, LAYERS, layOutMinilm, MAX_TOKENS, type Matrix, VOCABULARY } from '../../src/search/embed/minilm.ts';
import type { ReadTensor, Tensor } from './read-safetensors.ts';

/** Channels that the kernel multiplies at once. */
const PANEL = 8;

export function packMinilm(read: ReadTensor): Uint8Array {
  const layout = layOutMinilm();
  const file = new Uint8Array(layout.byteLength);
  const writeFloats = (at: number, values: Float32Array) => new Float32Array(file.buffer, at, values.length).set(values);

  const writeWords = ({ values }: Tensor) => {
    const table = new Int8Array(file.buffer, layout.words, VOCABULARY * HIDDEN);
    const scales = new Float32Array(file.buffer, layout.wordScales, VOCABULARY);
    for (let word = 0; word < VOCABULARY; word++) {
      const at = word * HIDDEN;
      scales[word] = quantiseRow(values.subarray(at, at + HIDDEN), (i, value) => {
        table[at + i] = value;
      });
    }
  };

  const writeMatrix = ({ at, inner, channels }: Matrix, names: string[]) => {
    const weights = new Int8Array(file.buffer, at, inner * channels);
    const values = concat(names.map((name) => read(`${name}.weight`)));
    const scales = new Float32Array(channels);
    for (let channel = 0; channel < channels; channel++) {
      const panel = Math.floor(channel / PANEL) * PANEL * inner + 2 * (channel % PANEL);
      const row = values.subarray(channel * inner, (channel + 1) * inner);
      scales[channel] = quantiseRow(row, (i, value) => {
        weights[panel + (i >> 1) * 2 * PANEL + (i & 1)] = value;
      });
    }
    writeFloats(at + inner * channels, scales);
    writeFloats(at + (inner + 4) * channels, concat(names.map((name) => read(`${name}.bias`))));
  };

  const writeNorm = (at: number, name: string) => writeFloats(at, concat([read(`${name}.weight`), read(`${name}.bias`)]));

  writeWords(read('embeddings.word_embeddings.weight'));
  writeFloats(layout.positions, addRow(read('embeddings.position_embeddings.weight'), firstSentence(read)));
  writeNorm(layout.embeddingNorm, 'embeddings.LayerNorm');
  for (const [index, layer] of layout.layers.entries()) {
    const name = `encoder.layer.${index}`;
    const parts = ['query', 'key', 'value'].map((part) => `${name}.attention.self.${part}`);
    writeMatrix(layer.attention, parts);
    writeMatrix(layer.attentionOutput, [`${name}.attention.output.dense`]);
    writeNorm(layer.attentionNorm, `${name}.attention.output.LayerNorm`);
    writeMatrix(layer.feedForward, [`${name}.intermediate.dense`]);
    writeMatrix(layer.feedForwardOutput, [`${name}.output.dense`]);
    writeNorm(layer.outputNorm, `${name}.output.LayerNorm`);
  }
  if (layout.layers.length !== LAYERS) throw new Error('the layout and the model differ');
  return file;
}

/** Hands out the integers and returns their scale. */
function quantiseRow(row: Float32Array, write: (index: number, value: number) => void): number {
  let largest = 0;
  for (const value of row) largest = Math.max(largest, Math.abs(value));
  const scale = largest / 127;
  for (let i = 0; i < row.length; i++) write(i, largest === 0 ? 0 : Math.round((row[i] ?? 0) / scale));
  return scale;
}

function firstSentence(read: ReadTensor): Float32Array {
  return read('embeddings.token_type_embeddings.weight').values.subarray(0, HIDDEN);
}

function addRow({ values }: Tensor, row: Float32Array): Float32Array {
  return values.slice(0, MAX_TOKENS * HIDDEN).map((value, i) => value + (row[i % HIDDEN] ?? 0));
}

function concat(tensors: Tensor[]): Float32Array {
  const all = new Float32Array(tensors.reduce((sum, { values }) => sum + values.length, 0));
  let at = 0;
  for (const { values } of tensors) {
    all.set(values, at);
    at += values.length;
  }
  return all;
}
