// Tells whether a text says again what another already says, so that a reader meets each sentence once.
import { splitSentences } from '../../../core/sentences.ts';
import { headline } from './lead-in.ts';

const LABEL =
  /^(?:(?:root )?cause|why|fix(?:ed)?|the fix|decision|ruled out|before|on the way|the user said|recommendation|rejected)\s*:\s*/i;
const SHORTEST = 18;

/** Without label, speaker, marks and closing punctuation, in lower case: "I fixed X." and "Fix X" say the same. */
function coreOf(text: string): string {
  return headline(text.replace(/\s+/g, ' ').trim().replace(LABEL, ''))
    .replace(/[.!:;\s]+$/, '')
    .toLowerCase();
}

/** True when `known` holds the whole of `text`. */
export function isWithin(text: string, known: string): boolean {
  const [core, other] = [coreOf(text), coreOf(known)];
  return core === other || (core.length >= SHORTEST && other.includes(core));
}

/** Sentences and list items as running text: each ends like a sentence. */
export function proseOf(lines: { text: string }[]): string {
  return lines.map(({ text }) => (/[.!?:;。]["”)`]?$/.test(text) ? text : `${text}.`)).join(' ');
}

/** "Done." and "Fixed!" say nothing by themselves. */
export const isNod = (sentence: string): boolean =>
  /^\W*(?:(?:all |it['’]s |that['’]s )?(?:done|fixed|set|good|ready|finished|complete[d]?)|ok(?:ay)?|great|perfect|excellent|yes|yep|sure|got it|understood|success|it (?:works|is (?:right|correct|fixed|fine))(?: now)?)\W*$/i.test(
    sentence,
  );

/** The first sentences of a text that none of the known texts says. */
export function newSentences(text: string, known: string[], kept: number): string {
  const told = [...known];
  const chosen: string[] = [];
  for (const sentence of splitSentences(text.slice(0, 6000))) {
    if (chosen.length === kept) break;
    if (isNod(sentence) || told.some((other) => isWithin(sentence, other))) continue;
    chosen.push(sentence);
    told.push(sentence);
  }
  return chosen.join(' ');
}
