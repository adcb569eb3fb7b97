// One number for a vector's model, document and part: the key of its row, in this order.

/** Parts of one document. */
export const MAX_PARTS = 8;
/** 2^41 documents: keys stay exact in a JavaScript number for 511 models. */
const MODEL_KEYS = 2 ** 44;

export const vectorKey = (model: number, document: number, part: number): number =>
  model * MODEL_KEYS + document * MAX_PARTS + part;

export const documentOf = (key: number): number => Math.floor((key % MODEL_KEYS) / MAX_PARTS);

export const partOf = (key: number): number => key % MAX_PARTS;

/** The keys of a model: from the first to before the second. */
export const modelKeys = (model: number): [number, number] => [model * MODEL_KEYS, (model + 1) * MODEL_KEYS];
