// A title that stands alone: it names its subject and what came of it, or there is none.
import { contentWords, countWords, isSpecific, plainText } from './sentences.ts';
import { begins, behind } from './words.ts';

const LONGEST = 120;

/** `subject`: a file or a name, put before what does not say what it is about. Null when even that does not help. */
export function makeTitle(text: string, subject: string | null, by: 'user' | 'agent' = 'agent'): string | null {
  const said = plainText(text).replace(/[\s.。;；:：,，]+$/u, '');
  const bare = by === 'agent' ? withoutSelf(said) : said;
  if (countWords(bare) === 0) return null;
  const isAlone = standsAlone(bare);
  const named = subject && !(isAlone && tells(bare)) ? `${subject}: ${bare}` : isAlone ? bare : null;
  return named === null ? null : capitalise(cut(named));
}

/** Enough words to say what is meant, not a mere answer to what was said before, no beginning of a list and no row of a table. */
export function standsAlone(text: string): boolean {
  if (pointsBack(text) || begins(text, 'look') || /[:：]\s*$|^[|.…]|\|\s*$/.test(text)) return false;
  const words = countWords(text);
  return words >= 5 || (words >= 3 && isSpecific(text));
}

/** It has more than one word of its own: "Make it 72 h now" has none. */
const tells = (text: string): boolean => new Set(contentWords(text)).size >= LEAST_WORDS;
const LEAST_WORDS = 2;

/** It begins with a word for what was named before. */
const pointsBack = (text: string): boolean => begins(text, 'back');

/** "I replaced the queue" → "replaced the queue": a title says what was done, not by whom. What somebody thinks keeps its "I". */
function withoutSelf(text: string): string {
  const rest = behind(text, 'self').replace(/^[,:–—]\s*/u, '');
  return rest === text || DONE.test(rest) ? rest : text;
}

/** English alone, as the words that it follows. */
const DONE = /^(?:\w+ed|made|found|built|wrote|rewrote|ran|put|set|took|kept|chose|split)\b/i;

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
