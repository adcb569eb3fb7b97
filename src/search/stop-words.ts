// Words that say nothing about what is looked for, in the languages of the table.
import table from './stop-words.txt' with { type: 'text' };

const LINES = table
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split(' '));
const ofLine = (isWanted: (name: string) => boolean) =>
  LINES.filter(([name = '']) => isWanted(name)).map(([, ...words]) => new Set(words));

const EVERYWHERE = new Set(ofLine((name) => name === 'en' || name === 'ask').flatMap((words) => [...words]));
const LANGUAGES = ofLine((name) => name !== 'en' && name !== 'ask');

export const isStopWord = (word: string) => EVERYWHERE.has(word) || LANGUAGES.some((words) => words.has(word));

/** So many of its idle words show that a question is asked in a language: one alone may be a name (`os`, `sin`, `comment`). */
const SPOKEN = 2;

/** For the words of one question, in small letters: those of English, and of the language that it is asked in. */
export function stopWordsOf(words: string[]): (word: string) => boolean {
  const spoken = languagesOf(words);
  return (word) => EVERYWHERE.has(word) || spoken.some((language) => language.has(word));
}

/** The languages of the table, but for English, that a question may be asked in. */
export function languagesOf(words: string[]): Set<string>[] {
  const own = new Set(words.filter((word) => !EVERYWHERE.has(word)));
  return LANGUAGES.filter((language) => own.intersection(language).size >= SPOKEN);
}
