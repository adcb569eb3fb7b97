-- Where a project is known to lie: a remote is only a text that any folder can hold.
-- A known remote in another root is the same project only with proof.

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
