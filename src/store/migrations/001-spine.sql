-- The first schema: sessions, what happened in them, and what was made of it.
-- The loop needs a queue that survives, memories with their evidence, and a record of what each session was told.

CREATE TABLE projects (
  id INTEGER PRIMARY KEY,
  -- The normalised remote, or the canonical root of a repository without one: worktrees and clones are one project.
  key TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  root TEXT NOT NULL,
  remote TEXT,
  created_at TEXT NOT NULL
) STRICT;

CREATE TABLE sessions (
  id INTEGER PRIMARY KEY,
  host TEXT NOT NULL,
  -- The host's own id: the source of truth, never invented.
  host_session_id TEXT NOT NULL UNIQUE,
  project_id INTEGER NOT NULL REFERENCES projects(id),
  cwd TEXT NOT NULL,
  -- The work tree's root, which may be another one than the project's.
  root TEXT NOT NULL,
  branch TEXT,
  title TEXT,
  subtitle TEXT,
  first_prompt TEXT,
  prompt_counter INTEGER NOT NULL DEFAULT 0,
  end_reason TEXT,
  started_at TEXT NOT NULL,
  started_at_epoch INTEGER NOT NULL,
  updated_at TEXT NOT NULL,
  updated_at_epoch INTEGER NOT NULL,
  completed_at TEXT,
  completed_at_epoch INTEGER,
  status TEXT NOT NULL CHECK (status IN ('initialized','active','summarizing','completed','interrupted','failed'))
) STRICT;
CREATE INDEX sessions_by_project ON sessions(project_id, updated_at_epoch);
CREATE INDEX sessions_by_status ON sessions(status, updated_at_epoch);

CREATE TABLE prompts (
  id INTEGER PRIMARY KEY,
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  prompt_number INTEGER NOT NULL,
  prompt_id TEXT,
  -- Empty and private: the marker of a prompt that was nothing but private text.
  text TEXT NOT NULL,
  private INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  created_at_epoch INTEGER NOT NULL,
  UNIQUE (session_id, prompt_number)
) STRICT;
CREATE INDEX prompts_by_prompt_id ON prompts(prompt_id) WHERE prompt_id IS NOT NULL;

-- The queue and the ledger. seq is the order of arrival.
CREATE TABLE events (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  tool_use_id TEXT,
  prompt_id TEXT,
  prompt_number INTEGER NOT NULL,
  -- JSON of the event; NULL once used and past its retention.
  payload TEXT,
  size INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending','claimed','done','skipped','quarantined')),
  attempts INTEGER NOT NULL DEFAULT 0,
  error TEXT,
  provenance TEXT NOT NULL,
  created_at TEXT NOT NULL,
  created_at_epoch INTEGER NOT NULL
) STRICT;
-- Over all sessions: a forked session repeats the tool uses of its parent.
CREATE UNIQUE INDEX events_once_by_tool_use ON events(tool_use_id, kind) WHERE tool_use_id IS NOT NULL;
CREATE INDEX events_pending ON events(session_id, seq) WHERE status = 'pending';
CREATE INDEX events_claimed ON events(seq) WHERE status = 'claimed';
CREATE INDEX events_quarantined ON events(seq) WHERE status = 'quarantined';
CREATE INDEX events_of_session ON events(session_id, seq);
CREATE INDEX events_with_payload ON events(created_at_epoch) WHERE payload IS NOT NULL;

CREATE TABLE observations (
  id INTEGER PRIMARY KEY,
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  project_id INTEGER NOT NULL REFERENCES projects(id),
  prompt_number INTEGER,
  type TEXT NOT NULL CHECK (type IN ('decision','bugfix','feature','refactor','discovery','change')),
  title TEXT,
  subtitle TEXT,
  narrative TEXT,
  facts TEXT NOT NULL DEFAULT '[]',
  concepts TEXT NOT NULL DEFAULT '[]',
  files_read TEXT NOT NULL DEFAULT '[]',
  files_modified TEXT NOT NULL DEFAULT '[]',
  outcome TEXT,
  origin TEXT NOT NULL,
  trust INTEGER NOT NULL,
  sources TEXT NOT NULL DEFAULT '[]',
  superseded_by INTEGER REFERENCES observations(id) ON DELETE SET NULL,
  pinned INTEGER NOT NULL DEFAULT 0,
  tokens INTEGER NOT NULL,
  hash TEXT NOT NULL,
  created_at TEXT NOT NULL,
  created_at_epoch INTEGER NOT NULL
) STRICT;
CREATE INDEX observations_recent ON observations(project_id, created_at_epoch);
CREATE INDEX observations_of_session ON observations(session_id);

CREATE TABLE summaries (
  id INTEGER PRIMARY KEY,
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  project_id INTEGER NOT NULL REFERENCES projects(id),
  prompt_number INTEGER,
  request TEXT,
  investigated TEXT,
  learned TEXT,
  completed TEXT,
  next_steps TEXT,
  files_read TEXT NOT NULL DEFAULT '[]',
  files_edited TEXT NOT NULL DEFAULT '[]',
  notes TEXT,
  hash TEXT NOT NULL,
  created_at TEXT NOT NULL,
  created_at_epoch INTEGER NOT NULL
) STRICT;
CREATE INDEX summaries_recent ON summaries(project_id, created_at_epoch);
CREATE INDEX summaries_of_session ON summaries(session_id);

-- What was spent on models, and the sessions that were our own observer's.
CREATE TABLE model_calls (
  id INTEGER PRIMARY KEY,
  session_id INTEGER REFERENCES sessions(id) ON DELETE SET NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  host_session_id TEXT,
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  status TEXT NOT NULL,
  answer TEXT,
  created_at TEXT NOT NULL,
  created_at_epoch INTEGER NOT NULL
) STRICT;
CREATE INDEX model_calls_by_host_session ON model_calls(host_session_id) WHERE host_session_id IS NOT NULL;

-- Which memory went into which session, and why.
CREATE TABLE injections (
  id INTEGER PRIMARY KEY,
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  observation_id INTEGER REFERENCES observations(id) ON DELETE CASCADE,
  summary_id INTEGER REFERENCES summaries(id) ON DELETE CASCADE,
  source TEXT NOT NULL,
  reason TEXT NOT NULL,
  created_at_epoch INTEGER NOT NULL
) STRICT;
CREATE INDEX injections_of_session ON injections(session_id);

-- What was forgotten must not come back: hashes only, never the text.
CREATE TABLE tombstones (
  kind TEXT NOT NULL CHECK (kind IN ('event','session','agent','text')),
  hash TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (kind, hash)
) STRICT, WITHOUT ROWID;

-- Every drop, truncation and refusal is counted: no silent failure.
CREATE TABLE counters (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL,
  updated_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The last inputs that could not be read, scrubbed and short, for whoever looks for the reason.
CREATE TABLE bad_inputs (
  id TEXT PRIMARY KEY,
  command TEXT NOT NULL,
  reason TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  head TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
