// Markdown inline marks taken off: what stays is the text a person would read aloud.

const LINK = /!?\[([^[\]\n]{0,300})\]\([^()\s]{0,600}\)/g;
/** "[[done]]", "[[mode:fast]]": marks for a program, not for a reader. */
const MARKER = /\[\[[^\]\n]{0,80}\]\]/g;
const EMOJI = /[\u{1F000}-\u{1FAFF}\u{2600}-\u{27BF}\u{2B00}-\u{2BFF}\u{23E9}-\u{23F3}\u231A\u231B]|\u{FE0F}/gu;

/** Keeps backticks: identifiers stay marked in facts. */
export function plainText(markdown: string): string {
  return (
    markdown
      .replace(LINK, '$1')
      // Between digits it is a power: 1024**3.
      .replace(/(?<!\d)\*\*|\*\*(?!\d)/g, '')
      .replace(MARKER, '')
      .replace(EMOJI, '')
      .replace(/(^|[\s(])\*([^*\s][^*\n]{0,200})\*(?=[\s.,;:!?)]|$)/g, '$1$2')
      .replace(/(^|[\s(])_([^_\s][^_\n]{0,200})_(?=[\s.,;:!?)]|$)/g, '$1$2')
      .replace(/[ \t]+/g, ' ')
      .trim()
  );
}

/** For titles: backticks go too. */
export function bareText(markdown: string): string {
  return plainText(markdown).replaceAll('`', '');
}
