// Whether a text uses the words of a use, in any of the languages of the table.
import { readPhrases } from '../core/phrases.ts';
import { JOINED } from './sentences.ts';
import table from './words.txt' with { type: 'text' };

type Words<Text extends string> = Text extends `${infer One} ${infer Rest}` ? One | Words<Rest> : Text;

export type Use =
  | Words<'refuse unfixed confirm rule change manner part whole bind scope house taste form ban ask lead point named task'>
  | Words<'report once choose open undone contrast decided next none offer look fail later deny label you must will because dead'>
  | Words<'guess back self numbered'>;

const patternOf = readPhrases<Use>(table);
/** The same, for all places in a text. */
const everyPatternOf = readPhrases<Use>(table, 'giu');

/** Anywhere in the text. */
export const uses = (text: string, use: Use): boolean => patternOf(use).test(text);

/** What else it says. */
export const without = (text: string, use: Use): string => text.replace(everyPatternOf(use), ' ');

/** What it says before the first word of the use. */
export const until = (text: string, use: Use): string => text.slice(0, patternOf(use).exec(text)?.index);

/** What it says behind the words of the use that it begins with, if any. */
export function behind(text: string, use: Use): string {
  const whole = text.trimStart();
  const match = patternOf(use).exec(whole);
  return match !== null && match.index === 0 ? whole.slice(match[0].length).trimStart() : whole;
}

/** How many different words of the use. */
export const countUses = (text: string, use: Use): number =>
  new Set([...text.matchAll(everyPatternOf(use))].map(([word]) => word.toLowerCase())).size;

/** In its first words. */
export function begins(text: string, use: Use): boolean {
  const match = patternOf(use).exec(text.trimStart());
  return match !== null && match.index <= 1;
}

/** In its last words. */
export const ends = (text: string, use: Use): boolean =>
  [...text.matchAll(everyPatternOf(use))].some(({ 0: word, index }) => /^[\s#]*$/.test(text.slice(index + word.length)));

/** What stands right behind each word that says no; in Japanese, where nothing does, and in a few words, what stands right before it. */
export function denied(text: string): string[] {
  return [...text.matchAll(everyPatternOf('deny'))].flatMap((match) => {
    const end = match.index + match[0].length;
    const behind = text.slice(end, end + REACH).split(CLAUSE_END)[0] ?? '';
    const before = text.slice(Math.max(0, match.index - JOINED_REACH), match.index);
    if (KANA.test(match[0]) || behind.trim() === '') return [before];
    if (JOINED.test(match[0])) return [behind.slice(0, JOINED_REACH)];
    const clause = text.slice(0, end).split(CLAUSE_END).at(-1) ?? '';
    return clause.length + behind.length <= REACH ? [clause, behind] : [behind];
  });
}

export const CLAUSE_END = /[,;:.!?。，；]/;
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
/** Characters: two or three words, or as many signs. */
const REACH = 28;
const JOINED_REACH = 12;

/** Without the words it begins with that only lead on to the rest: "And also …", "No, …". */
export function withoutLead(text: string): string {
  let rest = text.trimStart();
  for (;;) {
    const [lead = ''] = leadsPattern().exec(rest) ?? [];
    if (lead === '' || lead.length === rest.length) return rest;
    rest = rest.slice(lead.length);
  }
}

/** It says no to what was done or proposed: "no, …", "undo that"; not "no barrel files", which lays something down. */
export const isRefusal = (prompt: string): boolean =>
  begins(prompt, 'refuse') && (!begins(prompt, 'deny') || withoutLead(prompt) !== prompt.trimStart());

const MARK = '[,:!.–—，、：。]';
const sourceOf = (use: Use) => `(?:${patternOf(use).source})`;
let leads: RegExp | null = null;

/** A yes or a no only where a mark follows it: "no barrel files" says something. */
function leadsPattern(): RegExp {
  leads ??= new RegExp(
    `^(?:${sourceOf('lead')}(?:\\s|-|${MARK})+|(?:${sourceOf('refuse')}|${sourceOf('confirm')})\\s*${MARK}[\\s-]*)`,
    'iu',
  );
  return leads;
}
