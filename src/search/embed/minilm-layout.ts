// Where everything lies in minilm.bin, which is loaded into the kernel's memory as it is.

export const HIDDEN = 384;
export const FEED_FORWARD = 1536;
export const LAYERS = 6;
export const VOCABULARY = 30_522;
/** [CLS] and [SEP] among them. */
export const MAX_TOKENS = 256;

/** `multiply` in the kernel says how a matrix looks. */
export type Matrix = { at: number; inner: number; channels: number };
export type Layer = {
  /** Query, key and value side by side. */
  attention: Matrix;
  attentionOutput: Matrix;
  /** A norm is f32 gain[384], f32 shift[384]. */
  attentionNorm: number;
  feedForward: Matrix;
  feedForwardOutput: Matrix;
  outputNorm: number;
};
export type MinilmLayout = {
  /** i8[30522][384] and f32[30522]. */
  words: number;
  wordScales: number;
  /** f32[256][384], with what says "first sentence" added. */
  positions: number;
  embeddingNorm: number;
  layers: Layer[];
  byteLength: number;
};

export function layOutMinilm(): MinilmLayout {
  let end = 0;
  const take = (bytes: number): number => {
    const at = end;
    end += Math.ceil(bytes / 16) * 16;
    return at;
  };
  const takeMatrix = (inner: number, channels: number): Matrix => ({
    at: take(inner * channels + 2 * 4 * channels),
    inner,
    channels,
  });
  const takeNorm = () => take(2 * 4 * HIDDEN);
  return {
    words: take(VOCABULARY * HIDDEN),
    wordScales: take(4 * VOCABULARY),
    positions: take(4 * MAX_TOKENS * HIDDEN),
    embeddingNorm: takeNorm(),
    layers: Array.from({ length: LAYERS }, () => ({
      attention: takeMatrix(HIDDEN, 3 * HIDDEN),
      attentionOutput: takeMatrix(HIDDEN, HIDDEN),
      attentionNorm: takeNorm(),
      feedForward: takeMatrix(HIDDEN, FEED_FORWARD),
      feedForwardOutput: takeMatrix(FEED_FORWARD, HIDDEN),
      outputNorm: takeNorm(),
    })),
    byteLength: end,
  };
}
