-- What is no longer so: one relation between an older and a newer memory, in the place of a column of observations.
-- A column could say neither why and since when something is no longer so, nor that it only may be, nor say it of a turn.

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
