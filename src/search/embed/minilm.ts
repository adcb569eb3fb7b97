// The embedding engine that understands paraphrases and code: all-MiniLM-L6-v2 with int8 weights, in this process.
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { type Embedder, EmbedderError } from './embedder.ts';
import { HIDDEN, MAX_TOKENS } from './minilm-layout.ts';
import { createMinilmModel } from './minilm-model.ts';
import { toInt8 } from './to-int8.ts';
import { createTokenizer, TEXT_END, TEXT_START } from './tokenizer.ts';

export const MINILM_ID = 'minilm-int8-wasm-1';

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
