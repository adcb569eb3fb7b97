-- What is left to do lives until something ends it; which memories are rules of the user, and the steps of its turn that a memory rests on.
-- Open steps were read out of summaries again and again, and vanished with age instead of with a deed.

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
CREATE INDEX observations_rules ON observations(project_id, created_at_epoch) WHERE is_rule = 1;
