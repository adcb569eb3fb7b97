// Memory handed to a model: quoted data, which nothing inside of it can end.
import { hashParts } from './ids.ts';
import { defuseTags } from './privacy.ts';

/** Delimited by a tag whose nonce depends on everything inside; no tag of ours can stand inside, not even over two lines. */
export function quote(lines: string[]): string {
  const body = defuseTags(lines.join('\n').trim());
  const nonce = hashParts([body]).slice(0, 8);
  return `<claude-mem-context id="${nonce}">\n${body}\n</claude-mem-context>`;
}
