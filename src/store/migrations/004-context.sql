-- What a session is told must be true: what each memory is about in the code, what people said of it, and what was told to whom.
-- A memory is checked against the code and against people before a session is told, and what was told can be shown again.

-- Where the repository stood when it was stored.
ALTER TABLE observations ADD COLUMN head TEXT;
ALTER TABLE observations ADD COLUMN branch TEXT;
-- What people say of it. Wrong: told to nobody, still found.
ALTER TABLE observations ADD COLUMN wrong_at TEXT;
ALTER TABLE observations ADD COLUMN edited_at TEXT;
-- A person said that it still holds: nothing marks it as superseded by itself.
ALTER TABLE observations ADD COLUMN kept INTEGER NOT NULL DEFAULT 0;
-- Words from outside that read like instructions: found with a flag, never told by themselves.
ALTER TABLE observations ADD COLUMN quarantined INTEGER NOT NULL DEFAULT 0;
CREATE INDEX observations_pinned ON observations(project_id, created_at_epoch) WHERE pinned = 1;
CREATE INDEX observations_superseded ON observations(superseded_by) WHERE superseded_by IS NOT NULL;

-- The files that a memory is about, as they were. Paths as the observation has them: relative to the work tree where they lie in it.
CREATE TABLE citations (
  observation_id INTEGER NOT NULL REFERENCES observations(id) ON DELETE CASCADE,
  project_id INTEGER NOT NULL,
  path TEXT NOT NULL,
  did TEXT NOT NULL CHECK (did IN ('changed','read')),
  -- Git's hash of the file's bytes when the memory was stored, and before its change. NULL: not known. '': it was not there.
  blob TEXT,
  before TEXT,
  -- Short hashes of the lines that were added and removed, as JSON lists: the part of the file that the memory is about.
  added TEXT NOT NULL DEFAULT '[]',
  removed TEXT NOT NULL DEFAULT '[]',
  PRIMARY KEY (observation_id, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX citations_by_path ON citations(project_id, path, observation_id);
INSERT OR IGNORE INTO citations (observation_id, project_id, path, did)
  SELECT o.id, o.project_id, file.value, 'changed' FROM observations o, json_each(CASE WHEN json_valid(o.files_modified) THEN o.files_modified ELSE '[]' END) AS file;
INSERT OR IGNORE INTO citations (observation_id, project_id, path, did)
  SELECT o.id, o.project_id, file.value, 'read' FROM observations o, json_each(CASE WHEN json_valid(o.files_read) THEN o.files_read ELSE '[]' END) AS file;

-- By what an error is known again (a hash), and the memory of what came of it.
CREATE TABLE error_marks (
  project_id INTEGER NOT NULL,
  mark TEXT NOT NULL,
  observation_id INTEGER NOT NULL REFERENCES observations(id) ON DELETE CASCADE,
  PRIMARY KEY (project_id, mark, observation_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX error_marks_of_observation ON error_marks(observation_id);

-- Whose memories are told to nobody: 'session:ID', 'origin:web', 'host:NAME'.
CREATE TABLE distrusted (
  source TEXT PRIMARY KEY,
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- When nothing is kept and nothing told. What arrives late is judged by when it happened.
CREATE TABLE silences (
  id INTEGER PRIMARY KEY,
  scope TEXT NOT NULL CHECK (scope IN ('everything','project','session')),
  -- The project's key or the host's session id; '' for everything.
  key TEXT NOT NULL,
  since_epoch INTEGER NOT NULL,
  -- NULL: until somebody ends it.
  until_epoch INTEGER
) STRICT;
CREATE INDEX silences_open ON silences(scope, key, until_epoch);

-- One for each time that a session was told something. Its lines are in injections.
CREATE TABLE tellings (
  id INTEGER PRIMARY KEY,
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  occasion TEXT NOT NULL CHECK (occasion IN ('start','first-prompt','edit','error')),
  -- A file, or the mark of an error: said once in a session.
  about TEXT,
  -- What the host says a session was started by; '' in the middle of it.
  source TEXT NOT NULL DEFAULT '',
  created_at_epoch INTEGER NOT NULL
) STRICT;
CREATE INDEX tellings_of_session ON tellings(session_id, occasion, about);
ALTER TABLE injections ADD COLUMN telling_id INTEGER REFERENCES tellings(id) ON DELETE CASCADE;
ALTER TABLE injections ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
-- Prompts can be told, too; and titles of sessions, whose text is looked up when it is shown again.
ALTER TABLE injections ADD COLUMN prompt_id INTEGER REFERENCES prompts(id) ON DELETE CASCADE;
ALTER TABLE injections ADD COLUMN listed_session_id INTEGER REFERENCES sessions(id) ON DELETE CASCADE;
-- As it was told; NULL once it is old. Goes with its memory.
ALTER TABLE injections ADD COLUMN text TEXT;
ALTER TABLE injections ADD COLUMN section TEXT NOT NULL DEFAULT '';
ALTER TABLE injections ADD COLUMN freshness TEXT;
CREATE INDEX injections_of_telling ON injections(telling_id, position);
CREATE INDEX injections_of_observation ON injections(observation_id) WHERE observation_id IS NOT NULL;
CREATE INDEX injections_of_summary ON injections(summary_id) WHERE summary_id IS NOT NULL;
CREATE INDEX injections_of_prompt ON injections(prompt_id) WHERE prompt_id IS NOT NULL;
CREATE INDEX injections_with_text ON injections(created_at_epoch) WHERE text IS NOT NULL;
