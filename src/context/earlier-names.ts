// What a file was called before, for whoever is about to edit it: asked of git once, and only where there is something to ask.
import type { Database } from 'bun:sqlite';
import { readHead } from '../git/head.ts';
import { findEarlierNames } from '../git/renames.ts';
import { mayHaveMoved } from '../store/projects/moved-files.ts';

export type FilePlace = { projectId: number; root: string; path: string };

/** The latest first; [] when there are none, or git takes too long. */
export type EarlierNames = (place: FilePlace) => Promise<string[]>;

/** An edit waits for it. */
const DEADLINE_MS = 200;
const MOST_KEPT = 500;

export function createEarlierNames(db: Database): EarlierNames {
  const kept = new Map<string, string[]>();
  return async ({ projectId, root, path }) => {
    const key = [root, readHead(root).commit, path].join('\0');
    const known = kept.get(key);
    if (known) return known;
    const isWorthAsking = root !== '' && mayHaveMoved(db, projectId, path);
    const names = isWorthAsking ? await findEarlierNames({ root, path, deadlineMs: DEADLINE_MS }) : [];
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(key, names);
    return names;
  };
}
