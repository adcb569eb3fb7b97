// Whether one text says nothing that another does not say already.

const plain = (text: string) =>
  text
    .toLowerCase()
    .replace(/[`"“”'…]/g, '')
    .replace(/\s+/g, ' ')
    .replace(/[.!?:;,]+(?= |$)/g, '')
    .trim();

/** The same, or the beginning of the other that was cut off. */
export function sameWords(one: string, other: string): boolean {
  const [a, b] = [plain(one), plain(other)];
  return a === b || (a.length > SHORT && b.startsWith(a)) || (b.length > SHORT && a.startsWith(b) && a.length - b.length < SHORT);
}

/** All of it stands in the other. */
export const saidIn = (text: string, other: string) => plain(text) !== '' && plain(other).includes(plain(text));

const SHORT = 12;
