// A file of the work tree as it is now: by which hash git would know it, and which lines it has.
import type { Stats } from 'node:fs';
import { readRegular } from '../regular-file.ts';
import { look } from './git-dir.ts';
import type { HashKind } from './head.ts';
import { markLines } from './line-marks.ts';

export type WorkFile = {
  /** Git's hash of its bytes. Empty: it is not there. Null: it cannot be read, is too large, or is no file. */
  blob: string | null;
  /** The same with the line ends that git would store, where they are others. */
  stored: string | null;
  isFolder: boolean;
};

const MAX_BYTES = 4 * 1024 * 1024;

const MISSING: WorkFile = { blob: '', stored: '', isFolder: false };
const UNKNOWN: WorkFile = { blob: null, stored: null, isFolder: false };

export function readWorkFile(path: string, kind: HashKind, stat: Stats | undefined = look(path)): WorkFile {
  if (!stat) return MISSING;
  if (stat.isDirectory()) return { ...UNKNOWN, isFolder: true };
  const bytes = readWorkBytes(path);
  if (!bytes) return UNKNOWN;
  const blob = hashBlob(bytes, kind);
  const isCarried = bytes.includes('\r\n');
  const stored = isCarried
    ? hashBlob(Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1'), kind)
    : blob;
  return { blob, stored, isFolder: false };
}

export function readWorkBytes(path: string): Buffer | null {
  try {
    return readRegular(path, MAX_BYTES);
  } catch {
    // Not ours to read, no regular file, or gone since we looked: how it is, is not known.
    return null;
  }
}

export function hashBlob(bytes: Uint8Array, kind: HashKind): string {
  const hasher = new Bun.CryptoHasher(kind);
  hasher.update(`blob ${bytes.length}\0`);
  hasher.update(bytes);
  return hasher.digest('hex');
}

export type WorkFiles = {
  look: (path: string, kind: HashKind) => WorkFile;
  /** The marks of its lines; none when it cannot be read. */
  lines: (path: string) => ReadonlySet<string>;
};

type Known = { stamp: string; isSettled: boolean; file: WorkFile; lines: ReadonlySet<string> | null };

/** Two changes so close to each other can have the same time on them. */
const SETTLED_MS = 50;

/** Looks at a file again only when its time, its size or its place on the disk is another. */
export function createWorkFiles({
  most = 1000,
  clock = Date.now,
}: {
  most?: number;
  clock?: () => number;
} = {}): WorkFiles {
  const known = new Map<string, Known>();

  function keep(path: string, entry: Known): Known {
    known.delete(path);
    known.set(path, entry);
    const oldest = known.size > most ? known.keys().next().value : undefined;
    if (oldest !== undefined) known.delete(oldest);
    return entry;
  }

  function find(path: string, kind: HashKind): Known {
    const stat = look(path);
    const stamp = stat ? `${kind} ${stat.mtimeMs} ${stat.ctimeMs} ${stat.size} ${stat.ino}` : '';
    const before = known.get(path);
    if (before?.isSettled && before.stamp === stamp) return keep(path, before);
    const isSettled = !stat || clock() - stat.ctimeMs > SETTLED_MS;
    return keep(path, { stamp, isSettled, file: readWorkFile(path, kind, stat), lines: null });
  }

  return {
    look: (path, kind) => find(path, kind).file,
    lines: (path) => {
      const entry = known.get(path);
      if (entry?.lines) return entry.lines;
      const lines = markLines(readWorkBytes(path)?.toString('utf8') ?? '');
      if (entry) entry.lines = lines;
      return lines;
    },
  };
}
