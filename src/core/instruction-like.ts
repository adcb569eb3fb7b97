// Whether a text reads like instructions to an agent rather than like a report.
import { BLATANT, MARKERS, OTHER_LANGUAGES, OTHER_SCRIPTS, STEERING } from './instruction-patterns.ts';
import { undisguise } from './undisguise.ts';

/** A memory is a few sentences; of more, its beginning and its end. */
const LOOKED_AT = 40_000;

/** For words from outside: also what an ordinary page might say to its reader. */
export function readsLikeInstructions(text: string): boolean {
  return isInjection(text) || saysAny(text, STEERING);
}

/** For files and the output of commands, which are full of instructions to people: only what can be meant for nobody but an agent. */
export function isInjection(text: string): boolean {
  const { composed } = undisguise(cut(text));
  return (
    MARKERS.some((pattern) => pattern.test(composed)) ||
    OTHER_SCRIPTS.some((pattern) => pattern.test(composed)) ||
    saysAny(text, [...BLATANT, ...OTHER_LANGUAGES])
  );
}

function saysAny(text: string, patterns: RegExp[]): boolean {
  const { plain, spelled } = undisguise(cut(text));
  return patterns.some((pattern) => pattern.test(plain) || (spelled !== null && pattern.test(spelled)));
}

const cut = (text: string) =>
  text.length <= LOOKED_AT ? text : `${text.slice(0, LOOKED_AT / 2)}\n${text.slice(-LOOKED_AT / 2)}`;
