// Which project a record of another machine belongs to here: only by proof. A remote alone is a text that any folder can hold.
import type { Database } from 'bun:sqlite';
import { hashParts } from '../core/ids.ts';
import type { WireProject } from '../core/shapes/sync.ts';
import { mergeProjects } from '../projects/merge.ts';
import { ensureGlobalProject, ensureProject, findProject, GLOBAL_KEY, getProject, type Project } from '../projects/projects.ts';
import { readState } from './state.ts';

type Row = { id: number; key: string; name: string; root: string; firstCommit: string | null };

const COLUMNS = 'id, key, name, root, first_commit AS firstCommit';
const FIRST = 'first:';
/** What was brought of a project that nothing proves to be one of this machine. */
const APART = 'sync:';

/** Never a path. A folder without git is known by this machine alone. */
export function describeProject(db: Database, id: number): WireProject | null {
  const row = db.query<Row, [number]>(`SELECT ${COLUMNS} FROM projects WHERE id = ?`).get(id);
  if (!row) return null;
  const { key, name, firstCommit } = row;
  if (key.startsWith(APART)) return { key: wireKey(key), name, firstCommit };
  if (!key.startsWith('/')) return { key, name, firstCommit };
  const own = firstCommit === null ? `folder:${hashParts([readState(db, 'device'), key])}` : `${FIRST}${firstCommit}`;
  return { key: own, name, firstCommit };
}

/** Of one that stands apart; behind its key the commit that tells two of the same key from each other. */
const wireKey = (key: string) => key.slice(APART.length).replace(/#[^#]*$/, '');

/** What is known by this name here, if it began as it should. */
export function isOfProject(db: Database, projectId: number, wire: WireProject): boolean {
  const { key, firstCommit } = describeProject(db, projectId) ?? { key: '', firstCommit: null };
  return (key === wire.key && firstCommit === wire.firstCommit) || findProven(db, wire, true)?.id === projectId;
}

/** Inside a transaction. Found where it is proven, else one that stands apart until it is, or until a person merges it. */
export function placeProject(db: Database, wire: WireProject, now: number): Project {
  if (wire.key === GLOBAL_KEY) return ensureGlobalProject(db, now);
  const project = findProven(db, wire) ?? addProject(db, wire, now);
  // By it a clone that comes later proves itself.
  db.query("UPDATE projects SET first_commit = ? WHERE id = ? AND first_commit IS NULL AND root = ''").run(wire.firstCommit, project.id);
  return project;
}

/** Of a space of a team: by the same first commit alone, else apart, so that no name is taken from a repository that comes later. */
export function placeTeamProject(db: Database, wire: WireProject, now: number): Project | null {
  if (wire.key === GLOBAL_KEY || wire.firstCommit === null) return null;
  const proven = findProven(db, wire, true);
  if (proven) return proven;
  const isHeld = findProject(db, `${APART}${wire.key}`) !== null;
  const own = isHeld ? findProven(db, { ...wire, key: `${APART}${wire.key}` }, true) : null;
  if (own) return own;
  // Another repository has its name: both are shown, and neither as the other.
  const key = `${APART}${wire.key}${isHeld ? `#${wire.firstCommit}` : ''}`;
  const added = ensureProject(db, { key, name: wire.name.replace(/\p{C}/gu, ' '), root: '', remote: null }, now);
  db.query('UPDATE projects SET first_commit = ? WHERE id = ?').run(wire.firstCommit, added.id);
  return added;
}

/** `isStrict`: also where nobody has worked in it here. */
function findProven(db: Database, { key, name, firstCommit }: WireProject, isStrict = false): Project | null {
  const held = findProject(db, key);
  const known = held && db.query<Row, [number]>(`SELECT ${COLUMNS} FROM projects WHERE id = ?`).get(held.id);
  // Nobody has worked in it here: it is what was brought before.
  if (known && ((known.root === '' && !isStrict) || (firstCommit !== null && known.firstCommit === firstCommit))) return known;
  if (firstCommit === null || !key.startsWith(FIRST)) return null;
  const same = db
    .query<Row, [string, string]>(
      `SELECT ${COLUMNS} FROM projects WHERE first_commit = ? AND name = ? COLLATE NOCASE AND key NOT LIKE 'sync:%'`,
    )
    .all(firstCommit, name);
  return same.length === 1 ? (same[0] ?? null) : null;
}

function addProject(db: Database, { key, name }: WireProject, now: number): Project {
  // A repository that is here under its remote and has not proven itself must not get what belongs to another.
  const isFree = /^[^:/]+\//.test(key) && findProject(db, key) === null;
  return ensureProject(db, { key: isFree ? key : `${APART}${key}`, name, root: '', remote: null }, now);
}

/** Those apart that have been proven meanwhile, by a clone or by how their history began. How many. */
export function joinProven(db: Database, now: number): number {
  const apart = db.query<Row, []>(`SELECT ${COLUMNS} FROM projects WHERE key LIKE 'sync:%'`).all();
  let joined = 0;
  for (const row of apart) {
    const { name, firstCommit } = row;
    const into = findProven(db, { key: wireKey(row.key), name, firstCommit }, true);
    const [from, to] = [getProject(db, row.id), into && getProject(db, into.id)];
    if (!from || !to || to.id === from.id) continue;
    mergeProjects(db, { from, into: to }, now);
    joined++;
  }
  return joined;
}
