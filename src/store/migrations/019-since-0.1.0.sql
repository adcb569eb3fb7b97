-- All that came after 0.1.0: records of turns, replacements, open steps, rules, proof of projects, seals, sync; memories without a session.
-- What the agent said and did in a turn stays readable, and what is no longer so says by what it was replaced, why and since when.

-- Where a project is known to lie: a remote is only a text that any folder can hold.
CREATE TABLE project_roots (
  -- Where the repository itself lies; of stores from before also a work tree of it.
  root TEXT NOT NULL,
  project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
  -- seen: the first of its remote, or from before there was proof. proven: by its history. merged: a person said that it is the
  -- project. separate: a person said that it is not.
  how TEXT NOT NULL CHECK (how IN ('seen','proven','merged','separate')),
  -- When git's folder there was made: another one needs a proof of its own. NULL: not noted yet, or whatever is there counts.
  born_at_epoch INTEGER,
  PRIMARY KEY (root, project_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX roots_of_project ON project_roots(project_id);
CREATE INDEX projects_by_root ON projects(root);
-- What a starting session asks of a long queue is answered by this alone: events are wide.
DROP INDEX events_pending;
CREATE INDEX events_pending ON events(session_id, seq, kind, size, created_at_epoch, provenance) WHERE status = 'pending';
-- Those that are known stay what they are. The sessions of a folder that is a project of its own count for its repository.
INSERT OR IGNORE INTO project_roots (root, project_id, how)
  SELECT DISTINCT here.root, coalesce(whole.id, aliased.project_id, p.id), 'seen'
  FROM (SELECT root, project_id FROM sessions UNION SELECT root, id FROM projects) AS here
    JOIN projects p ON p.id = here.project_id
    LEFT JOIN projects whole ON whole.key = p.remote
    LEFT JOIN project_aliases aliased ON aliased.key = p.remote
  WHERE here.root <> '';

-- One record for each turn, found with its prompt.
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
  seal TEXT,
  UNIQUE (session_id, prompt_number)
) STRICT;
CREATE INDEX turns_by_time ON turns(ended_at_epoch);
-- Whoever makes a record again reads the events of one turn, not those of the session.
CREATE INDEX events_of_turn ON events(session_id, prompt_number);
-- Two indexes of events that begin with the session: every commit of a hook wrote both.
DROP INDEX events_of_session;

-- 0.1.0 made these in words that SQLite before 3.51 cannot read; a new store has neither yet.
DROP TRIGGER IF EXISTS documents_added;
DROP TRIGGER IF EXISTS documents_left;
-- In words that SQLite 3.40 knows: the system's own sqlite3, Python and macOS open the file, too. The same text to the byte for what is
-- indexed already; a prompt with a record is indexed with it.
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
-- A forgotten or private prompt takes its record along.
CREATE TRIGGER prompts_take_turn BEFORE DELETE ON prompts BEGIN
  DELETE FROM turns WHERE session_id = old.session_id AND prompt_number = old.prompt_number;
END;

-- What is no longer so: one relation between an older and a newer memory, in the place of a column of observations.
CREATE TABLE replacements (
  id INTEGER PRIMARY KEY,
  older_kind TEXT NOT NULL CHECK (older_kind IN ('observation','prompt','summary')),
  older_id INTEGER NOT NULL,
  -- A prompt stands for its turn.
  newer_kind TEXT NOT NULL CHECK (newer_kind IN ('observation','prompt')),
  newer_id INTEGER NOT NULL,
  certain INTEGER NOT NULL CHECK (certain IN (0, 1)),
  why TEXT NOT NULL,
  words TEXT,
  made_by TEXT NOT NULL CHECK (made_by IN ('rules','model','user')),
  -- A person said that both hold: then it is no replacement, and nothing makes it one by itself.
  both_hold INTEGER NOT NULL DEFAULT 0 CHECK (both_hold IN (0, 1)),
  created_at TEXT NOT NULL,
  created_at_epoch INTEGER NOT NULL,
  UNIQUE (older_kind, older_id, newer_kind, newer_id),
  CHECK (older_kind <> newer_kind OR older_id <> newer_id)
) STRICT;
CREATE INDEX replacements_by_newer ON replacements(newer_kind, newer_id);

CREATE TRIGGER observations_leave_replacements AFTER DELETE ON observations BEGIN
  DELETE FROM replacements WHERE older_kind = 'observation' AND older_id = old.id;
  DELETE FROM replacements WHERE newer_kind = 'observation' AND newer_id = old.id;
END;
CREATE TRIGGER prompts_leave_replacements AFTER DELETE ON prompts BEGIN
  DELETE FROM replacements WHERE older_kind = 'prompt' AND older_id = old.id;
  DELETE FROM replacements WHERE newer_kind = 'prompt' AND newer_id = old.id;
END;
-- A forgotten prompt leaves its number behind.
CREATE TRIGGER prompts_empty_replacements AFTER UPDATE OF text ON prompts WHEN new.text = '' BEGIN
  DELETE FROM replacements WHERE older_kind = 'prompt' AND older_id = old.id;
  DELETE FROM replacements WHERE newer_kind = 'prompt' AND newer_id = old.id;
END;
CREATE TRIGGER summaries_leave_replacements AFTER DELETE ON summaries BEGIN
  DELETE FROM replacements WHERE older_kind = 'summary' AND older_id = old.id;
END;

-- Who marked it was not noted: what a person said must not be lost, so it stays whatever the rules make of it.
INSERT INTO replacements (older_kind, older_id, newer_kind, newer_id, certain, why, made_by, created_at, created_at_epoch)
  SELECT 'observation', o.id, 'observation', n.id, 1, 'older version', 'rules', n.created_at, n.created_at_epoch
  FROM observations o JOIN observations n ON n.id = o.superseded_by WHERE n.id <> o.id;
UPDATE observations SET superseded_by = NULL WHERE superseded_by IS NOT NULL;
DELETE FROM id_marks WHERE name = 'compared';

-- What is left to do lives until something ends it.
CREATE TABLE open_steps (
  id INTEGER PRIMARY KEY,
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  project_id INTEGER NOT NULL REFERENCES projects(id),
  -- The turn that announced it.
  prompt_number INTEGER NOT NULL,
  text TEXT NOT NULL,
  source TEXT NOT NULL CHECK (source IN ('todo','closing','user','model')),
  created_at_epoch INTEGER NOT NULL,
  -- By which turn it ended, and how.
  closed_session_id INTEGER,
  closed_prompt_number INTEGER,
  closed_how TEXT CHECK (closed_how IN ('ticked','done','refused','said again','not taken up','model','person')),
  closed_at_epoch INTEGER
) STRICT;
CREATE INDEX open_steps_open ON open_steps(project_id, created_at_epoch) WHERE closed_at_epoch IS NULL;
CREATE INDEX open_steps_of_turn ON open_steps(session_id, prompt_number);
CREATE INDEX open_steps_closed_by ON open_steps(closed_session_id, closed_prompt_number) WHERE closed_session_id IS NOT NULL;
-- What goes with its turn.
CREATE TRIGGER turns_take_steps BEFORE DELETE ON turns BEGIN
  DELETE FROM open_steps WHERE session_id = old.session_id AND prompt_number = old.prompt_number;
END;
CREATE TRIGGER prompts_empty_steps AFTER UPDATE OF text ON prompts WHEN new.text = '' BEGIN
  DELETE FROM open_steps WHERE session_id = new.session_id AND prompt_number = new.prompt_number;
END;
CREATE TRIGGER prompts_take_steps BEFORE DELETE ON prompts BEGIN
  DELETE FROM open_steps WHERE session_id = old.session_id AND prompt_number = old.prompt_number;
END;

ALTER TABLE observations ADD COLUMN is_rule INTEGER NOT NULL DEFAULT 0;
-- Numbers of steps of its turn's record, as JSON; NULL where nobody knows them.
ALTER TABLE observations ADD COLUMN steps TEXT;
-- A person's word on what is a rule. Epoch ms; NULL where nobody has said whether it is one.
ALTER TABLE observations ADD COLUMN rule_said_at INTEGER;
-- English keywords, one line, by a model: what somebody would search for who does not know its language.
ALTER TABLE observations ADD COLUMN keywords TEXT;
CREATE INDEX observations_rules ON observations(project_id, created_at_epoch) WHERE is_rule = 1;
CREATE INDEX observations_by_user ON observations(project_id, created_at_epoch) WHERE origin = 'user';
-- What a question listed by number: {"decisions": [ids], "steps": [ids]}. Only that can be said to be replaced or done.
ALTER TABLE model_calls ADD COLUMN listed TEXT;

-- A memory that no session made has none: what a person noted, a commit, what a member of a team published. 0.1.0 hung each on a made-up
-- session. One in which something was asked, said or blocked is a session, however it is called.
UPDATE sessions SET host = 'imported' WHERE host IN ('claude-mem','git') AND (
  'session:' || host_session_id IN (SELECT source FROM distrusted)
  OR EXISTS (SELECT 1 FROM prompts WHERE session_id = sessions.id) OR EXISTS (SELECT 1 FROM events WHERE session_id = sessions.id)
  OR EXISTS (SELECT 1 FROM summaries WHERE session_id = sessions.id) OR EXISTS (SELECT 1 FROM batches WHERE session_id = sessions.id));
ALTER TABLE observations ADD COLUMN seal TEXT;
-- The member of a team who published it; NULL for everything else.
ALTER TABLE observations ADD COLUMN author TEXT;
ALTER TABLE observations ADD COLUMN made_in INTEGER REFERENCES sessions(id) ON DELETE CASCADE;
UPDATE observations SET made_in = session_id WHERE session_id NOT IN (SELECT id FROM sessions WHERE host IN ('claude-mem','git'));
DROP INDEX observations_of_session;
ALTER TABLE observations DROP COLUMN session_id;
ALTER TABLE observations RENAME COLUMN made_in TO session_id;
CREATE INDEX observations_of_session ON observations(session_id);
CREATE INDEX observations_noted ON observations(project_id) WHERE session_id IS NULL AND origin <> 'commit';

DROP INDEX documents_of_session;
DROP INDEX documents_places;
ALTER TABLE documents ADD COLUMN made_in INTEGER;
-- One without a session had a number of its own below zero: it has nothing to do with the next.
UPDATE documents SET made_in = session_id WHERE session_id > 0;
ALTER TABLE documents DROP COLUMN session_id;
ALTER TABLE documents RENAME COLUMN made_in TO session_id;
CREATE INDEX documents_of_session ON documents(session_id, id);
CREATE INDEX documents_places ON documents(id, project_id, session_id, kind, ref, type, at);
-- Whoever adds many documents at once says what stands beside each: then none of the others is indexed again.
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
DELETE FROM sessions WHERE host IN ('claude-mem','git');

-- A row says twice whose it is and what it counts for: where the two differ, the row is not what was stored. Its hash covers its words alone.
UPDATE observations SET seal = ifnull(session_id, '') || ' ' || ifnull(project_id, '') || ' ' || ifnull(prompt_number, '') || ' ' || ifnull(origin, '') || ' ' || ifnull(trust, '') || ' ' || ifnull(pinned, '') || ' ' || ifnull(created_at_epoch, '') || ' ' || ifnull(provisional, '') || ' ' || ifnull(hidden_at, '') || ' ' || ifnull(wrong_at, '') || ' ' || ifnull(kept, '') || ' ' || ifnull(quarantined, '') || ' ' || ifnull(is_rule, '') || ' ' || ifnull(rule_said_at, '') || ' ' || ifnull(commit_hash, '') || ' ' || ifnull(author, '');
CREATE TRIGGER observations_seal AFTER INSERT ON observations BEGIN
  UPDATE observations SET seal = ifnull(session_id, '') || ' ' || ifnull(project_id, '') || ' ' || ifnull(prompt_number, '') || ' ' || ifnull(origin, '') || ' ' || ifnull(trust, '') || ' ' || ifnull(pinned, '') || ' ' || ifnull(created_at_epoch, '') || ' ' || ifnull(provisional, '') || ' ' || ifnull(hidden_at, '') || ' ' || ifnull(wrong_at, '') || ' ' || ifnull(kept, '') || ' ' || ifnull(quarantined, '') || ' ' || ifnull(is_rule, '') || ' ' || ifnull(rule_said_at, '') || ' ' || ifnull(commit_hash, '') || ' ' || ifnull(author, '') WHERE id = NEW.id;
END;
CREATE TRIGGER observations_seal_again AFTER UPDATE OF session_id, project_id, prompt_number, origin, trust, pinned, created_at_epoch, provisional, hidden_at, wrong_at, kept, quarantined, is_rule, rule_said_at, commit_hash, author ON observations BEGIN
  UPDATE observations SET seal = ifnull(session_id, '') || ' ' || ifnull(project_id, '') || ' ' || ifnull(prompt_number, '') || ' ' || ifnull(origin, '') || ' ' || ifnull(trust, '') || ' ' || ifnull(pinned, '') || ' ' || ifnull(created_at_epoch, '') || ' ' || ifnull(provisional, '') || ' ' || ifnull(hidden_at, '') || ' ' || ifnull(wrong_at, '') || ' ' || ifnull(kept, '') || ' ' || ifnull(quarantined, '') || ' ' || ifnull(is_rule, '') || ' ' || ifnull(rule_said_at, '') || ' ' || ifnull(commit_hash, '') || ' ' || ifnull(author, '') WHERE id = NEW.id;
END;

ALTER TABLE summaries ADD COLUMN seal TEXT;
UPDATE summaries SET seal = ifnull(session_id, '') || ' ' || ifnull(project_id, '') || ' ' || ifnull(prompt_number, '') || ' ' || ifnull(created_at_epoch, '') || ' ' || ifnull(provisional, '') || ' ' || ifnull(hidden_at, '');
CREATE TRIGGER summaries_seal AFTER INSERT ON summaries BEGIN
  UPDATE summaries SET seal = ifnull(session_id, '') || ' ' || ifnull(project_id, '') || ' ' || ifnull(prompt_number, '') || ' ' || ifnull(created_at_epoch, '') || ' ' || ifnull(provisional, '') || ' ' || ifnull(hidden_at, '') WHERE id = NEW.id;
END;
CREATE TRIGGER summaries_seal_again AFTER UPDATE OF session_id, project_id, prompt_number, created_at_epoch, provisional, hidden_at ON summaries BEGIN
  UPDATE summaries SET seal = ifnull(session_id, '') || ' ' || ifnull(project_id, '') || ' ' || ifnull(prompt_number, '') || ' ' || ifnull(created_at_epoch, '') || ' ' || ifnull(provisional, '') || ' ' || ifnull(hidden_at, '') WHERE id = NEW.id;
END;

CREATE TRIGGER turns_seal AFTER INSERT ON turns BEGIN
  UPDATE turns SET seal = ifnull(session_id, '') || ' ' || ifnull(prompt_number, '') || ' ' || ifnull(started_at_epoch, '') || ' ' || ifnull(ended_at_epoch, '') WHERE id = NEW.id;
END;
CREATE TRIGGER turns_seal_again AFTER UPDATE OF session_id, prompt_number, started_at_epoch, ended_at_epoch ON turns BEGIN
  UPDATE turns SET seal = ifnull(session_id, '') || ' ' || ifnull(prompt_number, '') || ' ' || ifnull(started_at_epoch, '') || ' ' || ifnull(ended_at_epoch, '') WHERE id = NEW.id;
END;

-- Memories on several machines: by what each is known elsewhere, and when each of its fields was last changed. No words of any memory.
-- Triggers note what changed, and only where a hub is used.
CREATE TABLE sync_state (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- `content`: by what a memory that has gone was known last, so that the tombstones can be asked whether it was forgotten.
CREATE TABLE sync_changes (seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, ref TEXT NOT NULL, content TEXT, UNIQUE (kind, ref)) STRICT;

CREATE TABLE sync_records (
  space TEXT NOT NULL,
  entity TEXT NOT NULL,
  kind TEXT NOT NULL,
  ref TEXT NOT NULL,
  record TEXT,
  clocks TEXT NOT NULL,
  hashes TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('live','withdrawn','forgotten')),
  author TEXT,
  pending INTEGER,
  pending_at INTEGER,
  waiting TEXT,
  PRIMARY KEY (space, entity)
) STRICT, WITHOUT ROWID;
CREATE INDEX sync_records_of_row ON sync_records (kind, ref);
CREATE INDEX sync_records_pending ON sync_records (space, pending) WHERE pending IS NOT NULL;
CREATE INDEX sync_records_waiting ON sync_records (space) WHERE waiting IS NOT NULL;

CREATE TRIGGER observations_sync_new AFTER INSERT ON observations WHEN EXISTS (SELECT 1 FROM sync_state WHERE name = 'device') BEGIN
  INSERT OR IGNORE INTO sync_changes (kind, ref) VALUES ('observation', NEW.id);
END;
CREATE TRIGGER observations_sync_change AFTER UPDATE OF hash, project_id, pinned, wrong_at, kept, is_rule, hidden_at, provisional ON observations
WHEN EXISTS (SELECT 1 FROM sync_state WHERE name = 'device') BEGIN
  INSERT OR IGNORE INTO sync_changes (kind, ref) VALUES ('observation', NEW.id);
END;
CREATE TRIGGER observations_sync_gone AFTER DELETE ON observations
WHEN EXISTS (SELECT 1 FROM sync_state WHERE name = 'device') AND NOT EXISTS (SELECT 1 FROM sync_state WHERE name = 'expiring') BEGIN
  INSERT INTO sync_changes (kind, ref, content) VALUES ('observation', OLD.id, OLD.hash)
    ON CONFLICT (kind, ref) DO UPDATE SET content = excluded.content;
END;

CREATE TRIGGER summaries_sync_new AFTER INSERT ON summaries WHEN EXISTS (SELECT 1 FROM sync_state WHERE name = 'device') BEGIN
  INSERT OR IGNORE INTO sync_changes (kind, ref) VALUES ('summary', NEW.id);
END;
CREATE TRIGGER summaries_sync_change AFTER UPDATE OF hash, project_id, hidden_at, provisional ON summaries
WHEN EXISTS (SELECT 1 FROM sync_state WHERE name = 'device') BEGIN
  INSERT OR IGNORE INTO sync_changes (kind, ref) VALUES ('summary', NEW.id);
END;
CREATE TRIGGER summaries_sync_gone AFTER DELETE ON summaries
WHEN EXISTS (SELECT 1 FROM sync_state WHERE name = 'device') AND NOT EXISTS (SELECT 1 FROM sync_state WHERE name = 'expiring') BEGIN
  INSERT INTO sync_changes (kind, ref, content) VALUES ('summary', OLD.id, OLD.hash)
    ON CONFLICT (kind, ref) DO UPDATE SET content = excluded.content;
END;

CREATE TRIGGER turns_sync_new AFTER INSERT ON turns WHEN EXISTS (SELECT 1 FROM sync_state WHERE name = 'device') BEGIN
  INSERT OR IGNORE INTO sync_changes (kind, ref)
  SELECT 'turn', id FROM prompts WHERE session_id = NEW.session_id AND prompt_number = NEW.prompt_number;
END;
CREATE TRIGGER turns_sync_change AFTER UPDATE OF hash ON turns WHEN EXISTS (SELECT 1 FROM sync_state WHERE name = 'device') BEGIN
  INSERT OR IGNORE INTO sync_changes (kind, ref)
  SELECT 'turn', id FROM prompts WHERE session_id = NEW.session_id AND prompt_number = NEW.prompt_number;
END;
CREATE TRIGGER turns_sync_gone AFTER DELETE ON turns
WHEN EXISTS (SELECT 1 FROM sync_state WHERE name = 'device') AND NOT EXISTS (SELECT 1 FROM sync_state WHERE name = 'expiring') BEGIN
  INSERT OR IGNORE INTO sync_changes (kind, ref)
  SELECT 'turn', id FROM prompts WHERE session_id = OLD.session_id AND prompt_number = OLD.prompt_number;
END;
CREATE TRIGGER prompts_sync_change AFTER UPDATE OF text, hidden_at ON prompts
WHEN EXISTS (SELECT 1 FROM sync_state WHERE name = 'device') BEGIN
  INSERT OR IGNORE INTO sync_changes (kind, ref) VALUES ('turn', NEW.id);
END;
CREATE TRIGGER prompts_sync_gone AFTER DELETE ON prompts
WHEN EXISTS (SELECT 1 FROM sync_state WHERE name = 'device') AND NOT EXISTS (SELECT 1 FROM sync_state WHERE name = 'expiring') BEGIN
  INSERT OR IGNORE INTO sync_changes (kind, ref) VALUES ('turn', OLD.id);
END;

CREATE TRIGGER replacements_sync_new AFTER INSERT ON replacements WHEN EXISTS (SELECT 1 FROM sync_state WHERE name = 'device') BEGIN
  INSERT OR IGNORE INTO sync_changes (kind, ref) VALUES ('replaced', NEW.id);
END;
CREATE TRIGGER replacements_sync_change AFTER UPDATE OF certain, made_by, both_hold ON replacements
WHEN EXISTS (SELECT 1 FROM sync_state WHERE name = 'device') BEGIN
  INSERT OR IGNORE INTO sync_changes (kind, ref) VALUES ('replaced', NEW.id);
END;
CREATE TRIGGER replacements_sync_gone AFTER DELETE ON replacements WHEN EXISTS (SELECT 1 FROM sync_state WHERE name = 'device') BEGIN
  INSERT OR IGNORE INTO sync_changes (kind, ref) VALUES ('replaced', OLD.id);
END;

CREATE TRIGGER tombstones_sync_new AFTER INSERT ON tombstones WHEN EXISTS (SELECT 1 FROM sync_state WHERE name = 'device') BEGIN
  INSERT OR IGNORE INTO sync_changes (kind, ref) VALUES ('tombstone', NEW.kind || ':' || NEW.hash);
END;
CREATE TRIGGER tombstones_sync_gone AFTER DELETE ON tombstones WHEN EXISTS (SELECT 1 FROM sync_state WHERE name = 'device') BEGIN
  INSERT OR IGNORE INTO sync_changes (kind, ref) VALUES ('tombstone', OLD.kind || ':' || OLD.hash);
END;

CREATE TRIGGER distrusted_sync_new AFTER INSERT ON distrusted WHEN EXISTS (SELECT 1 FROM sync_state WHERE name = 'device') BEGIN
  INSERT OR IGNORE INTO sync_changes (kind, ref) VALUES ('blocked', NEW.source);
END;
CREATE TRIGGER distrusted_sync_gone AFTER DELETE ON distrusted WHEN EXISTS (SELECT 1 FROM sync_state WHERE name = 'device') BEGIN
  INSERT OR IGNORE INTO sync_changes (kind, ref) VALUES ('blocked', OLD.source);
END;

CREATE TRIGGER project_aliases_sync_new AFTER INSERT ON project_aliases WHEN EXISTS (SELECT 1 FROM sync_state WHERE name = 'device') BEGIN
  INSERT OR IGNORE INTO sync_changes (kind, ref) VALUES ('alias', NEW.key);
END;
CREATE TRIGGER project_aliases_sync_gone AFTER DELETE ON project_aliases WHEN EXISTS (SELECT 1 FROM sync_state WHERE name = 'device') BEGIN
  INSERT OR IGNORE INTO sync_changes (kind, ref) VALUES ('alias', OLD.key);
END;

-- Where a memory belongs is sent with it.
CREATE TRIGGER projects_sync_change AFTER UPDATE OF key, name, first_commit ON projects
WHEN EXISTS (SELECT 1 FROM sync_state WHERE name = 'device') BEGIN
  INSERT OR IGNORE INTO sync_changes (kind, ref) SELECT 'observation', id FROM observations WHERE project_id = NEW.id;
  INSERT OR IGNORE INTO sync_changes (kind, ref) SELECT 'summary', id FROM summaries WHERE project_id = NEW.id;
END;
