// Where a session stands: its work tree, its branch, the files that are being worked on, and what its agent is told anyway.
import { readBranch } from '../git/identity.ts';
import { readTouched } from '../git/status.ts';
import { readAlreadySaid } from './already-said.ts';

export type Surroundings = {
  /** The work tree. */
  root: string;
  branch: string | null;
  /** Paths that git shows as changed, and those of the last commits; relative to the root. */
  dirty: ReadonlySet<string>;
  recent: ReadonlySet<string>;
  /** What CLAUDE.md, AGENTS.md or the agent's own memory says already. */
  isSaid: (text: string) => boolean;
  /** A path, absolute or relative to the root, of which nothing is told. */
  isExcluded: (path: string) => boolean;
};

export async function readSurroundings(
  root: string,
  { home, isExcluded }: { home: string | null; isExcluded: (path: string) => boolean },
): Promise<Surroundings> {
  const { dirty, recent } = await readTouched(root);
  return {
    root,
    branch: readBranch(root),
    dirty: new Set(dirty),
    recent: new Set(recent),
    isSaid: readAlreadySaid(root, home),
    isExcluded,
  };
}

/** Of a project whose folder is not known. */
export const NOWHERE: Surroundings = {
  root: '',
  branch: null,
  dirty: new Set(),
  recent: new Set(),
  isSaid: () => false,
  isExcluded: () => false,
};
