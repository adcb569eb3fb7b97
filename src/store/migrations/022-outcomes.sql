-- A later turn decides whether earlier work held; an outcome that changed could not say why or since when.

CREATE TABLE outcomes (
  observation_id INTEGER PRIMARY KEY REFERENCES observations(id) ON DELETE CASCADE,
  -- Whose turn said so last.
  prompt_id INTEGER NOT NULL REFERENCES prompts(id) ON DELETE CASCADE,
  why TEXT NOT NULL,
  -- By its own turn.
  was TEXT
) STRICT;
CREATE INDEX outcomes_by_prompt ON outcomes(prompt_id);
-- A forgotten prompt leaves its number behind.
CREATE TRIGGER prompts_empty_outcomes AFTER UPDATE OF text ON prompts WHEN new.text = '' BEGIN
  DELETE FROM outcomes WHERE prompt_id = old.id;
END;
