// One thread of the distillation: runs its share of the word pieces through the model, each as a text of its own.
import { createMinilmModel, HIDDEN } from '../../src/search/embed/minilm.ts';
import { TEXT_END, TEXT_START } from '../../src/search/embed/tokenizer.ts';
import { type DistilOrder, PIECES_AT_ONCE } from './distil-static.ts';

declare const self: Worker;

self.onmessage = ({ data }: MessageEvent<DistilOrder>) => {
  const { kernel, weights, from, to } = data;
  const model = createMinilmModel(new Uint8Array(kernel));
  model.weights.set(weights);
  const vectors = new Float32Array((to - from) * HIDDEN);
  for (let piece = from; piece < to; piece += PIECES_AT_ONCE) {
    const count = Math.min(PIECES_AT_ONCE, to - piece);
    const texts = Array.from({ length: count }, (_, i) => [TEXT_START, piece + i, TEXT_END]);
    for (const [i, vector] of model.run(texts).entries()) {
      vectors.set(vector, (piece + i - from) * HIDDEN);
    }
  }
  self.postMessage(vectors);
};
