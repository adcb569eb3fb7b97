// A person takes a folder out of a project: what was done there goes with it, and its history does not bring it back.
import type { Database } from 'bun:sqlite';
import { asPart, type Moved, type ProjectIdentity } from '../../core/project.ts';
import { countMoved } from './merge-projects.ts';
import { dropAlias, type Keyed, listParts } from './project-keys.ts';
import { admit, dropRoots, listOtherRoots, placeOf } from './project-roots.ts';
import { ensureProject, type Project } from './projects.ts';
import { noteRenamed } from './renamed-projects.ts';
import { moveSessionsOf } from './split-project.ts';

export type Separation = {
  from: Keyed;
  /** The repository that lies there: a whole one. */
  here: ProjectIdentity;
  /** Its work trees, as far as sessions worked in them. */
  roots: string[];
};

/** One transaction. The project that begins, by its place. */
export function separateRoot(
  db: Database,
  { from, here, roots }: Separation,
  now: number,
): { project: Project; moved: Moved } {
  return db
    .transaction(() => {
      dropRoots(db, from.id, here);
      dropAlias(db, placeOf(here));
      admit(db, from.id, here, 'separate');
      const project = ensureProject(db, here, now);
      if (project.id === from.id) throw new Error('a place could not be given up');
      for (const { id, into } of [
        { id: from.id, into: () => project.id },
        ...listParts(db, from).map(({ id, folder }) => ({
          id,
          into: () => ensureProject(db, asPart(here, folder), now).id,
        })),
      ]) {
        moveSessionsOf(db, { from: id, roots, since: 0, into });
        // Its log is read anew, as that of the project that it is now.
        const isThere = db.query("DELETE FROM git_logs WHERE project_id = ?1 AND (root = ?2 OR root LIKE ?2 || '/%')");
        for (const root of roots) isThere.run(id, root);
      }
      const [other] = listOtherRoots(db, from.id, here);
      if (other)
        db.query('UPDATE projects SET root = ? WHERE id = ? AND root IN (?, ?)').run(
          other,
          from.id,
          here.root,
          placeOf(here),
        );
      noteRenamed(db, project.id, now);
      return { project, moved: countMoved(db, project.id) };
    })
    .immediate();
}
