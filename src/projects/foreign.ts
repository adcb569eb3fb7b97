// Marks what tools showed of repositories in which the user has neither worked nor committed: their files are somebody else's words.

import type { Database } from 'bun:sqlite';
import { isAbsolute, resolve } from 'node:path';
import type { SessionEvent } from '../core/event.ts';
import { normal } from '../core/project.ts';
import { canonical, findGitDir } from '../git/git-dir.ts';
import { isBroughtAlong } from '../git/own-commits.ts';
import { hasWorkedIn } from '../memory/trusted.ts';
import { findFolder } from './place.ts';

/** For a look as of a moment (epoch ms): of a path. Null where no repository lies; then only what was done in the session can tell. */
export type IsForeign = (before: number) => (path: string) => boolean | null;

type Looked<E> = { root: string; events: SessionEvent[]; earlier: E[] };

/** What is not foreign stays as it is. */
export function markForeign<E extends SessionEvent>(looked: Looked<E>, isForeign: IsForeign): Omit<Looked<E>, 'root'> {
  const { root, events, earlier } = looked;
  // A session that names no folder works in none: ours is not to be judged in its place.
  if (root === '') return { earlier, events };
  const isTheirs = createJudge(root, isForeign(events[0]?.at ?? 0));
  const mark = <One extends SessionEvent>(event: One): One => {
    const places = event.kind === 'tool' ? readPlaces(event) : null;
    return places && isTheirs(places) ? { ...event, isForeign: true } : event;
  };
  // In their order: what is read in a clone comes after the clone.
  return { earlier: earlier.map(mark), events: events.map(mark) };
}

function createJudge(root: string, isForeign: (path: string) => boolean | null): (places: Places) => boolean {
  const known = new Map<string, boolean | null>();
  const cloned: string[] = [];
  const look = (path: string): boolean | null => {
    const there = known.has(path) ? (known.get(path) ?? null) : isForeign(path);
    known.set(path, there);
    return there;
  };
  return ({ shown, made }) => {
    cloned.push(...made);
    return shown.slice(0, MOST_PATHS).some((path) => {
      const clone = cloned.find((folder) => isIn(path, folder));
      if (clone !== undefined) return look(clone) ?? true;
      return (isIn(path, root) ? look(root) : null) ?? look(path) ?? false;
    });
  };
}

const isIn = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

const MOST_PATHS = 40;

type Places = {
  /** Files and folders that a tool may have shown something of. */
  shown: string[];
  /** Folders that were cloned into. */
  made: string[];
};

function readPlaces(event: Extract<SessionEvent, { kind: 'tool' }>): Places {
  const { action } = event;
  if (action.type === 'read') return { shown: [resolve(event.cwd, action.file)], made: [] };
  if (action.type === 'search') return { shown: [resolve(event.cwd, action.path ?? '.')], made: [] };
  return action.type === 'command' ? placesIn(action.command.slice(0, LONGEST), event.cwd) : { shown: [], made: [] };
}

const LONGEST = 12_000;
const MOST_FOLDERS = 8;
const WORD = String.raw`(?:"([^"\n]{1,400})"|'([^'\n]{1,400})'|([^\s;&|()<>"'\x60]{1,400}))`;
/** `cd app`, `git -C app`, `npm --prefix=app` */
const ENTERS = new RegExp(String.raw`(?<![\w./-])(?:cd|pushd|-C|--(?:directory|prefix|dir|cwd))[ \t=]{1,8}${WORD}`, 'g');
/** `git clone [options] ADDRESS [FOLDER]` */
const CLONES = /\b(?:git|gh|glab)\b[^\n;&|]{0,100}? clone ([^\n;&|]{1,400})/g;

/**
 * Every path that a command names, seen from every folder that it may run in. Not all of these are there: what lies in no repository
 * counts for nothing.
 */
function placesIn(command: string, cwd: string): Places {
  const folders = [normal(cwd)];
  for (const [, ...target] of command.matchAll(ENTERS)) {
    if (folders.length < MOST_FOLDERS) folders.push(resolve(folders.at(-1) ?? cwd, target.find(Boolean) ?? ''));
  }
  const paths = new Set(listWords(command).filter((word) => /[/.]/.test(word) && !/^[-~]|:\/\/|[$*]/.test(word)));
  const clones = [...command.matchAll(CLONES)].flatMap(([, named = '']) => nameClone(listWords(named)));
  return {
    shown: [...folders, ...[...paths].flatMap((path) => folders.map((folder) => resolve(folder, path)))],
    made: clones.flatMap((name) => folders.map((folder) => resolve(folder, name))),
  };
}

const listWords = (text: string): string[] => [...text.matchAll(new RegExp(WORD, 'g'))].map(([, ...word]) => word.find(Boolean) ?? '');

/** The folder that is named, or the one that git calls after the address. */
function nameClone(words: string[]): string[] {
  const named = words.filter((word) => !word.startsWith('-'));
  const address = named.findLast((word) => /[:/]/.test(word) && !isAbsolute(word)) ?? '';
  const own = address.replace(/\/+$|\.git\/*$/g, '').split(/[/:]/);
  return [named.at(-1), own.at(-1)].flatMap((name) => name || []);
}

export const createIsForeign =
  (db: Database): IsForeign =>
  (before) => {
    const known = new Map<string, boolean>();
    return (path) => {
      const workTree = findGitDir(canonical(path))?.workTree;
      if (workTree === undefined) return null;
      const isTheirs = known.get(workTree) ?? isOfOthers(db, workTree, before);
      known.set(workTree, isTheirs);
      return isTheirs;
    };
  };

const isOfOthers = (db: Database, workTree: string, before: number): boolean =>
  !findFolder(db, workTree).projectIds.some((id) => hasWorkedIn(db, id, before)) && isBroughtAlong(workTree);
