// File paths as the project knows them: relative to its root when inside it.

export function relativePath(file: string, root: string, cwd: string): string {
  const path = normal(file.startsWith('/') || /^[A-Za-z]:[\\/]/.test(file) ? file : `${cwd}/${file}`);
  const base = normal(root);
  return path.startsWith(`${base}/`) ? path.slice(base.length + 1) : path;
}

export function normal(path: string): string {
  const parts: string[] = [];
  for (const part of path.replaceAll('\\', '/').split('/')) {
    if (part === '..' && parts.length > 1) parts.pop();
    else if (part !== '.' && !(part === '' && parts.length > 0)) parts.push(part);
  }
  return parts.join('/');
}
