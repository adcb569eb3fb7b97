// The same view and triggers in words that SQLite 3.40 knows: the system's own sqlite3, Python and macOS open the file, too.
import type { Migration } from './index.ts';

/** As concat_ws (3.44) gives it: what is NULL is left out, what is empty is not. By bytes, for substr ends a text at a NUL. */
const LINES = (columns: string[]) =>
  `CAST(substr(CAST(${columns.map((column) => `coalesce(char(10) || ${column}, '')`).join(' || ')} AS BLOB), 2) AS TEXT)`;

/** Two on each side of a document in its session, the nearest first. No alias for what is updated: a trigger may give one since 3.51. */
const AROUND = (wanted: string, document: string) => `
        SELECT ${wanted} FROM (SELECT ${wanted} FROM documents AS d WHERE d.session_id = ${document}.session_id AND d.id < ${document}.id ORDER BY d.id DESC LIMIT 2)
        UNION ALL
        SELECT ${wanted} FROM (SELECT ${wanted} FROM documents AS d WHERE d.session_id = ${document}.session_id AND d.id > ${document}.id ORDER BY d.id LIMIT 2)`;

const NEIGHBOURS = `coalesce((SELECT group_concat(headline, char(10)) FROM (${AROUND('headline', 'documents')})), '')`;

export const olderSqlite: Migration = {
  version: 6,
  why: 'A schema that an older SQLite cannot read is closed to every other tool, and to the worker itself where Bun uses the system’s own.',
  sql: `
    -- The same text to the byte: the words in the index stay true.
    DROP VIEW document_texts;
    CREATE VIEW document_texts AS
      SELECT d.id,
        coalesce(o.title, s.request) AS title,
        o.subtitle AS subtitle,
        CASE d.kind WHEN 'observation' THEN o.narrative
          WHEN 'summary' THEN ${LINES(['s.investigated', 's.learned', 's.completed', 's.next_steps', 's.notes'])} END AS narrative,
        d.facts,
        -- Lists as they are stored: brackets and quotes are no words. (The index can read no json_each.)
        o.concepts AS concepts,
        coalesce(o.files_modified || ' ' || o.files_read, s.files_edited || ' ' || s.files_read, '') AS files,
        p.text AS prompt,
        d.neighbours, d.parts, d.whence
      FROM documents d
        LEFT JOIN observations o ON d.kind = 'observation' AND o.id = d.ref
        LEFT JOIN summaries s ON d.kind = 'summary' AND s.id = d.ref
        LEFT JOIN prompts p ON d.kind = 'prompt' AND p.id = d.ref;

    -- A new store has neither: see index.ts.
    DROP TRIGGER IF EXISTS documents_added;
    CREATE TRIGGER documents_added AFTER INSERT ON documents BEGIN
      UPDATE documents SET neighbours = ${NEIGHBOURS} WHERE id IN (${AROUND('id', 'new')});
      UPDATE documents SET neighbours = ${NEIGHBOURS} WHERE id = new.id;
      INSERT INTO fragments (rowid, names) VALUES (new.id, new.names);
    END;
    DROP TRIGGER IF EXISTS documents_left;
    CREATE TRIGGER documents_left AFTER DELETE ON documents BEGIN
      UPDATE documents SET neighbours = ${NEIGHBOURS} WHERE id IN (${AROUND('id', 'old')});
      INSERT OR IGNORE INTO dropped_documents VALUES (old.id);
    END;
  `,
};
