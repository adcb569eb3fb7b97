// A page or the results of a search in the web: what it says, not where it leads.
import { condenseWords } from './words.ts';

/** Mostly the beginning, without lines that are only links. At most maxChars. */
export function condensePage(text: string, maxChars: number): string {
  if (text.length <= maxChars) return condenseWords(text, maxChars);
  const lines = text.split('\n').filter((line) => !LINK.test(line.slice(0, 600)));
  return condenseWords(lines.join('\n'), maxChars, maxChars < 800 ? 1 : 0.85);
}

/** `Title https://…` of a search result, or a list item that is one link. */
const LINK = /(?:^|\s)https?:\/\/\S{1,300}$|^\s{0,8}[-*]\s{1,4}\[[^\]]{1,200}\]\([^)]{1,300}\)$/;
