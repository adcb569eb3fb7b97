// Memory handed to a model: quoted data, which nothing inside of it can end.
import { hashParts } from './ids.ts';

/** Delimited by a tag whose nonce depends on everything inside, so that nothing inside can close it. */
export function quote(lines: string[]): string {
  const body = lines.join('\n').trim();
  const nonce = hashParts([body]).slice(0, 8);
  return `<claude-mem-context id="${nonce}">\n${body}\n</claude-mem-context>`;
}
