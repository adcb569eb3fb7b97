// The embedding engine that costs nothing: a table with one vector for each word piece, distilled from MiniLM, and their sum.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Embedder, EmbedderError, toInt8 } from './embedder.ts';
import { HIDDEN, MAX_TOKENS, VOCABULARY } from './minilm.ts';
import { createTokenizer } from './tokenizer.ts';

export const STATIC_ID = 'static-minilm-int8-1';
/** static.bin is i8[30522][384], then f32[30522]: each row, and what it is multiplied by. How rare a piece is is in there. */
export const STATIC_BYTES = VOCABULARY * (HIDDEN + 4);

const IDLE_MS = 20_000;

/** Loaded with its first text, and let go when it has had none for a while. */
export function createLazyStatic(folder: string, idleMs = IDLE_MS): Embedder {
  let loaded: Embedder | null = null;
  let timer: Timer | undefined;
  let isClosed = false;
  const letGo = () => {
    clearTimeout(timer);
    loaded = null;
  };
  return {
    id: STATIC_ID,
    dimension: HIDDEN,
    async embed(texts, kind) {
      if (isClosed) throw new EmbedderError('closed', 'The embedder is closed.');
      clearTimeout(timer);
      timer = setTimeout(letGo, idleMs);
      loaded ??= loadStatic(folder);
      return loaded.embed(texts, kind);
    },
    async close() {
      isClosed = true;
      letGo();
    },
  };
}

/** Reads static.bin and vocabulary.txt from `folder` (dist/embed). Takes a tenth of a millisecond for a text. */
export function loadStatic(folder: string): Embedder {
  const tokenizer = createTokenizer(readFileSync(join(folder, 'vocabulary.txt'), 'utf8'));
  const { rows, scales } = readTable(join(folder, 'static.bin'));
  const embedText = (text: string): Int8Array => {
    const counts = new Map<number, number>();
    for (const token of tokenizer.tokenize(text, MAX_TOKENS)) counts.set(token, (counts.get(token) ?? 0) + 1);
    const sum = new Float32Array(HIDDEN);
    for (const [token, count] of counts) {
      // A word that is said nine times does not make a text nine times as much about it: +3 points of recall on conversations.
      const weight = Math.sqrt(count) * (scales[token] ?? 0);
      const at = token * HIDDEN;
      for (let i = 0; i < HIDDEN; i++) sum[i] = (sum[i] ?? 0) + weight * (rows[at + i] ?? 0);
    }
    return toInt8(sum);
  };
  return {
    id: STATIC_ID,
    dimension: HIDDEN,
    embed: async (texts) => texts.map(embedText),
    close: async () => undefined,
  };
}

function readTable(path: string): { rows: Int8Array; scales: Float32Array } {
  const { buffer, byteOffset, length } = readFileSync(path);
  if (length !== STATIC_BYTES) throw new EmbedderError('settings', `${path} is damaged. Install claude-mem again.`);
  const rows = new Int8Array(buffer, byteOffset, VOCABULARY * HIDDEN);
  return { rows, scales: new Float32Array(buffer, byteOffset + rows.length, VOCABULARY) };
}
