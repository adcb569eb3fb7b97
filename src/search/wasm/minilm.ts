// The arithmetic of MiniLM as a WebAssembly kernel (AssemblyScript): every function works on plain addresses and keeps no state.
export { attend } from './minilm/attend.ts';
export { gelu } from './minilm/gelu.ts';
export { multiply } from './minilm/multiply.ts';
export { lookUp, normalise } from './minilm/normalise.ts';
export { quantise } from './minilm/quantise.ts';
