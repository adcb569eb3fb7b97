-- The past: how far each transcript was read, what the git log said, which projects are one, and what a person had the worker do.
-- What no hook delivered is read from transcripts, what happened before from the git log and other stores, and a project stays one when it moves.

-- A session's file, or one of its subagents'.
CREATE TABLE transcripts (
  path TEXT PRIMARY KEY,
  host TEXT NOT NULL,
  host_session_id TEXT NOT NULL,
  -- NULL for the session's own.
  agent_id TEXT,
  -- All before it is dealt with: kept, or left out for a reason that stands.
  position INTEGER NOT NULL DEFAULT 0,
  -- The file as it was when it was read last: nothing is new while it is the same.
  size INTEGER NOT NULL DEFAULT 0,
  mtime INTEGER NOT NULL DEFAULT 0,
  -- It was read as one that nothing more is written to.
  is_over INTEGER NOT NULL DEFAULT 0,
  -- A hash of how it begins: another file may stand under the same name.
  beginning TEXT NOT NULL DEFAULT '',
  read_at_epoch INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX transcripts_of_session ON transcripts(host_session_id);
-- What was said is known again by its prompt, whichever way it came.
CREATE INDEX events_said ON events(prompt_id, kind) WHERE kind IN ('prompt','stop','subagent','compaction');

-- What a person asked the worker to do, and how far it is.
CREATE TABLE jobs (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  parameters TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('waiting','running','done','failed','cancelled')),
  -- JSON: see core/job.ts.
  progress TEXT NOT NULL DEFAULT '{}',
  result TEXT,
  error TEXT,
  created_at TEXT NOT NULL,
  created_at_epoch INTEGER NOT NULL,
  ended_at_epoch INTEGER
) STRICT;
CREATE INDEX jobs_open ON jobs(id) WHERE status IN ('waiting','running');

-- Commits of a project that became memories. One that was amended or rebased takes the place of the old one.
CREATE TABLE commits (
  project_id INTEGER NOT NULL REFERENCES projects(id),
  hash TEXT NOT NULL,
  -- NULL: left out, or its memory was forgotten. It does not come back.
  observation_id INTEGER REFERENCES observations(id) ON DELETE SET NULL,
  author_at_epoch INTEGER NOT NULL,
  -- The commit that this one takes back.
  reverts TEXT,
  -- When it was first read here; 0 for those of a first reading, which are no news.
  read_at_epoch INTEGER NOT NULL DEFAULT 0,
  -- By whoever works here. NULL: nobody knows.
  is_own INTEGER,
  -- A chore without a word about it: counted, and never told.
  is_routine INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (project_id, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX commits_of_observation ON commits(observation_id) WHERE observation_id IS NOT NULL;
CREATE INDEX commits_by_time ON commits(project_id, author_at_epoch);
CREATE INDEX commits_by_reading ON commits(project_id, read_at_epoch) WHERE read_at_epoch > 0;
-- Where the log of a work tree was read up to.
CREATE TABLE git_logs (
  root TEXT PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES projects(id),
  head TEXT NOT NULL,
  read_at_epoch INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- The commit that a memory's change went into.
ALTER TABLE observations ADD COLUMN commit_hash TEXT;
CREATE INDEX observations_of_commit ON observations(project_id, commit_hash) WHERE commit_hash IS NOT NULL;

-- Other keys of a project: where it was before it moved, the remote it was given, what was merged into it.
CREATE TABLE project_aliases (
  key TEXT PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX aliases_of_project ON project_aliases(project_id);
-- The first commit of its history: a moved repository is known by it. NULL: not known, or no git.
ALTER TABLE projects ADD COLUMN first_commit TEXT;
-- A person gave it its name.
ALTER TABLE projects ADD COLUMN is_renamed INTEGER NOT NULL DEFAULT 0;
CREATE INDEX projects_by_first_commit ON projects(first_commit) WHERE first_commit IS NOT NULL;
