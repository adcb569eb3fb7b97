// A sentence of the worker's: what stands between backticks is shown as code.
import type { ComponentChildren } from 'preact';

export const withCode = (text: string): ComponentChildren[] =>
  text.split('`').map((piece, at) => (at % 2 === 1 ? <code key={at}>{piece}</code> : piece));
