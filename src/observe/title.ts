// A title that stands alone: it names its subject and what came of it, or there is none.
import { countWords, isSpecific, plainText } from './sentences.ts';
import { begins } from './words.ts';

const LONGEST = 120;

/** `subject`: a file or a name, put before what does not say what it is about. Null when even that does not help. */
export function makeTitle(text: string, subject: string | null): string | null {
  const bare = plainText(text).replace(/[\s.。;；:：,，]+$/u, '');
  if (countWords(bare) === 0) return null;
  const named = standsAlone(bare) ? bare : subject ? `${subject}: ${bare}` : null;
  return named === null ? null : capitalise(cut(named));
}

/** Enough words to say what is meant, and not a mere answer to what was said before. */
export function standsAlone(text: string): boolean {
  if (pointsBack(text)) return false;
  const words = countWords(text);
  return words >= 5 || (words >= 3 && isSpecific(text));
}

/** It begins with a word for what was named before. */
export const pointsBack = (text: string): boolean => begins(text, 'back');

function cut(text: string): string {
  if (text.length <= LONGEST) return text;
  const end = text.lastIndexOf(' ', LONGEST - 1);
  return `${text.slice(0, end > LONGEST * 0.6 ? end : LONGEST - 1).toWellFormed()}…`;
}

const capitalise = (text: string) => (/^[a-z]+[ ,]/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text);

/** `src/wave/OfflineQueue.kt` → `OfflineQueue`. */
export const subjectOfFile = (file: string) =>
  file
    .split('/')
    .at(-1)
    ?.replace(/\.[a-z0-9]{1,6}$/i, '') || file;
