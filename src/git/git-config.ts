// A file of git's settings, read as git reads it. Files that it includes are not: nothing we ask of it needs them.

/** The values of each setting in the order they stand in: `remote.origin.url`; section and name in small letters. */
export type GitConfig = ReadonlyMap<string, readonly string[]>;

/** Null for what git would refuse. */
export function parseGitConfig(text: string): GitConfig | null {
  const config = new Map<string, string[]>();
  const cursor = { text: text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n'), at: 0 };
  let section = '';
  for (;;) {
    while (take(cursor, /\s+/y) !== null || take(cursor, /[#;][^\n]*/y) !== null);
    if (cursor.at >= cursor.text.length) return config;
    const header = readHeader(cursor);
    if (header === undefined) return null;
    if (header !== null) {
      section = `${header}.`;
      continue;
    }
    const name = take(cursor, /[A-Za-z][A-Za-z0-9-]*/y)?.toLowerCase();
    const value = name === undefined ? null : readValue(cursor);
    if (value === null) return null;
    const values = config.get(`${section}${name}`);
    if (values) values.push(value);
    else config.set(`${section}${name}`, [value]);
  }
}

type Cursor = { text: string; at: number };

/** Null when it does not go on like that. */
function take(cursor: Cursor, pattern: RegExp): string | null {
  pattern.lastIndex = cursor.at;
  const found = pattern.exec(cursor.text)?.[0];
  if (found === undefined) return null;
  cursor.at += found.length;
  return found;
}

/** `[section]`, `[section "Sub"]`, and as it was once written: `[section.sub]`. Null when there is none, undefined when it is wrong. */
function readHeader(cursor: Cursor): string | null | undefined {
  if (cursor.text[cursor.at] !== '[') return null;
  const header = take(cursor, /\[[A-Za-z0-9.-]+(?:[ \t]+"(?:[^"\\\n]|\\[^\n])*")?\]/y);
  if (header === null) return undefined;
  const [, name = '', sub] = /^\[([A-Za-z0-9.-]+)(?:[ \t]+"(.*)")?\]$/s.exec(header) ?? [];
  return sub === undefined ? name.toLowerCase() : `${name.toLowerCase()}.${sub.replace(/\\(.)/gs, '$1')}`;
}

const ESCAPES: Record<string, string> = { n: '\n', t: '\t', b: '\b', '"': '"', '\\': '\\', '\n': '' };

/** What follows a name: nothing, which means true, or `=` and a value to the end of its line. Null when it is wrong. */
function readValue(cursor: Cursor): string | null {
  take(cursor, /[ \t]*/y);
  if (cursor.at >= cursor.text.length || take(cursor, /\n/y) !== null) return 'true';
  if (take(cursor, /=[ \t]*/y) === null) return null;
  let [value, kept, isQuoted] = ['', 0, false];
  for (; cursor.at < cursor.text.length; cursor.at++) {
    const letter = cursor.text[cursor.at] ?? '';
    if (letter === '\n') break;
    if (letter === '"') isQuoted = !isQuoted;
    else if (letter === '\\') {
      const escaped = ESCAPES[cursor.text[++cursor.at] ?? ''];
      if (escaped === undefined) return null;
      value += escaped;
    } else if (!isQuoted && (letter === '#' || letter === ';')) {
      take(cursor, /[^\n]*/y);
      break;
    } else value += letter;
    // Blanks at the end do not belong to it, but where they are quoted.
    if (isQuoted || letter === '"' || !/\s/.test(cursor.text[cursor.at] ?? '')) kept = value.length;
  }
  return isQuoted ? null : value.slice(0, kept);
}
