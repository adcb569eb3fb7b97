-- The same view and triggers in words that SQLite 3.40 knows: the system's own sqlite3, Python and macOS open the file, too.
-- A schema that an older SQLite cannot read is closed to every other tool, and to the worker itself where Bun uses the system’s own.

-- The same text to the byte: the words in the index stay true.
DROP VIEW document_texts;
CREATE VIEW document_texts AS
  SELECT d.id,
    coalesce(o.title, s.request) AS title,
    o.subtitle AS subtitle,
    CASE d.kind WHEN 'observation' THEN o.narrative
      WHEN 'summary' THEN CAST(substr(CAST(coalesce(char(10) || s.investigated, '') || coalesce(char(10) || s.learned, '') || coalesce(char(10) || s.completed, '') || coalesce(char(10) || s.next_steps, '') || coalesce(char(10) || s.notes, '') AS BLOB), 2) AS TEXT) END AS narrative,
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

-- 0.1.0 made them in words that SQLite before 3.51 cannot read; a new store has neither yet.
DROP TRIGGER IF EXISTS documents_added;
CREATE TRIGGER documents_added AFTER INSERT ON documents BEGIN
  UPDATE documents SET neighbours = coalesce((SELECT group_concat(headline, char(10)) FROM (
    SELECT headline FROM (SELECT headline FROM documents AS d WHERE d.session_id = documents.session_id AND d.id < documents.id ORDER BY d.id DESC LIMIT 2)
    UNION ALL
    SELECT headline FROM (SELECT headline FROM documents AS d WHERE d.session_id = documents.session_id AND d.id > documents.id ORDER BY d.id LIMIT 2))), '') WHERE id IN (
    SELECT id FROM (SELECT id FROM documents AS d WHERE d.session_id = new.session_id AND d.id < new.id ORDER BY d.id DESC LIMIT 2)
    UNION ALL
    SELECT id FROM (SELECT id FROM documents AS d WHERE d.session_id = new.session_id AND d.id > new.id ORDER BY d.id LIMIT 2));
  UPDATE documents SET neighbours = coalesce((SELECT group_concat(headline, char(10)) FROM (
    SELECT headline FROM (SELECT headline FROM documents AS d WHERE d.session_id = documents.session_id AND d.id < documents.id ORDER BY d.id DESC LIMIT 2)
    UNION ALL
    SELECT headline FROM (SELECT headline FROM documents AS d WHERE d.session_id = documents.session_id AND d.id > documents.id ORDER BY d.id LIMIT 2))), '') WHERE id = new.id;
  INSERT INTO fragments (rowid, names) VALUES (new.id, new.names);
END;
DROP TRIGGER IF EXISTS documents_left;
CREATE TRIGGER documents_left AFTER DELETE ON documents BEGIN
  UPDATE documents SET neighbours = coalesce((SELECT group_concat(headline, char(10)) FROM (
    SELECT headline FROM (SELECT headline FROM documents AS d WHERE d.session_id = documents.session_id AND d.id < documents.id ORDER BY d.id DESC LIMIT 2)
    UNION ALL
    SELECT headline FROM (SELECT headline FROM documents AS d WHERE d.session_id = documents.session_id AND d.id > documents.id ORDER BY d.id LIMIT 2))), '') WHERE id IN (
    SELECT id FROM (SELECT id FROM documents AS d WHERE d.session_id = old.session_id AND d.id < old.id ORDER BY d.id DESC LIMIT 2)
    UNION ALL
    SELECT id FROM (SELECT id FROM documents AS d WHERE d.session_id = old.session_id AND d.id > old.id ORDER BY d.id LIMIT 2));
  INSERT OR IGNORE INTO dropped_documents VALUES (old.id);
END;
