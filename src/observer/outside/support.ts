// Whether enough of the words of a text stand in what was asked and done here, and few only in what came from outside.
import type { Heard } from './takings.ts';
import { createStock, type ReadWords, type Word } from './words.ts';

/** `isOfEdits`: the texts tell of files that were really edited. */
export type IsSupported = (texts: string[], isOfEdits: boolean) => boolean;

/** Of the words of all texts together, of each text, and of each stretch of it: one foreign sentence shows in good company too. */
const OF_ALL = 1 / 2;
const OF_TEXT = 2 / 5;
const OF_STRETCH = 1 / 4;
const STRETCH = 8;
/** Less than this is a turn of speech. */
const FEW = 3;

export function createSupport({ inside, outsideNow }: Heard, readWords: ReadWords): IsSupported {
  const standsHere = createStock(inside, readWords);
  const standsThere = createStock(outsideNow, readWords);
  const hasShare = (words: Word[], share: number) => words.filter(standsHere).length >= words.length * share;
  const isBorrowed = (words: Word[], isOfEdits: boolean) => {
    const borrowed = words.filter((word) => !standsHere(word) && standsThere(word)).length;
    if (words.length < FEW) return borrowed > 0 && !isOfEdits;
    // Work that follows a ticket or a manual speaks its language.
    return borrowed >= words.length * (isOfEdits ? 1 / 2 : 1 / 3);
  };
  return (texts, isOfEdits) => {
    const stretches = texts.flatMap((text) => clausesOf(text).flatMap((clause) => cutEvenly(readWords(clause))));
    return (
      hasShare(readWords(texts.join('\n')), OF_ALL) &&
      texts.every((text) => hasShare(readWords(text), OF_TEXT)) &&
      stretches.every((words) => (words.length < FEW || hasShare(words, OF_STRETCH)) && !isBorrowed(words, isOfEdits))
    );
  };
}

const clausesOf = (text: string): string[] => text.split(/[.,;:!?()]+\s|[。！？，；：、]|\s[–—-]+\s|\n/);

function cutEvenly(words: Word[]): Word[][] {
  const length = Math.ceil(words.length / Math.ceil(words.length / STRETCH));
  return Array.from({ length: Math.ceil(words.length / STRETCH) }, (_, at) =>
    words.slice(at * length, (at + 1) * length),
  );
}
