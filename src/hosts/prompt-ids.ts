// Ids for prompts that their host gave none: the words in their session, so that a copy of a line comes to the same.
import { hashParts } from '../core/ids.ts';

export type PromptIds = {
  /** To be asked in the order of the file, from its beginning: what is said again is the second of its kind. */
  next: (session: string, text: string) => string;
};

export function createPromptIds(): PromptIds {
  const said = new Map<string, number>();
  return {
    next(session, text) {
      // As prompts that are known by their time: their hook, if there was one, had no id for them either.
      const id = `at:${session}:${hashParts([text])}`;
      const times = (said.get(id) ?? 0) + 1;
      said.set(id, times);
      return times === 1 ? id : `${id}#${times}`;
    },
  };
}
