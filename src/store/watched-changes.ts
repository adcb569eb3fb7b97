// What is changed while somebody watches, noted by triggers of this connection alone: whoever changes something need not know.
import type { Database } from 'bun:sqlite';
import type { MemoryKind } from '../core/memory.ts';

/** all: more than single memories, such as the name of a project. */
export type Change = { kind: MemoryKind | 'session' | 'all'; id: number };

const COLUMNS: Record<MemoryKind, string> = {
  observation: `type, title, subtitle, narrative, facts, concepts, files_read, files_modified, outcome, trust, origin, pinned,
    wrong_at, quarantined, hidden_at, session_id, project_id`,
  summary:
    'request, investigated, learned, completed, next_steps, notes, files_read, files_edited, hidden_at, session_id, project_id',
  prompt: 'text, hidden_at, session_id',
};
const TABLES: Record<MemoryKind, string> = { observation: 'observations', summary: 'summaries', prompt: 'prompts' };

const note = (kind: Change['kind'], id: string) =>
  `BEGIN INSERT OR IGNORE INTO watched_changes VALUES ('${kind}', ${id}); END;`;

/** What is replaced looks different; what replaces it does not. */
const noteOlder = (row: string) =>
  `BEGIN INSERT OR IGNORE INTO watched_changes VALUES (${row}.older_kind, ${row}.older_id); END;`;

const ofMemories = Object.entries(TABLES).map(
  ([kind, table]) => `
  CREATE TEMP TRIGGER IF NOT EXISTS watched_${table}_change AFTER UPDATE OF ${COLUMNS[kind as MemoryKind]} ON main.${table} ${note(kind as MemoryKind, 'new.id')}
  CREATE TEMP TRIGGER IF NOT EXISTS watched_${table}_leave AFTER DELETE ON main.${table} ${note(kind as MemoryKind, 'old.id')}`,
);

const BEGIN = `
  CREATE TEMP TABLE IF NOT EXISTS watched_changes (kind TEXT NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (kind, id)) WITHOUT ROWID;
  ${ofMemories.join('')}
  CREATE TEMP TRIGGER IF NOT EXISTS watched_sessions_come AFTER INSERT ON main.sessions ${note('session', 'new.id')}
  CREATE TEMP TRIGGER IF NOT EXISTS watched_sessions_change AFTER UPDATE OF status, title, project_id ON main.sessions
    WHEN old.status IS NOT new.status OR old.title IS NOT new.title OR old.project_id <> new.project_id ${note('session', 'new.id')}
  CREATE TEMP TRIGGER IF NOT EXISTS watched_projects_change AFTER UPDATE OF name ON main.projects WHEN old.name <> new.name ${note('all', '0')}
  CREATE TEMP TRIGGER IF NOT EXISTS watched_replacements_come AFTER INSERT ON main.replacements ${noteOlder('new')}
  CREATE TEMP TRIGGER IF NOT EXISTS watched_replacements_change AFTER UPDATE ON main.replacements ${noteOlder('new')}
  CREATE TEMP TRIGGER IF NOT EXISTS watched_replacements_leave AFTER DELETE ON main.replacements ${noteOlder('old')}
  CREATE TEMP TRIGGER IF NOT EXISTS watched_distrust_come AFTER INSERT ON main.distrusted ${note('all', '0')}
  CREATE TEMP TRIGGER IF NOT EXISTS watched_distrust_leave AFTER DELETE ON main.distrusted ${note('all', '0')}`;

/** Until endWatching: what is written costs a little more meanwhile. */
export function beginWatching(db: Database): void {
  db.run(BEGIN);
}

export function endWatching(db: Database): void {
  const triggers = db
    .query<{ name: string }, []>("SELECT name FROM temp.sqlite_schema WHERE type = 'trigger' AND name LIKE 'watched_%'")
    .all();
  for (const { name } of triggers) db.run(`DROP TRIGGER temp.${name}`);
  db.run('DROP TABLE IF EXISTS temp.watched_changes');
}

/** Each is told once; null when there are more than so many, which are let go of. */
export function takeChanges(db: Database, most: number): Change[] | null {
  const changes = db
    .query<Change, [number]>('SELECT kind, id FROM temp.watched_changes ORDER BY kind, id LIMIT ?')
    .all(most + 1);
  if (changes.length > 0) db.run('DELETE FROM temp.watched_changes');
  return changes.length > most ? null : changes;
}
