// Blanks what is not code (comments, text in quotes, templates and regular expressions), so rules can search plain text.

const BEFORE_REGEX = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|delete|void|throw|do|else|await|yield))$/;

type Cursor = { text: string; at: number; kept: string };

/** Same length and same lines as `text`; quotes stay, what is between them becomes spaces; code inside `${}` stays. */
export function maskSource(text: string): string {
  const cursor: Cursor = { text, at: 0, kept: '' };
  while (cursor.at < text.length) maskCode(cursor);
  return cursor.kept;
}

/** Reads code up to the end, or up to the brace that closes the current `${`. */
function maskCode(cursor: Cursor): void {
  for (let depth = 0; cursor.at < cursor.text.length && depth >= 0; ) {
    const char = cursor.text[cursor.at];
    if (char === '{') depth += 1;
    if (char === '}') depth -= 1;
    const mask = chooseMask(cursor, char);
    mask(cursor);
  }
}

function chooseMask(cursor: Cursor, char: string | undefined): (cursor: Cursor) => void {
  if (cursor.text.startsWith('//', cursor.at)) return maskLineComment;
  if (cursor.text.startsWith('/*', cursor.at)) return maskBlockComment;
  if (char === "'" || char === '"') return maskQuoted;
  if (char === '`') return maskTemplate;
  return char === '/' && startsRegex(cursor) ? maskRegex : keep;
}

function maskLineComment(cursor: Cursor): void {
  const end = cursor.text.indexOf('\n', cursor.at);
  blank(cursor, end === -1 ? cursor.text.length : end);
}

function maskBlockComment(cursor: Cursor): void {
  const end = cursor.text.indexOf('*/', cursor.at + 2);
  blank(cursor, end === -1 ? cursor.text.length : end + 2);
}

function maskQuoted(cursor: Cursor): void {
  const quote = cursor.text[cursor.at];
  keep(cursor);
  let end = cursor.at;
  while (end < cursor.text.length && cursor.text[end] !== quote && cursor.text[end] !== '\n') {
    end += cursor.text[end] === '\\' ? 2 : 1;
  }
  blank(cursor, end);
  keep(cursor);
}

function maskTemplate(cursor: Cursor): void {
  keep(cursor);
  while (cursor.at < cursor.text.length && cursor.text[cursor.at] !== '`') {
    if (cursor.text.startsWith('${', cursor.at)) {
      keep(cursor, 2);
      maskCode(cursor);
    } else {
      blank(cursor, cursor.at + (cursor.text[cursor.at] === '\\' ? 2 : 1));
    }
  }
  keep(cursor);
}

function startsRegex({ kept }: Cursor): boolean {
  return BEFORE_REGEX.test(kept.slice(-200).trimEnd());
}

function maskRegex(cursor: Cursor): void {
  keep(cursor);
  let end = cursor.at;
  for (let inClass = false; end < cursor.text.length && cursor.text[end] !== '\n'; end += 1) {
    const char = cursor.text[end];
    if (char === '/' && !inClass) break;
    if (char === '[') inClass = true;
    if (char === ']') inClass = false;
    if (char === '\\') end += 1;
  }
  blank(cursor, end);
  keep(cursor);
}

function keep(cursor: Cursor, length = 1): void {
  cursor.kept += cursor.text.slice(cursor.at, cursor.at + length);
  cursor.at += length;
}

function blank(cursor: Cursor, end: number): void {
  cursor.kept += cursor.text.slice(cursor.at, end).replace(/[^\n]/g, ' ');
  cursor.at = end;
}
