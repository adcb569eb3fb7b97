// How much of a payload is kept. Loaded by the hook: no imports.

/** Longest string kept whole; a longer one keeps its head, tail, length and hash. */
export const MAX_STRING = 60 * 1024;
/** What is nested deeper is left out. */
export const MAX_DEPTH = 64;
/** How the room left for a long string is shared: the beginning tells what it is, the end how it went. */
export const HEAD_SHARE = 0.6;
/** A cut looks this far for a place that splits nothing. */
export const CUT_REACH = 2048;
