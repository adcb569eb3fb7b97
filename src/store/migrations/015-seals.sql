-- A row says twice whose it is and what it counts for: where the two differ, the row is not what was stored.
-- The hash of a row covers its words, not its session, its trust or its pin.

ALTER TABLE observations ADD COLUMN seal TEXT;
UPDATE observations SET seal = ifnull(session_id, '') || ' ' || ifnull(project_id, '') || ' ' || ifnull(prompt_number, '') || ' ' || ifnull(origin, '') || ' ' || ifnull(trust, '') || ' ' || ifnull(pinned, '') || ' ' || ifnull(created_at_epoch, '') || ' ' || ifnull(provisional, '') || ' ' || ifnull(hidden_at, '') || ' ' || ifnull(wrong_at, '') || ' ' || ifnull(kept, '') || ' ' || ifnull(quarantined, '') || ' ' || ifnull(is_rule, '') || ' ' || ifnull(rule_said_at, '') || ' ' || ifnull(commit_hash, '');
CREATE TRIGGER observations_seal AFTER INSERT ON observations BEGIN
  UPDATE observations SET seal = ifnull(session_id, '') || ' ' || ifnull(project_id, '') || ' ' || ifnull(prompt_number, '') || ' ' || ifnull(origin, '') || ' ' || ifnull(trust, '') || ' ' || ifnull(pinned, '') || ' ' || ifnull(created_at_epoch, '') || ' ' || ifnull(provisional, '') || ' ' || ifnull(hidden_at, '') || ' ' || ifnull(wrong_at, '') || ' ' || ifnull(kept, '') || ' ' || ifnull(quarantined, '') || ' ' || ifnull(is_rule, '') || ' ' || ifnull(rule_said_at, '') || ' ' || ifnull(commit_hash, '') WHERE id = NEW.id;
END;
CREATE TRIGGER observations_seal_again AFTER UPDATE OF session_id, project_id, prompt_number, origin, trust, pinned, created_at_epoch, provisional, hidden_at, wrong_at, kept, quarantined, is_rule, rule_said_at, commit_hash ON observations BEGIN
  UPDATE observations SET seal = ifnull(session_id, '') || ' ' || ifnull(project_id, '') || ' ' || ifnull(prompt_number, '') || ' ' || ifnull(origin, '') || ' ' || ifnull(trust, '') || ' ' || ifnull(pinned, '') || ' ' || ifnull(created_at_epoch, '') || ' ' || ifnull(provisional, '') || ' ' || ifnull(hidden_at, '') || ' ' || ifnull(wrong_at, '') || ' ' || ifnull(kept, '') || ' ' || ifnull(quarantined, '') || ' ' || ifnull(is_rule, '') || ' ' || ifnull(rule_said_at, '') || ' ' || ifnull(commit_hash, '') WHERE id = NEW.id;
END;

ALTER TABLE summaries ADD COLUMN seal TEXT;
UPDATE summaries SET seal = ifnull(session_id, '') || ' ' || ifnull(project_id, '') || ' ' || ifnull(prompt_number, '') || ' ' || ifnull(created_at_epoch, '') || ' ' || ifnull(provisional, '') || ' ' || ifnull(hidden_at, '');
CREATE TRIGGER summaries_seal AFTER INSERT ON summaries BEGIN
  UPDATE summaries SET seal = ifnull(session_id, '') || ' ' || ifnull(project_id, '') || ' ' || ifnull(prompt_number, '') || ' ' || ifnull(created_at_epoch, '') || ' ' || ifnull(provisional, '') || ' ' || ifnull(hidden_at, '') WHERE id = NEW.id;
END;
CREATE TRIGGER summaries_seal_again AFTER UPDATE OF session_id, project_id, prompt_number, created_at_epoch, provisional, hidden_at ON summaries BEGIN
  UPDATE summaries SET seal = ifnull(session_id, '') || ' ' || ifnull(project_id, '') || ' ' || ifnull(prompt_number, '') || ' ' || ifnull(created_at_epoch, '') || ' ' || ifnull(provisional, '') || ' ' || ifnull(hidden_at, '') WHERE id = NEW.id;
END;

ALTER TABLE turns ADD COLUMN seal TEXT;
UPDATE turns SET seal = ifnull(session_id, '') || ' ' || ifnull(prompt_number, '') || ' ' || ifnull(started_at_epoch, '') || ' ' || ifnull(ended_at_epoch, '');
CREATE TRIGGER turns_seal AFTER INSERT ON turns BEGIN
  UPDATE turns SET seal = ifnull(session_id, '') || ' ' || ifnull(prompt_number, '') || ' ' || ifnull(started_at_epoch, '') || ' ' || ifnull(ended_at_epoch, '') WHERE id = NEW.id;
END;
CREATE TRIGGER turns_seal_again AFTER UPDATE OF session_id, prompt_number, started_at_epoch, ended_at_epoch ON turns BEGIN
  UPDATE turns SET seal = ifnull(session_id, '') || ' ' || ifnull(prompt_number, '') || ' ' || ifnull(started_at_epoch, '') || ' ' || ifnull(ended_at_epoch, '') WHERE id = NEW.id;
END;
