// The attributes of one of our tags, by name. Quotes may be missing.
import { decodeEntities } from './entities.ts';
import { nameOf } from './grammar.ts';

const ATTRIBUTE = /(?<![\w-])([a-z][\w-]{0,29})\s*=\s*(?:"([^"]*)"|'([^']*)'|(["'][\s\S]*|[^\s"']\S*))/gi;

const NONE: ReadonlyMap<string, string> = new Map();

/** `source` is the whole tag. Of two attributes with one name the first counts. */
export function readAttributes(source: string): ReadonlyMap<string, string> {
  if (!source.includes('=')) return NONE;
  const attributes = new Map<string, string>();
  const inside = source.slice(0, isSelfClosed(source) ? -2 : -1);
  for (const match of inside.matchAll(ATTRIBUTE)) {
    const [, name = '', double, single, bare = ''] = match;
    const value = double ?? single ?? bareValue(inside, match.index + match[0].length - bare.length, bare);
    if (!attributes.has(nameOf(name))) attributes.set(nameOf(name), decodeEntities(value));
  }
  return attributes;
}

export const isSelfClosed = (source: string): boolean => source.endsWith('/>');

/**
 * Without quotes the last value goes on to the end of the tag: `reason=not enough data`. So does one whose quote is never closed:
 * nothing that stands in it is an attribute.
 */
function bareValue(inside: string, start: number, word: string): string {
  if (/^["']/.test(word)) return word.slice(1);
  return inside.indexOf('=', start) < 0 ? inside.slice(start) : word;
}
