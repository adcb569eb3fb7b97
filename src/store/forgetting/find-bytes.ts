// Looking for pieces of text in a file, byte by byte, whatever the case.

/** Those of the pieces that are in it. Read in slices, so that others are answered in between. */
export async function findInFile(path: string, pieces: string[]): Promise<string[]> {
  const wanted = new Map(pieces.map((piece) => [piece, asBytes(piece)]));
  const found: string[] = [];
  const overlap = Math.max(0, ...[...wanted.values()].map((needle) => needle.length - 1));
  let tail = '';
  for await (const chunk of Bun.file(path).stream()) {
    const text = tail + asLetters(chunk);
    for (const [piece, needle] of wanted) {
      if (!text.includes(needle)) continue;
      found.push(piece);
      wanted.delete(piece);
    }
    tail = overlap > 0 ? text.slice(-overlap) : '';
  }
  return found;
}

/** One letter for each byte, in lower case: so any bytes can be compared as text. */
export const asLetters = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1').toLowerCase();
export const asBytes = (piece: string) => asLetters(Buffer.from(piece, 'utf8'));
