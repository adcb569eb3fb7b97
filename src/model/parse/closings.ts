// Which closing tag belongs to which opening one: the nearest before it of the same name that is still open.
import { isSelfClosed } from './attributes.ts';
import type { Token } from './tokens.ts';

/** For every token the place of its closing tag; -1 for one that was never closed, and for what is no opening tag. */
export function findClosings(tokens: Token[]): Int32Array {
  const closings = new Int32Array(tokens.length).fill(-1);
  const open = new Map<string, number[]>();
  tokens.forEach((token, at) => {
    if (token.kind === 'text') return;
    const sameName = open.get(token.name) ?? [];
    open.set(token.name, sameName);
    if (token.kind === 'open' && !isSelfClosed(token.source)) sameName.push(at);
    const opening = token.kind === 'close' ? sameName.pop() : undefined;
    if (opening !== undefined) closings[opening] = at;
  });
  return closings;
}
