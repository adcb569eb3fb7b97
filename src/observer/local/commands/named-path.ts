// Whether one of the paths that a command names, read from the project's root, is a file or holds it.

export function isNamed(file: string, paths: string[]): boolean {
  return paths.some((path) => {
    if (path === '' || path === '.') return true;
    if (path.includes('*')) return globOf(path).test(file);
    return file === path || file.startsWith(`${path}/`);
  });
}

/** As git reads a pathspec: its star goes through folders, and it need not reach the end of the path. */
const globOf = (path: string) =>
  new RegExp(
    `^${path
      .slice(0, 200)
      .replace(/[.+^${}()|[\]\\?]/g, '\\$&')
      .replace(/\*+/g, '[^\\n]*')}(?:/|$)`,
  );
