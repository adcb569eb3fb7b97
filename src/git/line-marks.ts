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

/** Of these many lines each is known by fewer digits: together they still tell whether all of them are there. */
const FEW_DIGITS = 5;
const MOST_PACKED = 2000;
const PACKED = 'all:';

/** One entry for all of them. Of too many it says nothing, and is found nowhere. */
export const packMarks = (marks: string[]): string =>
  `${PACKED}${marks.length > MOST_PACKED ? '-' : marks.map((mark) => mark.slice(0, FEW_DIGITS)).join('')}`;

/** `marks` may have a packed entry among them. */
export function hasAllMarks(lines: ReadonlySet<string>, marks: string[]): boolean {
  return marks.every((mark) =>
    mark.startsWith(PACKED) ? hasPacked(lines, mark.slice(PACKED.length)) : lines.has(mark),
  );
}

function hasPacked(lines: ReadonlySet<string>, packed: string): boolean {
  const short = new Set(Array.from(lines, (mark) => mark.slice(0, FEW_DIGITS)));
  for (let at = 0; at < packed.length; at += FEW_DIGITS)
    if (!short.has(packed.slice(at, at + FEW_DIGITS))) return false;
  return true;
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

/** A lone brace, an `else`, a rule of dashes: in any file, before and after any change. A number is what a change is often about. */
function isTrivial(words: string): boolean {
  if (words.length > 40) return false;
  const said = words.replace(/[^\p{L}\p{N}]+/gu, '');
  if (/\p{N}/u.test(said)) return false;
  return said.length < 3 || FILLERS.has(said.toLowerCase());
}
