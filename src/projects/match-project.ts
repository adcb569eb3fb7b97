// Which project of ours another claude-mem means: it kept no more of a project than the name of its folder.
import type { Database } from 'bun:sqlite';
import type { ProjectIdentity } from '../core/project.ts';
import { oneLine } from '../core/text.ts';
import { identifyProject } from '../git/identity.ts';
import { ensureProject, findProject, findProjectsNamed, type Project } from './projects.ts';

type MatchedProject = {
  /** Null as long as nothing of it came in: then there is no need of a project either. */
  id: number | null;
  identity: ProjectIdentity;
};

const OWN_KEYS = 'claude-mem.db/';

/** Nobody knows where it lies: there is none of that name, or more than one. */
export const isUnmatched = (key: string) => key.startsWith(OWN_KEYS);

/** Ours of that name, if there is exactly one. Else one that stands for the name until somebody says which it is. */
export function matchProject(db: Database, named: string): MatchedProject {
  const name = oneLine(named, 100) || 'unknown';
  // In a key, what follows a # is a folder of the project.
  const key = `${OWN_KEYS}${name.replaceAll('#', '%23')}`;
  const found = findByName(db, name, key);
  if (found) return describeMatch(found);
  return { id: null, identity: { key, name, root: '', remote: null } };
}

/** Inside a transaction. */
export function ensureMatched(db: Database, matched: MatchedProject, now: number): number {
  matched.id ??= ensureProject(db, matched.identity, now).id;
  return matched.id;
}

/** What a person has merged goes before a name. Another work tree was called `repository/tree`: it is the same project. */
function findByName(db: Database, name: string, key: string): Project | null {
  const standing = findProject(db, key);
  if (standing && !standing.key.startsWith(OWN_KEYS)) return standing;
  for (const one of new Set([name, name.split('/', 1)[0] ?? name])) {
    const known = findProjectsNamed(db, one).filter((project) => project.root !== '');
    if (known.length === 1 && known[0]) return known[0];
  }
  return standing;
}

/** As settings and silences know it. */
function describeMatch({ id, key, name, root }: Project): MatchedProject {
  const { mainRoot } = root === '' ? {} : identifyProject(root);
  const identity = { key, name, root, remote: null, ...(mainRoot === undefined ? {} : { mainRoot }) };
  return { id, identity };
}
