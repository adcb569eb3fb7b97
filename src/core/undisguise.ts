// A text as a reader takes it, whatever it is disguised with: characters that do not show, letters of other scripts, spaced letters.
import { wordTable } from './word-table.ts';

export type Undisguised = {
  /** Lower case, nothing invisible; scripts as they are. */
  composed: string;
  /** The same in plain Latin letters, without marks; letters that were spaced stand together. */
  plain: string;
  /** The same with digits read as the letters that they look like. Null where there are none. */
  spelled: string | null;
};

export function undisguise(text: string): Undisguised {
  const composed = text.normalize('NFKC').replace(INVISIBLE, '').toLowerCase();
  const plain = joinSpaced(
    composed
      .normalize('NFKD')
      .replace(/\p{M}+/gu, '')
      .replace(LOOK_ALIKE, asLatin),
  );
  return { composed, plain, spelled: MIXED.test(plain) ? plain.replace(DIGIT_IN_WORD, asLetter) : null };
}

/** Zero-width and soft characters, directions, variation selectors, tag characters, controls but line ends. */
const INVISIBLE =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each of them by itself.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}]/gu;

/** Letters of Cyrillic, Greek, Armenian and phonetic script that look like a Latin one, each before it. */
const LOOKS =
  'аa вb сc ԁd еe ғf ɡg һh нh іi їi јj кk ӏl мm пn ոn оo օo рp ԛq гr ѕs тt цu սu ѵv ԝw хx уy үy зz αa βb εe ηn ιi κk νv οo ρp τt υu χx ıi ſs ʀr ʟl ɴn';
const LATIN = new Map(LOOKS.split(' ').map(([look = '', letter = '']) => [look, letter]));
const LOOK_ALIKE = /[\u0131\u017f\u0250-\u02af\u0370-\u03ff\u0400-\u052f\u0561-\u0587]/gu;
const asLatin = (letter: string) => LATIN.get(letter) ?? letter;

/** `i g n o r e`, `a.l.l`: some letters, each by itself. */
const SPACED = /(?<![\p{L}\p{N}])(?:(?:[a-z][ .\-_*·|/]){3,400}|(?:[a-z][.\-_*·|/]){2})[a-z](?![\p{L}\p{N}])/gu;
const joinSpaced = (text: string) => text.replace(SPACED, (run) => run.replace(/[^a-z]/g, ''));

const MIXED = /[a-z][0134578@$]|[0134578@$][a-z]/;
const DIGIT_IN_WORD = /(?<=[a-z])[0134578@$]|[0134578@$](?=[a-z])/g;
const LETTERS = wordTable<string>({ 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't', 8: 'b', '@': 'a', $: 's' });
const asLetter = (digit: string) => LETTERS[digit] ?? digit;
