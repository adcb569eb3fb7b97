// Which paths a list of patterns names, as in a .gitignore.
import { foldersUpTo, normal } from './project.ts';

/** Whether one of the patterns names the path, or a folder that it lies in. `root` is where relative patterns begin. */
type PathMatcher = (path: string, root: string) => boolean;

/**
 * `*.pem` and `secrets/`: a name, however deep. `secrets/**`, `config/*.env`, `./x`: from the root on. `/srv/x` and `~/x`: from the
 * top. `*` and `?` stay within a name, `**` does not, `[a-z]` is one of several. Large and small letters are the same.
 */
export function createPathMatcher(patterns: readonly string[], home: string): PathMatcher {
  const compiled = patterns.map((pattern) => compile(pattern, home));
  return (path, root) => {
    const [absolute, base] = [splitPath(path), splitPath(root)];
    const relative = base.every((name, at) => absolute[at] === name) ? absolute.slice(base.length) : null;
    return compiled.some(({ anchor, globs }) => {
      const names = anchor === 'top' ? absolute : anchor === 'root' ? relative : (relative ?? absolute);
      return names !== null && globs.some((glob) => glob.match(names.join('/')));
    });
  };
}

function compile(pattern: string, home: string): { anchor: 'top' | 'root' | 'anywhere'; globs: Bun.Glob[] } {
  const said = fold(pattern.trim());
  const text = said === '~' || said.startsWith('~/') ? fold(home) + said.slice(1) : said;
  const names = text.split('/').filter((name) => name !== '' && name !== '.');
  const isBareName = names.length === 1 && !text.startsWith('./');
  const anchor = /^(\/|[a-z]:)/.test(text) ? 'top' : isBareName || names[0] === '**' ? 'anywhere' : 'root';
  const own = (names.at(-1) === '**' ? names.slice(0, -1) : names).map(escapeName);
  const glob = [...(anchor === 'anywhere' ? ['**'] : []), ...own].join('/') || '**';
  // Whatever lies in a folder that is named is named, too.
  return { anchor, globs: [new Bun.Glob(glob), new Bun.Glob(`${glob}/**`)] };
}

/** What a glob would read more into than is meant: braces, `!`, a bracket that nothing closes. */
const escapeName = (name: string) => name.replace(/\\.|[{}]|^!|\[(?!.+?\])/g, (sign) => (sign.length > 1 ? sign : `\\${sign}`));

/** The names alone. */
const splitPath = (path: string) =>
  normal(fold(path))
    .split('/')
    .filter((name) => name !== '');

/** One spelling: some systems write an accent as a letter of its own, some do not tell large from small. */
const fold = (text: string) => text.normalize('NFC').toLowerCase();

/** The folder of a work tree that one of the patterns names and that this one is, or lies in; of several the innermost. */
export function findPart(folder: string, root: string, patterns: readonly string[]): string | null {
  const folders = foldersUpTo(folder, root);
  const parts = patterns.flatMap((pattern) => {
    const isNamed = createPathMatcher([`./${pattern.replace(/^(\.?\/)+/, '')}`], '');
    return folders.find((one) => isNamed(`${root}/${one}`, root)) ?? [];
  });
  return parts.sort((one, other) => other.length - one.length)[0] ?? null;
}
