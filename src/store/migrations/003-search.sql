-- What search needs: one document for each memory, and the words in it, kept true by triggers whatever deletes a row.
-- What was remembered must be found again: by its words, its parts and its neighbours; and hidden at once when asked to.

-- One for each memory that can be found. An id is never given twice: vectors elsewhere carry it.
CREATE TABLE documents (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL CHECK (kind IN ('observation','summary','prompt')),
  ref INTEGER NOT NULL,
  project_id INTEGER NOT NULL,
  session_id INTEGER NOT NULL,
  -- An observation's type; the kind of anything else.
  type TEXT NOT NULL,
  at INTEGER NOT NULL,
  -- What its neighbours say of it.
  headline TEXT NOT NULL,
  -- The sentences of an observation's facts, without their sources.
  facts TEXT NOT NULL,
  -- What was said around it, as it is indexed.
  neighbours TEXT,
  -- Pieces of identifiers, pairs of CJK characters: what the tokenizer does not see.
  parts TEXT NOT NULL,
  -- Identifiers and paths as they are, to be found by any three letters of them.
  names TEXT NOT NULL,
  -- When and where, in words.
  whence TEXT NOT NULL,
  UNIQUE (kind, ref)
) STRICT;
CREATE INDEX documents_of_session ON documents(session_id, id);
CREATE INDEX documents_of_project ON documents(project_id, at);
-- Where a document stands, without the texts beside it: of hundreds of candidates each would cost a page.
CREATE INDEX documents_places ON documents(id, project_id, session_id, kind, ref, type, at);

CREATE VIEW document_texts AS
  SELECT d.id,
    coalesce(o.title, s.request) AS title,
    o.subtitle AS subtitle,
    CASE d.kind WHEN 'observation' THEN o.narrative
      WHEN 'summary' THEN concat_ws(char(10), s.investigated, s.learned, s.completed, s.next_steps, s.notes) END AS narrative,
    d.facts,
    -- Lists as they are stored: brackets and quotes are no words. (The index can read no json_each.)
    o.concepts AS concepts,
    concat_ws(' ', o.files_modified, o.files_read, s.files_edited, s.files_read) AS files,
    p.text AS prompt,
    d.neighbours, d.parts, d.whence
  FROM documents d
    LEFT JOIN observations o ON d.kind = 'observation' AND o.id = d.ref
    LEFT JOIN summaries s ON d.kind = 'summary' AND s.id = d.ref
    LEFT JOIN prompts p ON d.kind = 'prompt' AND p.id = d.ref;

CREATE VIRTUAL TABLE words USING fts5(title, subtitle, narrative, facts, concepts, files, prompt, neighbours, parts, whence, content='document_texts', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE words_known USING fts5vocab(words, 'row');
CREATE VIRTUAL TABLE fragments USING fts5(names, content='documents', content_rowid='id', tokenize='trigram', detail='none');

-- Their vectors are still to be taken out of the index.
CREATE TABLE dropped_documents (id INTEGER PRIMARY KEY) STRICT;

-- A new document is indexed by this, too: until its neighbours are known it has no words.
CREATE TRIGGER documents_neighbours_leave BEFORE UPDATE OF neighbours ON documents WHEN old.neighbours IS NOT NULL BEGIN
  INSERT INTO words (words, rowid, title, subtitle, narrative, facts, concepts, files, prompt, neighbours, parts, whence) SELECT 'delete', id, title, subtitle, narrative, facts, concepts, files, prompt, neighbours, parts, whence FROM document_texts WHERE id = old.id;
END;
CREATE TRIGGER documents_neighbours_come AFTER UPDATE OF neighbours ON documents BEGIN
  INSERT INTO words (rowid, title, subtitle, narrative, facts, concepts, files, prompt, neighbours, parts, whence) SELECT id, title, subtitle, narrative, facts, concepts, files, prompt, neighbours, parts, whence FROM document_texts WHERE id = new.id;
END;
CREATE TRIGGER documents_leave BEFORE DELETE ON documents BEGIN
  INSERT INTO words (words, rowid, title, subtitle, narrative, facts, concepts, files, prompt, neighbours, parts, whence) SELECT 'delete', id, title, subtitle, narrative, facts, concepts, files, prompt, neighbours, parts, whence FROM document_texts WHERE id = old.id;
  INSERT INTO fragments (fragments, rowid, names) VALUES ('delete', old.id, old.names);
END;

CREATE TRIGGER observations_take_document BEFORE DELETE ON observations BEGIN
  DELETE FROM documents WHERE kind = 'observation' AND ref = old.id;
END;
CREATE TRIGGER summaries_take_document BEFORE DELETE ON summaries BEGIN
  DELETE FROM documents WHERE kind = 'summary' AND ref = old.id;
END;
CREATE TRIGGER prompts_take_document BEFORE DELETE ON prompts BEGIN
  DELETE FROM documents WHERE kind = 'prompt' AND ref = old.id;
END;
-- Whoever changes a text adds its document anew.
CREATE TRIGGER observations_change_document BEFORE UPDATE OF title, subtitle, narrative, facts, concepts, files_read, files_modified ON observations BEGIN
  DELETE FROM documents WHERE kind = 'observation' AND ref = old.id;
END;
CREATE TRIGGER summaries_change_document BEFORE UPDATE OF request, investigated, learned, completed, next_steps, notes, files_read, files_edited ON summaries BEGIN
  DELETE FROM documents WHERE kind = 'summary' AND ref = old.id;
END;
CREATE TRIGGER prompts_change_document BEFORE UPDATE OF text ON prompts BEGIN
  DELETE FROM documents WHERE kind = 'prompt' AND ref = old.id;
END;

CREATE TRIGGER prompts_keep_ids AFTER DELETE ON prompts BEGIN
  INSERT INTO id_marks VALUES ('prompts', old.id) ON CONFLICT (name) DO UPDATE SET last = max(last, excluded.last);
END;

-- Somebody asked to forget it: shown nowhere until a person decides.
ALTER TABLE observations ADD COLUMN hidden_at TEXT;
ALTER TABLE summaries ADD COLUMN hidden_at TEXT;
ALTER TABLE prompts ADD COLUMN hidden_at TEXT;
CREATE INDEX observations_hidden ON observations(id) WHERE hidden_at IS NOT NULL;
CREATE INDEX summaries_hidden ON summaries(id) WHERE hidden_at IS NOT NULL;
CREATE INDEX prompts_hidden ON prompts(id) WHERE hidden_at IS NOT NULL;
