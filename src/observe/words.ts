// Whether a text uses the words of a use, in any of the languages of the table.
import table from './words.txt' with { type: 'text' };

export type Use =
  | 'refuse'
  | 'confirm'
  | 'rule'
  | 'change'
  | 'bind'
  | 'scope'
  | 'house'
  | 'taste'
  | 'form'
  | 'ban'
  | 'ask'
  | 'lead'
  | 'point'
  | 'named'
  | 'task'
  | 'report'
  | 'once'
  | 'choose'
  | 'open'
  | 'offer'
  | 'look'
  | 'fail'
  | 'later'
  | 'deny'
  | 'label'
  | 'you'
  | 'will'
  | 'because'
  | 'dead';

const JOINED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** One pattern for each use: whole words, or anywhere where a script puts no blanks. */
const PATTERNS = new Map<string, RegExp>(
  [...Map.groupBy(readRows(), ({ use }) => use)].map(([use, rows]) => {
    const phrases = rows.flatMap(({ words }) => words).sort((one, other) => other.length - one.length);
    const spaced = phrases.filter((phrase) => !JOINED.test(phrase)).map(quotePattern);
    const joined = phrases.filter((phrase) => JOINED.test(phrase)).map(quotePattern);
    const whole = spaced.length > 0 ? [`(?<![\\p{L}\\p{N}_])(?:${spaced.join('|')})(?![\\p{L}\\p{N}_])`] : [];
    return [use, new RegExp([...whole, ...joined].join('|'), 'iu')];
  }),
);

function readRows(): { use: string; words: string[] }[] {
  return table
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [head = '', ...rest] = line.split(' ');
      return {
        use: head.split('.')[1] ?? '',
        words: rest
          .join(' ')
          .split(',')
          .map((word) => word.trim()),
      };
    });
}

function quotePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/'/g, "['’]?");
}

/** Anywhere in the text. */
export const uses = (text: string, use: Use): boolean => PATTERNS.get(use)?.test(text) ?? false;

/** How many different words of the use. */
export const countUses = (text: string, use: Use): number =>
  new Set([...text.matchAll(new RegExp(PATTERNS.get(use)?.source ?? '$^', 'giu'))].map(([word]) => word.toLowerCase()))
    .size;

/** In its first words. */
export function begins(text: string, use: Use): boolean {
  const match = PATTERNS.get(use)?.exec(text.trimStart());
  return match !== undefined && match !== null && match.index <= 1;
}

/** What stands right behind each word that says no; in Japanese, and where nothing does, what stands right before it. */
export function denied(text: string): string[] {
  const pattern = PATTERNS.get('deny');
  if (!pattern) return [];
  return [...text.matchAll(new RegExp(pattern.source, 'giu'))].map((match) => {
    const end = match.index + match[0].length;
    const behind = text.slice(end, end + REACH).split(/[,;:.!?。，；]/)[0] ?? '';
    if (KANA.test(match[0]) || behind.trim() === '')
      return text.slice(Math.max(0, match.index - JOINED_REACH), match.index);
    return JOINED.test(match[0]) ? behind.slice(0, JOINED_REACH) : behind;
  });
}

const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
/** Characters: two or three words, or as many signs. */
const REACH = 28;
const JOINED_REACH = 12;

/** Without the words it begins with that only lead on to the rest: "And also …", "No, …". */
export function withoutLead(text: string): string {
  let rest = text.trimStart();
  for (;;) {
    const [lead = ''] = LEADS.exec(rest) ?? [];
    if (lead === '' || lead.length === rest.length) return rest;
    rest = rest.slice(lead.length);
  }
}

const MARK = '[,:!.–—，、：。]';
const sourceOf = (use: Use) => `(?:${PATTERNS.get(use)?.source})`;

/** A yes or a no only where a mark follows it: "no barrel files" says something. */
const LEADS = new RegExp(
  `^(?:${sourceOf('lead')}(?:\\s|-|${MARK})+|(?:${sourceOf('refuse')}|${sourceOf('confirm')})\\s*${MARK}[\\s-]*)`,
  'iu',
);
