-- What a model observer needs: batches that outlive the worker, what was spent, and when to ask again.
-- A local result stands at once and a model may replace it later, over restarts, failures and a budget.

-- The events that were distilled together. Waiting: the local result is provisional until the model has answered.
CREATE TABLE batches (
  id INTEGER PRIMARY KEY,
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  prompt_number INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('waiting','done','quarantined')),
  -- Whose result stands.
  observer TEXT NOT NULL CHECK (observer IN ('local','model')),
  -- Why it is the local one, or why nothing was worth recording.
  reason TEXT,
  -- What was tried: failures that may pass, one request made smaller, one answer asked for again.
  failures INTEGER NOT NULL DEFAULT 0,
  shrunk INTEGER NOT NULL DEFAULT 0,
  repaired INTEGER NOT NULL DEFAULT 0,
  next_try_epoch INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  created_at_epoch INTEGER NOT NULL
) STRICT;
CREATE INDEX batches_waiting ON batches(id) WHERE status = 'waiting';
CREATE INDEX batches_of_session ON batches(session_id);
CREATE INDEX batches_without_budget ON batches(created_at_epoch) WHERE reason LIKE 'the budget of %';

ALTER TABLE events ADD COLUMN batch_id INTEGER REFERENCES batches(id) ON DELETE SET NULL;
CREATE INDEX events_of_batch ON events(batch_id) WHERE batch_id IS NOT NULL;
ALTER TABLE observations ADD COLUMN batch_id INTEGER REFERENCES batches(id) ON DELETE SET NULL;
ALTER TABLE observations ADD COLUMN provisional INTEGER NOT NULL DEFAULT 0;
CREATE INDEX observations_of_batch ON observations(batch_id) WHERE batch_id IS NOT NULL;
ALTER TABLE summaries ADD COLUMN batch_id INTEGER REFERENCES batches(id) ON DELETE SET NULL;
ALTER TABLE summaries ADD COLUMN provisional INTEGER NOT NULL DEFAULT 0;
CREATE INDEX summaries_of_batch ON summaries(batch_id) WHERE batch_id IS NOT NULL;

-- A call is written before it is made, with what it may cost at most: a crash cannot hide it from the budget.
ALTER TABLE model_calls ADD COLUMN batch_id INTEGER REFERENCES batches(id) ON DELETE SET NULL;
ALTER TABLE model_calls ADD COLUMN part TEXT NOT NULL DEFAULT '';
ALTER TABLE model_calls ADD COLUMN cached_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE model_calls ADD COLUMN error TEXT;
ALTER TABLE model_calls ADD COLUMN duration_ms INTEGER;
-- The process that answers and the mark in its environment, while it runs.
ALTER TABLE model_calls ADD COLUMN pid INTEGER;
ALTER TABLE model_calls ADD COLUMN mark TEXT;
CREATE INDEX model_calls_by_time ON model_calls(created_at_epoch);
CREATE INDEX model_calls_of_batch ON model_calls(batch_id) WHERE batch_id IS NOT NULL;
CREATE INDEX model_calls_of_session ON model_calls(session_id) WHERE session_id IS NOT NULL;
CREATE INDEX model_calls_started ON model_calls(id) WHERE status = 'started';

-- Until when a model is not asked, and why. One row for each way of asking: another key is another row.
CREATE TABLE model_pauses (
  access TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('transient','rate-limited','auth','unrecoverable')),
  until_epoch INTEGER NOT NULL,
  -- How often in a row.
  times INTEGER NOT NULL,
  message TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The highest ids that are gone: an id that somebody was told never comes to mean another memory.
CREATE TABLE id_marks (
  name TEXT PRIMARY KEY,
  last INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER observations_keep_ids AFTER DELETE ON observations BEGIN
  INSERT INTO id_marks VALUES ('observations', old.id) ON CONFLICT (name) DO UPDATE SET last = max(last, excluded.last);
END;
CREATE TRIGGER summaries_keep_ids AFTER DELETE ON summaries BEGIN
  INSERT INTO id_marks VALUES ('summaries', old.id) ON CONFLICT (name) DO UPDATE SET last = max(last, excluded.last);
END;

-- What the user was told or asked once.
CREATE TABLE notices (
  name TEXT PRIMARY KEY,
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
