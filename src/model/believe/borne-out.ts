// Whether what a model says is borne out by what was asked and done here, where it may also have heard it from outside.
import type { Batch } from '../../core/batch.ts';
import type { SessionEvent } from '../../core/event.ts';
import { keepSentences, splitSentences } from '../../core/sentences.ts';
import { isOutside } from '../../observer/outside/speaker.ts';
import { createSupport } from '../../observer/outside/support.ts';
import { createTakings, type Heard } from '../../observer/outside/takings.ts';
import { createWordReader, type ReadWords } from '../../observer/outside/words.ts';
import { hear } from './heard.ts';

export type BorneOut = {
  /** Whether all of the texts are. `isOfEdits`: they tell of files that were really edited. */
  isBorneOut: (texts: string[], isOfEdits: boolean) => boolean;
  /** The sentences of a text that are; null when none is. */
  keepBorneOut: (text: string) => string | null;
  /** The sentences of a text that take nothing over from outside; null when none is left. */
  keepOwn: (text: string) => string | null;
};

/** `events`: all that the model may have seen. */
export function createBorneOut(batch: Batch, events: SessionEvent[]): BorneOut {
  if (![...batch.earlier, ...events].some(isOutside)) return EVERYTHING;
  const heard = hear(batch, events);
  const readWords = createWordReader();
  const isOpen = events.some(isOutside);
  const { isBorneOut } = createJudge(heard, readWords, isOpen);
  // The agent's account counts as far as what it did bears it out.
  const told = heard.told
    .flatMap((text) => text.split('\n').flatMap(splitSentences))
    .filter((sentence) => isBorneOut([sentence], false));
  return createJudge({ ...heard, inside: [...heard.inside, ...told] }, readWords, isOpen);
}

const EVERYTHING: BorneOut = { isBorneOut: () => true, keepBorneOut: (text) => text, keepOwn: (text) => text };

/** What came in earlier turns only was not shown to the model: then it is enough to take nothing over from there. */
function createJudge(heard: Heard, readWords: ReadWords, isOpen: boolean): BorneOut {
  const { hasOrder, hasQuote } = createTakings(heard, readWords, isOpen);
  const isSupported = isOpen ? createSupport(heard, readWords) : () => true;
  const isOwn = (text: string) => !hasOrder(text) && !hasQuote(text);
  const isBorneOut = (texts: string[], isOfEdits: boolean) =>
    // Work may follow a manual word for word, but not bring its commands along.
    texts.every((text) => (isOfEdits ? !hasOrder(text) : isOwn(text))) && isSupported(texts, isOfEdits);
  return {
    isBorneOut,
    keepBorneOut: (text) => keepSentences(text, (sentence) => isBorneOut([sentence], false)),
    keepOwn: (text) => keepSentences(text, isOwn),
  };
}
