// Cuts texts to a length a person reads: titles at a clause, raw texts at head and tail. Never an ellipsis.

export const TITLE_LENGTH = 100;

/** A title: one plain line, first letter upper case, no closing punctuation, at most 100 characters. */
export function titleOf(text: string, max = TITLE_LENGTH): string {
  const line = clip(withoutJson(text.replace(/\s+/g, ' ').trim()), max);
  return upperFirst(line.replace(/[\s.,;:!–—。！-]+$/, ''));
}

/** Data is no title: "it answers {\"ok\":true}" ends before the clause that quotes it. */
function withoutJson(text: string): string {
  const at = text.search(/[{[]\s*["{[]/);
  if (at < 0) return text;
  const clause = lastIndexOfAny(text.slice(0, at), ['. ', '; ', ' — ', ' – ', ': ', ', ']);
  if (clause > 12) return text.slice(0, clause);
  return at > 12 ? dropDanglingWords(text.slice(0, at).trim()) : text.replace(/[{}[\]"]/g, '');
}

/** Cuts at the last clause that fits, else at the last word. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  const head = text.slice(0, max + 1);
  const strong = lastIndexOfAny(head, ['. ', '; ', ' — ', ' – ', ': ']);
  const weak = lastIndexOfAny(head, [
    ', ',
    ' because ',
    ' so that ',
    ' (',
    ' when ',
    ' which ',
    ' - ',
    ' and ',
    ' but ',
  ]);
  if (weak >= max * 0.65) return closeBrackets(dropDanglingWords(head.slice(0, weak).trim()));
  if (strong >= max * 0.4) return closeBrackets(dropDanglingWords(head.slice(0, strong).trim()));
  return closeBrackets(dropDanglingWords(head.slice(0, Math.max(head.lastIndexOf(' '), max * 0.6)).trim()));
}

/** Keeps head and tail of a long text: errors stand at either end. */
export function capText(text: unknown, max = 24_000): string {
  if (typeof text !== 'string') return '';
  if (text.length <= max) return text;
  const half = Math.floor(max / 2);
  return `${text.slice(0, half)}\n${text.slice(-half)}`;
}

export function upperFirst(text: string): string {
  // A leading identifier (parseRange, npm) keeps its spelling: changing it would break a search for it.
  const first = text.split(' ', 1)[0] ?? '';
  if (/[A-Z_./\d(]/.test(first.slice(1))) return text;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function lastIndexOfAny(text: string, marks: string[]): number {
  return Math.max(...marks.map((mark) => text.lastIndexOf(mark)));
}

const DANGLING = new Set(
  'a an the of to and or but because with for in on by as at that which when if so from into than via is are was were be it its this not unless until while where after before'.split(
    ' ',
  ),
);

function dropDanglingWords(text: string): string {
  const words = text.split(' ');
  while (words.length > 3 && DANGLING.has((words.at(-1) ?? '').toLowerCase().replace(/[^a-z]/g, ''))) words.pop();
  return words.join(' ');
}

/** What the cut has opened and not closed goes too. */
function closeBrackets(text: string): string {
  const paren = text.lastIndexOf('(') > text.lastIndexOf(')') ? text.lastIndexOf('(') : text.length;
  const quote = text.split('"').length % 2 === 0 ? text.lastIndexOf('"') : text.length;
  const end = Math.min(paren, quote);
  const balanced = end > text.length * 0.4 ? dropDanglingWords(text.slice(0, end).trim()) : text;
  return balanced.split('`').length % 2 === 0 ? balanced.replaceAll('`', '') : balanced;
}
