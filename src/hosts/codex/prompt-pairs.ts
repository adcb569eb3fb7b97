// A Codex transcript tells a prompt twice, for the model and for the screen: which of them is the second time.
export type Telling = 'item' | 'event';

export type PromptPairs = {
  /** True for what was told already, the other way. */
  isSecond: (telling: Telling, words: string) => boolean;
  /** The agent went on: what is told now is new. */
  clear: () => void;
};

export function createPromptPairs(): PromptPairs {
  let waiting: { telling: Telling; words: string }[] = [];
  return {
    isSecond(telling, words) {
      const first = waiting.find((one) => one.telling !== telling && isSame(one.words, words));
      waiting = first ? waiting.filter((one) => one !== first) : [...waiting, { telling, words }];
      return first !== undefined;
    },
    clear() {
      waiting = [];
    },
  };
}

/** One of them may name the pictures that came with it. */
const isSame = (one: string, other: string) => one.includes(other) || other.includes(one);
