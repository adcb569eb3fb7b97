// The name of a file inside of a work tree.

/** Relative to the root, with forward slashes; null when it lies outside or is no possible name. */
export function pathInTree(path: string, root: string, cwd: string = root): string | null {
  if (path === '' || path.includes('\0')) return null;
  const base = normal(root);
  const whole = normal(isAbsolute(path) ? path : `${cwd}/${path}`);
  return whole.startsWith(`${base}/`) ? whole.slice(base.length + 1) : null;
}

const isAbsolute = (path: string) => path.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path);

function normal(path: string): string {
  const parts: string[] = [];
  for (const part of path.replaceAll('\\', '/').split('/')) {
    if (part === '..' && parts.length > 1) parts.pop();
    else if (part !== '.' && !(part === '' && parts.length > 0)) parts.push(part);
  }
  return parts.join('/');
}
