-- What the user said is found however much others said.
-- Each starting session walked through thousands of memories for the few that rest on the word of the user.

CREATE INDEX observations_by_user ON observations(project_id, created_at_epoch) WHERE origin = 'user';
