// Text of an answer made fit to keep: composed, without controls and invisible characters, at most so long.

/** One line. */
export function cleanLine(text: string, max: number): string | null {
  return orNull(cutAtWord(visible(text, max).replace(/\s+/g, ' ').trim(), max));
}

/** Several lines: paragraphs and their shape stay, the indentation of the answer goes. */
export function cleanText(text: string, max: number): string | null {
  const lines = visible(text, max)
    .split('\n')
    .map((line) => line.trimEnd());
  const indents = lines.slice(1).flatMap((line) => (line ? [line.length - line.trimStart().length] : []));
  const indent = Math.min(...indents.slice(0, 10_000));
  const flush = lines.map((line, at) => (at === 0 ? line : line.slice(Math.min(indent, line.length))));
  return orNull(
    cutAtWord(
      flush
        .join('\n')
        .replace(/\n{3,}/g, '\n\n')
        .trim(),
      max,
    ),
  );
}

// Bidi overrides and zero-width characters are ignorable too: nothing a reader sees is lost.
const UNSEEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufff9-\ufffb]|\p{Default_Ignorable_Code_Point}/gu;

/** No script stacks more marks on a letter, and composing long runs of them takes time squared. */
const PILED_MARKS = /(\p{M}{8})\p{M}+/gu;

function visible(text: string, max: number): string {
  return text
    .trimStart()
    .slice(0, max * 2 + 1000)
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(UNSEEN, '')
    .replace(PILED_MARKS, '$1')
    .normalize('NFC');
}

function cutAtWord(text: string, max: number): string {
  if (text.length <= max) return text;
  const head = text.slice(0, max + 1);
  const space = Math.max(head.lastIndexOf(' '), head.lastIndexOf('\n'));
  const cut = space > max * 0.6 ? head.slice(0, space) : head.slice(0, max).replace(/[\ud800-\udbff]$/, '');
  return cut.trimEnd();
}

const NOTHING = /^[([]?(?:none|n\/?a|null|nil|undefined|nothing|-+|—|–)?[)\]]?\.?$/i;

function orNull(text: string): string | null {
  return NOTHING.test(text) ? null : text;
}
