// Since when a repository is there: made or cloned by what it says itself, in its place by what the disk says.
import { readPiece } from '../regular-file.ts';
import { canonical, findGitDir, look } from './git-dir.ts';

/** Epoch ms, in whole seconds: its clone or its first commit. It stays when the repository moves. Null: not known any more. */
export function readBegunAt(root: string): number | null {
  const gitDir = findGitDir(canonical(root));
  const first = gitDir ? readStart(`${gitDir.commonDir}/logs/HEAD`) : '';
  // Git drops what is old: only a line that comes from nothing is the first one.
  const seconds = /^0{40,64} [0-9a-f]{40,64} [^\n]*> (\d+) /.exec(first)?.[1];
  return seconds ? Number(seconds) * 1000 : null;
}

/** Epoch ms: at the latest then git began to keep something in this folder, or where it was moved from. 0: not known. */
export function readPlacedAt(root: string): number {
  const gitDir = findGitDir(canonical(root));
  return (gitDir && look(gitDir.commonDir)?.birthtimeMs) || 0;
}

const START_BYTES = 4096;

function readStart(path: string): string {
  try {
    return readPiece(path, START_BYTES).toString('utf8');
  } catch {
    // Git keeps no such log there, or we may not read it.
    return '';
  }
}
