// Whether anything was stored since that pages are made of: counted by triggers of this connection, in its own memory.
import type { Database } from 'bun:sqlite';
import { readColumn, readValue } from './read.ts';

/** No page says any of it, and it changes all the time. Every other table counts, also one that is still to come. */
const UNTOLD = new Set([
  ...['events', 'batches', 'transcripts', 'counters', 'notices', 'tellings', 'injections', 'model_calls', 'documents', 'dropped_documents'],
  ...['error_marks', 'sync_changes', 'sync_records', 'sync_state'],
]);

/** Gives what is the same only while nothing counts that was stored for one of these projects, or by another connection. */
type CountChanges = (projectIds: readonly number[]) => string;

export function createCountChanges(db: Database): CountChanges {
  const counted = new Set<number>();
  return (projectIds) => {
    if (counted.size === 0) beginCounting(db);
    for (const id of projectIds.filter((one) => !counted.has(one))) {
      db.query('INSERT OR IGNORE INTO temp.counted_changes VALUES (?, 0)').run(id);
      counted.add(id);
    }
    const changes = 'SELECT sum(changes) FROM temp.counted_changes WHERE project_id IN (SELECT value FROM json_each(?))';
    return `${readValue(db, 'PRAGMA data_version')} ${readValue(db, changes, JSON.stringify(projectIds))}`;
  };
}

function beginCounting(db: Database): void {
  db.run('CREATE TEMP TABLE IF NOT EXISTS counted_changes (project_id INTEGER PRIMARY KEY, changes INTEGER NOT NULL)');
  const tables = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%'";
  for (const table of readColumn<string>(db, tables).filter((name) => !UNTOLD.has(name)))
    for (const trigger of listTriggers(table, new Set(readColumn<string>(db, 'SELECT name FROM pragma_table_info(?)', table))))
      db.run(trigger);
}

/**
 * A row that comes is about its own project. One that changes or goes may have replaced another anywhere; only sessions, which change with
 * every prompt, stay with theirs.
 */
function listTriggers(table: string, columns: ReadonlySet<string>): string[] {
  const isSession = table === 'sessions';
  const come = countOf([projectOf(columns, 'new')]);
  const change = countOf(isSession ? [projectOf(columns, 'new'), projectOf(columns, 'old')] : [null]);
  const leave = countOf(isSession ? [projectOf(columns, 'old')] : [null]);
  // One that was opened just now is on no page.
  const isWork = isSession ? "WHEN new.status <> 'initialized' OR new.title IS NOT NULL OR new.prompt_counter > 0" : '';
  // A seal follows what it seals.
  const told = [...columns].filter((name) => name !== 'seal').join(', ');
  return [
    `CREATE TEMP TRIGGER IF NOT EXISTS counted_${table}_come AFTER INSERT ON main.${table} ${isWork} ${come}`,
    `CREATE TEMP TRIGGER IF NOT EXISTS counted_${table}_change AFTER UPDATE OF ${told} ON main.${table} ${change}`,
    `CREATE TEMP TRIGGER IF NOT EXISTS counted_${table}_leave AFTER DELETE ON main.${table} ${leave}`,
  ];
}

/** Null where a row is not about one project. */
function projectOf(columns: ReadonlySet<string>, row: 'new' | 'old'): string | null {
  if (columns.has('project_id')) return `${row}.project_id`;
  return columns.has('session_id') ? `(SELECT project_id FROM sessions WHERE id = ${row}.session_id)` : null;
}

/** Of one that is not known, all are counted. */
const countOf = (projects: (string | null)[]) =>
  `BEGIN UPDATE counted_changes SET changes = changes + 1
     WHERE project_id IN (${projects.map((one) => `coalesce(${one ?? 'NULL'}, project_id)`).join(', ')}); END`;
