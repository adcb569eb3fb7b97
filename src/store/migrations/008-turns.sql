-- What the agent said and did in a turn stays readable: one record for each, found with its prompt.
-- What was answered, said between tools and run was thrown away once it was used: most questions of a later session are about just that.

CREATE TABLE turns (
  id INTEGER PRIMARY KEY,
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  prompt_number INTEGER NOT NULL,
  started_at_epoch INTEGER NOT NULL,
  ended_at_epoch INTEGER NOT NULL,
  branch TEXT,
  head_before TEXT,
  head_after TEXT,
  -- Plain text: src/turns/record.ts writes and reads it.
  record TEXT NOT NULL,
  hash TEXT NOT NULL,
  UNIQUE (session_id, prompt_number)
) STRICT;
CREATE INDEX turns_by_time ON turns(ended_at_epoch);
-- Whoever makes a record again reads the events of one turn, not those of the session.
CREATE INDEX events_of_turn ON events(session_id, prompt_number);

-- The same for all that is indexed already; a prompt with a record is indexed with it.
DROP VIEW document_texts;
CREATE VIEW document_texts AS
  SELECT d.id,
    coalesce(o.title, s.request) AS title,
    o.subtitle AS subtitle,
    CASE d.kind WHEN 'observation' THEN o.narrative
      WHEN 'summary' THEN CAST(substr(CAST(coalesce(char(10) || s.investigated, '') || coalesce(char(10) || s.learned, '') || coalesce(char(10) || s.completed, '') || coalesce(char(10) || s.next_steps, '') || coalesce(char(10) || s.notes, '') AS BLOB), 2) AS TEXT)
      ELSE CASE WHEN instr(t.record, char(10) || '══ details') > 0
      THEN substr(t.record, 1, instr(t.record, char(10) || '══ details') - 1) ELSE t.record END END AS narrative,
    d.facts,
    o.concepts AS concepts,
    coalesce(o.files_modified || ' ' || o.files_read, s.files_edited || ' ' || s.files_read, '') AS files,
    p.text AS prompt,
    d.neighbours, d.parts, d.whence
  FROM documents d
    LEFT JOIN observations o ON d.kind = 'observation' AND o.id = d.ref
    LEFT JOIN summaries s ON d.kind = 'summary' AND s.id = d.ref
    LEFT JOIN prompts p ON d.kind = 'prompt' AND p.id = d.ref
    LEFT JOIN turns t ON t.session_id = p.session_id AND t.prompt_number = p.prompt_number;

-- Whoever changes a record adds its document again.
CREATE TRIGGER turns_enter BEFORE INSERT ON turns BEGIN
  DELETE FROM documents WHERE kind = 'prompt' AND ref =
    (SELECT id FROM prompts WHERE session_id = new.session_id AND prompt_number = new.prompt_number);
END;
CREATE TRIGGER turns_change BEFORE UPDATE OF record, prompt_number ON turns BEGIN
  DELETE FROM documents WHERE kind = 'prompt' AND ref =
    (SELECT id FROM prompts WHERE session_id = old.session_id AND prompt_number = old.prompt_number);
END;
CREATE TRIGGER turns_leave BEFORE DELETE ON turns BEGIN
  DELETE FROM documents WHERE kind = 'prompt' AND ref =
    (SELECT id FROM prompts WHERE session_id = old.session_id AND prompt_number = old.prompt_number);
END;
-- Whoever adds many documents at once says what stands beside each: then none of the others is indexed again.
DROP TRIGGER documents_added;
CREATE TRIGGER documents_added AFTER INSERT ON documents WHEN new.neighbours IS NULL BEGIN
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
CREATE TRIGGER documents_added_whole AFTER INSERT ON documents WHEN new.neighbours IS NOT NULL BEGIN
  INSERT INTO words (rowid, title, subtitle, narrative, facts, concepts, files, prompt, neighbours, parts, whence) SELECT id, title, subtitle, narrative, facts, concepts, files, prompt, neighbours, parts, whence FROM document_texts WHERE id = new.id;
  INSERT INTO fragments (rowid, names) VALUES (new.id, new.names);
END;
-- A forgotten or private prompt takes its record along.
CREATE TRIGGER prompts_take_turn BEFORE DELETE ON prompts BEGIN
  DELETE FROM turns WHERE session_id = old.session_id AND prompt_number = old.prompt_number;
END;
