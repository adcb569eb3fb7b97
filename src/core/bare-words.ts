// A text without all that can be changed and still say the same word for word: case, marks, spaces, width.

/** Letters and digits alone. */
export const bareWords = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
