// The words of a text that can tell where it comes from, in their order.
import { contentWords } from '../content-words.ts';

/** `parts`: the pieces of a name like parseToken or visibility_timeout; none for a plain word. */
export type Word = { whole: string; parts: string[] };

export type ReadWords = (text: string) => Word[];

/** Each spelling is looked at once, however often it comes. */
export function createWordReader(): ReadWords {
  const known = new Map<string, Word[]>();
  return (text) =>
    (text.match(/[\p{L}\p{N}_$]+/gu) ?? []).flatMap((spelling) => {
      const words = known.get(spelling) ?? readSpelling(spelling);
      known.set(spelling, words);
      return words;
    });
}

function readSpelling(spelling: string): Word[] {
  const pieces = spelling.slice(0, 200).split(/[_$]+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u);
  const parts = pieces.length > 1 ? pieces.flatMap((piece) => [...contentWords(piece)]) : [];
  return [...contentWords(spelling)].map((whole) => ({ whole, parts }));
}

/** Whether a word stands in some of the texts: as it is, or as a name whose pieces all do. */
export function createStock(texts: string[], readWords: ReadWords): (word: Word) => boolean {
  const stock = new Set(texts.flatMap((text) => readWords(text).flatMap(({ whole, parts }) => [whole, ...parts])));
  return ({ whole, parts }) => stock.has(whole) || (parts.length > 0 && parts.every((part) => stock.has(part)));
}
