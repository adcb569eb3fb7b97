// Whether a repository is somebody else's so far: the user has neither worked nor committed in it, as in a fresh clone.
import type { Database } from 'bun:sqlite';
import { canonical, findGitDir } from '../../git/git-dir.ts';
import { isBroughtAlong } from '../../git/made-here.ts';
import type { IsForeign } from '../../observer/mark-foreign.ts';
import { hasWorkedIn } from '../../store/trust/trusted.ts';
import { findFolder } from './scope.ts';

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
