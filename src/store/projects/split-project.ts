// A place that another repository has come to: from then on it is another project, and the one before is known to have been there.
import type { Database } from 'bun:sqlite';
import { asPart, type ProjectIdentity, partKey } from '../../core/project.ts';
import { moveSession } from '../sessions/move-session.ts';
import { getSession } from '../sessions/sessions.ts';
import { addAlias, formerKey, freeStandIns, type Keyed, listParts, rekeyProject } from './project-keys.ts';
import { dropRoots } from './project-roots.ts';
import { ensureProject, findProject, type Project } from './projects.ts';
import { setFirstCommit } from './settled-projects.ts';

export type Split = {
  /** The project that has been taken for the one that is there now. */
  old: Keyed;
  /** What is there now: a whole repository. */
  here: ProjectIdentity;
  firstCommit: string;
  /** Epoch ms: sessions that began here later are of what is there now. */
  since: number;
};

/** One transaction. The project that begins. */
export function splitProject(db: Database, split: Split, now: number): Project {
  const { old, here, firstCommit } = split;
  return db
    .transaction(() => {
      const parts = listParts(db, old);
      const left = giveUpPlace(db, split, now);
      dropRoots(db, old.id, here);
      for (const { id } of [old, ...parts]) moveLogs(db, id, { from: here.root, to: left });
      const project = ensureProject(db, here, now);
      if (project.id === old.id) throw new Error('a place could not be given up');
      setFirstCommit(db, project.id, firstCommit);
      const roots = [here.root, here.mainRoot ?? here.root];
      const { since } = split;
      moveSessionsOf(db, { from: old.id, roots, since, into: () => project.id });
      for (const { id, folder } of parts) {
        const into = () => ensureProject(db, asPart(here, folder), now).id;
        moveSessionsOf(db, { from: id, roots, since, into });
      }
      return project;
    })
    .immediate();
}

/** The key by which the place is still known to have been its own. */
function giveUpPlace(db: Database, { old, here }: Split, now: number): string {
  const place = here.mainRoot ?? here.root;
  const left = freeKey(db, place, old);
  if (old.key === here.key) {
    rekeyProject(db, old, { key: left, root: left, remote: null }, now);
    const parts = listParts(db, { key: left });
    keepSilences(db, { from: left, at: here.key });
    for (const { key, folder } of parts) keepSilences(db, { from: key, at: partKey(here.key, folder) });
    for (const key of [here.key, place]) dropNames(db, key);
    for (const { id } of [old, ...parts]) freeStandIns(db, id);
    return left;
  }
  // It goes by its remote, and this was only one of its places.
  dropNames(db, place);
  addAlias(db, left, old.id, now);
  db.query('UPDATE projects SET root = ? WHERE id = ? AND root = ?').run(left, old.id, here.root);
  return left;
}

/** What it stood on last is how it is known again; the log that is there now is to be read from its beginning. */
function moveLogs(db: Database, projectId: number, { from, to }: { from: string; to: string }): void {
  db.query(
    `UPDATE OR REPLACE git_logs SET root = ?3 || substr(root, length(?2) + 1)
     WHERE project_id = ?1 AND (root = ?2 OR substr(root, 1, length(?2) + 1) = ?2 || '/')`,
  ).run(projectId, from, to);
}

/** Several may have been there one after the other. */
function freeKey(db: Database, place: string, { id }: Keyed): string {
  const key = formerKey(place);
  const known = findProject(db, key);
  return known && known.id !== id ? `${key}@${id}` : key;
}

/** What was said of the place may be meant for whatever is in it: silent rather than not. */
function keepSilences(db: Database, { from, at }: { from: string; at: string }): void {
  db.query(
    `INSERT INTO silences (scope, key, since_epoch, until_epoch)
     SELECT scope, ?2, since_epoch, until_epoch FROM silences WHERE scope = 'project' AND key = ?1`,
  ).run(from, at);
}

function dropNames(db: Database, key: string): void {
  db.query("DELETE FROM project_aliases WHERE key = ?1 OR substr(key, 1, length(?1) + 1) = ?1 || '#'").run(key);
}

type Moving = { from: number; roots: string[]; since: number; into: () => number };

/** Inside a transaction. Those that worked in one of these work trees. */
export function moveSessionsOf(db: Database, { from, roots, since, into }: Moving): void {
  const rows = db
    .query<{ id: number; cwd: string; root: string }, [number, number, string]>(
      `SELECT id, cwd, root FROM sessions WHERE project_id = ? AND started_at_epoch >= ?
         AND root IN (SELECT value FROM json_each(?)) AND host NOT IN ('claude-mem','git')`,
    )
    .all(from, since, JSON.stringify(roots));
  for (const { id, cwd, root } of rows) {
    const session = getSession(db, id);
    if (session) moveSession(db, session, { projectId: into(), cwd, root });
  }
}
