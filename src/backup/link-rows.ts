// After a repair: rows whose other half is lost are joined to what is there, and what belongs to nothing any more goes.
import type { Database } from 'bun:sqlite';
import type { TableReport } from './repair.ts';

/** A lost session or project leaves its memories: they get one that says so. `children`: tables with memories of a session. */
const listStandIns = (children: string[]) => [
  `INSERT INTO projects (id, key, name, root, created_at)
     SELECT DISTINCT project_id, 'lost:' || project_id, 'recovered-' || project_id, '', datetime('now')
     FROM (SELECT project_id FROM sessions UNION SELECT project_id FROM observations UNION SELECT project_id FROM summaries)
     WHERE project_id NOT IN (SELECT id FROM projects)`,
  `INSERT INTO projects (key, name, root, created_at) SELECT 'lost:0', 'recovered', '', datetime('now') WHERE NOT EXISTS (SELECT 1 FROM projects)`,
  `INSERT INTO sessions (id, host, host_session_id, project_id, cwd, root, title, started_at, started_at_epoch, updated_at, updated_at_epoch, status)
     SELECT session_id, 'claude-code', 'lost:' || session_id,
       coalesce((SELECT project_id FROM observations o WHERE o.session_id = lost.session_id LIMIT 1),
         (SELECT project_id FROM summaries s WHERE s.session_id = lost.session_id LIMIT 1), (SELECT min(id) FROM projects)),
       '', '', 'A session that was lost', datetime(min(at) / 1000, 'unixepoch'), min(at), datetime(max(at) / 1000, 'unixepoch'), max(at), 'interrupted'
     FROM (${children
       .map(
         (table) =>
           `SELECT session_id, ${table === 'turns' ? 'ended_at_epoch' : 'created_at_epoch'} AS at FROM ${table}`,
       )
       .join(' UNION ALL ')}) AS lost
     WHERE session_id NOT IN (SELECT id FROM sessions) GROUP BY session_id`,
];

const CHILDREN = ['prompts', 'events', 'observations', 'summaries', 'batches', 'turns'];

/** A document without its memory would be found and could not be shown. */
const WITHOUT_MEMORY = `DELETE FROM documents WHERE NOT EXISTS (SELECT 1 FROM observations WHERE kind = 'observation' AND id = ref)
  AND NOT EXISTS (SELECT 1 FROM summaries WHERE kind = 'summary' AND id = ref)
  AND NOT EXISTS (SELECT 1 FROM prompts WHERE kind = 'prompt' AND id = ref)`;

/** Triggers are away during a repair. */
const WITHOUT_SIDES = ['older', 'newer'].map(
  (
    side,
  ) => `DELETE FROM replacements WHERE NOT EXISTS (SELECT 1 FROM observations WHERE ${side}_kind = 'observation' AND id = ${side}_id)
  AND NOT EXISTS (SELECT 1 FROM summaries WHERE ${side}_kind = 'summary' AND id = ${side}_id)
  AND NOT EXISTS (SELECT 1 FROM prompts WHERE ${side}_kind = 'prompt' AND id = ${side}_id)`,
);

type ForeignKey = { parent: string; own: string; other: string | null; onDelete: string };

/** `isLost`: more is lost than any page tells. */
export function linkRows(db: Database, tables: Record<string, TableReport>, isLost: boolean): void {
  const hasLost = (name: string) => isLost || tables[name]?.missing !== 0 || (tables[name]?.fromBackup ?? 0) > 0;
  if (!Object.keys(tables).some(hasLost)) return;
  for (const sql of listStandIns(CHILDREN.filter((table) => tables[table]))) db.run(sql);
  // What goes may be another's other half.
  for (let gone = 1; gone > 0; ) gone = Object.keys(tables).reduce((sum, table) => sum + unlink(db, table), 0);
  db.run(WITHOUT_MEMORY);
  if (tables.replacements) for (const sql of WITHOUT_SIDES) db.run(sql);
  // Hooks are gone, but the transcripts may still know what happened.
  if (['events', 'prompts', 'sessions', 'transcripts'].some(hasLost))
    db.run('UPDATE transcripts SET position = 0, size = 0, mtime = 0, is_over = 0');
}

function unlink(db: Database, table: string): number {
  const keys = db
    .query<ForeignKey, [string]>(
      'SELECT "table" AS parent, "from" AS own, "to" AS other, on_delete AS onDelete FROM pragma_foreign_key_list(?)',
    )
    .all(table);
  return keys.reduce((sum, { parent, own, other, onDelete }) => {
    const isLost = `${own} IS NOT NULL AND ${own} NOT IN (SELECT ${other ?? 'id'} FROM ${parent})`;
    const sql = onDelete === 'SET NULL' ? `UPDATE ${table} SET ${own} = NULL` : `DELETE FROM ${table}`;
    return sum + db.query(`${sql} WHERE ${isLost}`).run().changes;
  }, 0);
}
