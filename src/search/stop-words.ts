// Words that say nothing about what is looked for, in the languages of the table.
import { lazily } from '../secrets/span.ts';
import table from './stop-words.txt' with { type: 'text' };

const OWN = ['en', 'ask', 'zh'];

/** Read when first asked for: a worker that starts has hooks that wait. */
const stopWords = lazily(() => {
  const lines = table
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(' '));
  const ofLine = (isWanted: (name: string) => boolean) => lines.filter(([name = '']) => isWanted(name)).map(([, ...words]) => words);
  const everywhere = new Set(ofLine((name) => name === 'en' || name === 'ask').flat());
  const languages = ofLine((name) => !OWN.includes(name)).map((words) => new Set(words));
  return {
    everywhere,
    languages,
    anywhere: languages.reduce((all, words) => all.union(words), everywhere),
    /** Chinese puts no spaces between words: these are taken out of a text, the longest first. */
    idleChinese: new RegExp(
      ofLine((name) => name === 'zh')
        .flat()
        .join('|'),
      'gu',
    ),
  };
});

export const withoutIdleChinese = (text: string) => text.replace(stopWords().idleChinese, ' ');

export const isStopWord = (word: string) => stopWords().anywhere.has(word);

/** So many of its idle words show that a question is asked in a language: one alone may be a name (`os`, `sin`, `comment`). */
const SPOKEN = 2;

/** For the words of one question, in small letters: those of English, and of the language that it is asked in. */
export function stopWordsOf(words: string[]): (word: string) => boolean {
  const spoken = languagesOf(words);
  const { everywhere } = stopWords();
  return (word) => everywhere.has(word) || spoken.some((language) => language.has(word));
}

/** In another language of the table, or in other letters than ours: the models that we bring read English. */
export function isInOtherLanguage(text: string): boolean {
  const latinWords = text.match(/\p{Script=Latin}+/gu) ?? [];
  const otherLetters = text.match(/(?!\p{Script=Latin})\p{L}/gu) ?? [];
  return otherLetters.length > latinWords.length || languagesOf(text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? []).length > 0;
}

/** The languages of the table, but for English, that a question may be asked in. */
function languagesOf(words: string[]): Set<string>[] {
  const { everywhere, languages } = stopWords();
  const own = new Set(words.filter((word) => !everywhere.has(word)));
  return languages.filter((language) => own.intersection(language).size >= SPOKEN);
}
