// By what a line of code is known again, however it is indented.

/** Ten hex digits; null for a line that says nothing by itself. The hash is one that is the same in every version of it. */
export function markLine(line: string): string | null {
  const words = line.trim().replace(/\s+/g, ' ');
  if (isTrivial(words)) return null;
  return Bun.hash.xxHash64(words).toString(16).padStart(16, '0').slice(0, 10);
}

export function markLines(text: string): Set<string> {
  const marks = new Set<string>();
  for (const line of text.split('\n')) {
    const mark = markLine(line);
    if (mark !== null) marks.add(mark);
  }
  return marks;
}

const FILLERS = new Set([
  'else',
  'end',
  'fi',
  'done',
  'esac',
  'then',
  'do',
  'try',
  'finally',
  'return',
  'break',
  'continue',
  'pass',
]);

/** A lone brace, an `else`, a rule of dashes: in any file, before and after any change. */
function isTrivial(words: string): boolean {
  if (words.length > 40) return false;
  const said = words.replace(/[^\p{L}\p{N}]+/gu, '');
  return said.length < 3 || FILLERS.has(said.toLowerCase());
}
