-- Memories on several machines: by what each is known elsewhere, and when each of its fields was last changed. No words of any memory.
-- Triggers note what changed, and only where a hub is used.

CREATE TABLE sync_state (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE sync_changes (seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, ref TEXT NOT NULL, UNIQUE (kind, ref)) STRICT;

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
  INSERT OR IGNORE INTO sync_changes (kind, ref) VALUES ('observation', OLD.id);
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
  INSERT OR IGNORE INTO sync_changes (kind, ref) VALUES ('summary', OLD.id);
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
