// Which paths a list of patterns names, as in a .gitignore. No pattern takes longer than its length times that of the path.

/** Whether one of the patterns names the path, or a folder that it lies in. `root` is where relative patterns begin. */
export type PathMatcher = (path: string, root: string) => boolean;

/**
 * `*.pem` and `secrets/`: a name, however deep. `secrets/**`, `config/*.env`, `./x`: from the root on. `/srv/x` and `~/x`: from the
 * top. `*` and `?` stay within a name, `**` does not, `[a-z]` is one of several. Large and small letters are the same.
 */
export function createPathMatcher(patterns: readonly string[], home: string): PathMatcher {
  const compiled = patterns.map((pattern) => compile(pattern, home));
  return (path, root) => {
    const absolute = splitPath(path);
    const relative = relativeTo(absolute, splitPath(root));
    return compiled.some(({ anchor, names }) => {
      if (anchor === 'top') return matchNames(names, absolute);
      if (anchor === 'root') return relative !== null && matchNames(names, relative);
      return matchNames(names, relative ?? absolute);
    });
  };
}

type Compiled = { anchor: 'top' | 'root' | 'anywhere'; names: NamePattern[] };
type NamePattern = typeof ANY_FOLDERS | Piece[];
type Piece = { kind: 'star' } | { kind: 'one'; fits: (character: string) => boolean };

const ANY_FOLDERS = 'any folders';

function compile(pattern: string, home: string): Compiled {
  const said = fold(pattern.trim());
  const text = said === '~' || said.startsWith('~/') ? fold(home) + said.slice(1) : said;
  const names = text.split('/').filter((name) => name !== '' && name !== '.');
  const isFromTop = /^(\/|[a-z]:)/.test(text);
  const isBareName = names.length === 1 && !text.startsWith('./');
  const anchor = isFromTop ? 'top' : isBareName || names[0] === '**' ? 'anywhere' : 'root';
  const own = names.map((name) => (name === '**' ? ANY_FOLDERS : compileName(name)));
  // Whatever lies in a folder that is named is named, too.
  return { anchor, names: [...(anchor === 'anywhere' ? [ANY_FOLDERS] : []), ...own, ANY_FOLDERS] as NamePattern[] };
}

function compileName(name: string): Piece[] {
  const characters = [...name];
  const pieces: Piece[] = [];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? '';
    const end = character === '[' ? characters.indexOf(']', at + 2) : -1;
    if (character === '*') pieces.push({ kind: 'star' });
    else if (character === '?') pieces.push({ kind: 'one', fits: () => true });
    else if (end > 0) {
      pieces.push({ kind: 'one', fits: compileChoice(characters.slice(at + 1, end)) });
      at = end;
    } else pieces.push(literal(character === '\\' ? (characters[++at] ?? '\\') : character));
  }
  return pieces;
}

const literal = (wanted: string): Piece => ({ kind: 'one', fits: (character) => character === wanted });

/** `a-z_`, or `!a-z_` for all others. */
function compileChoice(inside: string[]): (character: string) => boolean {
  const isNegated = inside[0] === '!' || inside[0] === '^';
  const ranges: [string, string][] = [];
  for (let at = isNegated ? 1 : 0; at < inside.length; at++) {
    const from = inside[at] ?? '';
    const isRange = inside[at + 1] === '-' && at + 2 < inside.length;
    ranges.push([from, isRange ? (inside[at + 2] ?? from) : from]);
    if (isRange) at += 2;
  }
  return (character) => ranges.some(([from, to]) => from <= character && character <= to) !== isNegated;
}

const matchNames = (pattern: NamePattern[], names: string[]): boolean =>
  matchRun(pattern, names, { isWild: (part) => part === ANY_FOLDERS, fits: fitsName });

const fitsName = (pattern: NamePattern, name: string): boolean =>
  pattern !== ANY_FOLDERS &&
  matchRun(pattern, [...name], {
    isWild: (piece) => piece.kind === 'star',
    fits: (piece, character) => piece.kind === 'one' && piece.fits(character),
  });

type Rules<Part, Item> = { isWild: (part: Part) => boolean; fits: (part: Part, item: Item) => boolean };

/** A wild part stands for any run of items. Only the last one is ever tried again, so the work is bounded by the product of both. */
function matchRun<Part, Item>(parts: Part[], items: Item[], { isWild, fits }: Rules<Part, Item>): boolean {
  let part = 0;
  let item = 0;
  let retry: { part: number; item: number } | null = null;
  while (item < items.length) {
    const current = parts[part];
    if (current !== undefined && isWild(current)) {
      retry = { part: ++part, item };
    } else if (current !== undefined && fits(current, items[item] as Item)) {
      part++;
      item++;
    } else if (retry) {
      part = retry.part;
      item = ++retry.item;
    } else return false;
  }
  return parts.slice(part).every(isWild);
}

/** Without `.`, `..` and doubled slashes; the names alone. */
function splitPath(path: string): string[] {
  const names: string[] = [];
  const text = /^[A-Za-z]:\\/.test(path) ? path.replaceAll('\\', '/') : path;
  for (const name of fold(text).split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return names;
}

function relativeTo(path: string[], root: string[]): string[] | null {
  return root.every((name, at) => path[at] === name) ? path.slice(root.length) : null;
}

/** One spelling: some systems write an accent as a letter of its own, some do not tell large from small. */
const fold = (text: string) => text.normalize('NFC').toLowerCase();
