-- A memory that no session made has none: what a person noted, a commit, what a member of a team published.
-- Each of these hung on a made-up session, which everything that asks about sessions had to leave out.

-- One in which something was asked, said or blocked is a session, however it is called.
UPDATE sessions SET host = 'imported' WHERE (host IN ('claude-mem','git') OR substr(host, 1, 5) = 'team/') AND (
  'session:' || host_session_id IN (SELECT source FROM distrusted)
  OR EXISTS (SELECT 1 FROM prompts WHERE session_id = sessions.id) OR EXISTS (SELECT 1 FROM events WHERE session_id = sessions.id)
  OR EXISTS (SELECT 1 FROM summaries WHERE session_id = sessions.id) OR EXISTS (SELECT 1 FROM turns WHERE session_id = sessions.id)
  OR EXISTS (SELECT 1 FROM batches WHERE session_id = sessions.id) OR EXISTS (SELECT 1 FROM open_steps WHERE session_id = sessions.id));

DROP TRIGGER observations_seal;
DROP TRIGGER observations_seal_again;
DROP INDEX observations_of_session;
-- The member of a team who published it; NULL for everything else.
ALTER TABLE observations ADD COLUMN author TEXT;
ALTER TABLE observations ADD COLUMN made_in INTEGER REFERENCES sessions(id) ON DELETE CASCADE;
-- A row that was not what its seal says stays so.
UPDATE observations SET made_in = said.made_in, author = iif(origin = 'imported', said.author, NULL),
    seal = iif(said.made_in IS NULL, substr(seal, instr(seal, ' ')), seal) || ' ' || iif(origin = 'imported', ifnull(said.author, ''), '')
  FROM (SELECT id, iif(host IN ('claude-mem','git') OR substr(host, 1, 5) = 'team/', NULL, id) AS made_in,
      iif(substr(host, 1, 5) = 'team/', substr(host, 6), NULL) AS author FROM sessions) AS said
  WHERE said.id = observations.session_id;
ALTER TABLE observations DROP COLUMN session_id;
ALTER TABLE observations RENAME COLUMN made_in TO session_id;
CREATE INDEX observations_of_session ON observations(session_id);
CREATE INDEX observations_noted ON observations(project_id) WHERE session_id IS NULL AND origin <> 'commit';
CREATE TRIGGER observations_seal AFTER INSERT ON observations BEGIN
  UPDATE observations SET seal = ifnull(session_id, '') || ' ' || ifnull(project_id, '') || ' ' || ifnull(prompt_number, '') || ' ' || ifnull(origin, '') || ' ' || ifnull(trust, '') || ' ' || ifnull(pinned, '') || ' ' || ifnull(created_at_epoch, '') || ' ' || ifnull(provisional, '') || ' ' || ifnull(hidden_at, '') || ' ' || ifnull(wrong_at, '') || ' ' || ifnull(kept, '') || ' ' || ifnull(quarantined, '') || ' ' || ifnull(is_rule, '') || ' ' || ifnull(rule_said_at, '') || ' ' || ifnull(commit_hash, '') || ' ' || ifnull(author, '') WHERE id = NEW.id;
END;
CREATE TRIGGER observations_seal_again AFTER UPDATE OF session_id, project_id, prompt_number, origin, trust, pinned, created_at_epoch, provisional, hidden_at, wrong_at, kept, quarantined, is_rule, rule_said_at, commit_hash, author ON observations BEGIN
  UPDATE observations SET seal = ifnull(session_id, '') || ' ' || ifnull(project_id, '') || ' ' || ifnull(prompt_number, '') || ' ' || ifnull(origin, '') || ' ' || ifnull(trust, '') || ' ' || ifnull(pinned, '') || ' ' || ifnull(created_at_epoch, '') || ' ' || ifnull(provisional, '') || ' ' || ifnull(hidden_at, '') || ' ' || ifnull(wrong_at, '') || ' ' || ifnull(kept, '') || ' ' || ifnull(quarantined, '') || ' ' || ifnull(is_rule, '') || ' ' || ifnull(rule_said_at, '') || ' ' || ifnull(commit_hash, '') || ' ' || ifnull(author, '') WHERE id = NEW.id;
END;

DROP TRIGGER documents_added;
DROP TRIGGER documents_left;
DROP INDEX documents_of_session;
DROP INDEX documents_places;
ALTER TABLE documents ADD COLUMN made_in INTEGER;
-- One without a session had a number of its own below zero: it has nothing to do with the next.
UPDATE documents SET made_in = session_id WHERE session_id > 0;
ALTER TABLE documents DROP COLUMN session_id;
ALTER TABLE documents RENAME COLUMN made_in TO session_id;
CREATE INDEX documents_of_session ON documents(session_id, id);
CREATE INDEX documents_places ON documents(id, project_id, session_id, kind, ref, type, at);
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

DELETE FROM sessions WHERE host IN ('claude-mem','git') OR substr(host, 1, 5) = 'team/';
