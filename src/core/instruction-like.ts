// Whether a text reads like instructions to an agent rather than like a report, whatever it is disguised with.
import { lazily } from '../secrets/span.ts';
import { readTable } from '../secrets/table.ts';
import table from './instruction-like.txt' with { type: 'text' };
import { wordTable } from './text.ts';

/** For text from an untrusted source: also what an ordinary page might say to its reader. */
export const readsLikeInstructions = (text: string): boolean => isInjection(text) || saysAny(text, 'page');

/** For files and the output of commands, which are full of instructions to people: only what can be meant for nobody but an agent. */
export function isInjection(text: string): boolean {
  const { composed } = undisguise(cut(text));
  return patternsOf('marker').some((pattern) => pattern.test(composed)) || saysAny(text, 'agent');
}

function saysAny(text: string, counts: Counts): boolean {
  const { plain, spelled } = undisguise(cut(text));
  return patternsOf(counts).some((pattern) => pattern.test(plain) || (spelled !== null && pattern.test(spelled)));
}

/** A memory is a few sentences; of more, its beginning and its end. */
const LOOKED_AT = 40_000;
const cut = (text: string) => (text.length <= LOOKED_AT ? text : `${text.slice(0, LOOKED_AT / 2)}\n${text.slice(-LOOKED_AT / 2)}`);

type Counts = 'agent' | 'marker' | 'page';
const patternsOf = (counts: Counts): RegExp[] => readPatterns().get(counts) ?? [];

// Compiled at first use: a worker that starts has hooks that wait.
const readPatterns = lazily(() => {
  const rows = readTable(table);
  const parts = new Map(rows.filter(([counts]) => counts === 'define').map(([, name = '', text = '']) => [name, text]));
  const fill = (text: string) => text.replace(/\{([A-Z]{2,})\}/g, (_, name: string) => parts.get(name) ?? '');
  const compile = ([, how, text = '']: string[]) => (how === 'phrase' ? toPhrase(fill(text)) : new RegExp(fill(text), 'u'));
  const grouped = Map.groupBy(rows, ([counts]) => counts);
  return new Map([...grouped].filter(([counts]) => counts !== 'define').map(([counts, same]) => [counts, same.map(compile)]));
});

/** A space stands for anything between two words, and `…` for some words of the same line. */
const toPhrase = (text: string) =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${text.replaceAll(' ', '[^\\p{L}\\p{N}\\n]{1,6}').replaceAll('…', '[^\\n]{0,60}?')})`, 'u');

/**
 * A text as a reader takes it: without characters that do not show, letters of other scripts, spaced letters. `composed`: scripts as they
 * are. `plain`: in Latin letters, without marks. `spelled`: digits read as the letters that they look like; null where there are none.
 */
function undisguise(text: string) {
  const composed = text.normalize('NFKC').replace(INVISIBLE, '').toLowerCase();
  const plain = joinSpaced(
    composed
      .normalize('NFKD')
      .replace(/\p{M}+/gu, '')
      .replace(LOOK_ALIKE, (letter) => LATIN.get(letter) ?? letter),
  );
  return { composed, plain, spelled: MIXED.test(plain) ? plain.replace(DIGIT_IN_WORD, (digit) => LETTERS[digit] ?? digit) : null };
}

/** Zero-width and soft characters, directions, variation selectors, tag characters, controls but line ends. */
const INVISIBLE = /(?![\t\n])\p{Cc}|\p{Cf}|\p{Default_Ignorable_Code_Point}/gu;

/** Letters of Cyrillic, Greek, Armenian and phonetic script that look like a Latin one, each before it. */
const LOOKS =
  'аa вb сc ԁd еe ғf ɡg һh нh іi їi јj кk ӏl мm пn ոn оo օo рp ԛq гr ѕs тt цu սu ѵv ԝw хx уy үy зz αa ' +
  'βb εe ηn ιi κk νv οo ρp τt υu χx ıi ſs ʀr ʟl ɴn';
const LATIN = new Map(LOOKS.split(' ').map(([look = '', letter = '']) => [look, letter]));
const LOOK_ALIKE = /[\u0131\u017f\u0250-\u02af\u0370-\u03ff\u0400-\u052f\u0561-\u0587]/gu;

/** `i g n o r e`, `a.l.l`: some letters, each by itself. */
const SPACED = /(?<![\p{L}\p{N}])(?:(?:[a-z][ .\-_*·|/]){3,400}|(?:[a-z][.\-_*·|/]){2})[a-z](?![\p{L}\p{N}])/gu;
const joinSpaced = (text: string) => text.replace(SPACED, (run) => run.replace(/[^a-z]/g, ''));

const MIXED = /[a-z][0134578@$]|[0134578@$][a-z]/;
const DIGIT_IN_WORD = /(?<=[a-z])[0134578@$]|[0134578@$](?=[a-z])/g;
const LETTERS = wordTable<string>({ 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't', 8: 'b', '@': 'a', $: 's' });
