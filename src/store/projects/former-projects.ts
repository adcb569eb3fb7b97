// The project that a folder belonged to whose repository is not there any more: moved, or deleted.
import type { Database } from 'bun:sqlite';
import { formerKey } from './project-keys.ts';

type Project = { id: number; key: string; name: string; root: string };

/** Of the repositories that once lay in the folder or above it, the innermost. */
export function findFormerProject(db: Database, folder: string): Project | null {
  const above = foldersAbove(folder);
  return db
    .query<Project, [string, string, number]>(
      `SELECT id, key, name, root FROM (
         SELECT id, key, name, root, root AS place FROM projects
           WHERE root IN (SELECT value FROM json_each(?1)) AND (remote IS NOT NULL OR first_commit IS NOT NULL)
             AND substr(key, 1, length(coalesce(remote, root)) + 1) <> coalesce(remote, root) || '#'
         UNION ALL SELECT p.id, p.key, p.name, p.root, substr(a.key, ?3) FROM project_aliases a
           JOIN projects p ON p.id = a.project_id WHERE a.key IN (SELECT value FROM json_each(?2)))
       ORDER BY length(place) DESC LIMIT 1`,
    )
    .get(JSON.stringify(above), JSON.stringify(above.map(formerKey)), formerKey('').length + 1);
}

/** Itself, too. */
function foldersAbove(folder: string): string[] {
  const folders = [folder];
  for (let at = folder.lastIndexOf('/'); at > 0; at = folder.lastIndexOf('/', at - 1))
    folders.push(folder.slice(0, at));
  return folders;
}
