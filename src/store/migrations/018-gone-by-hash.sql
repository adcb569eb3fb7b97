-- By what a memory that has gone was known last: whether it was forgotten is asked of the tombstones, also where it was edited right before.

ALTER TABLE sync_changes ADD COLUMN content TEXT;

DROP TRIGGER observations_sync_gone;
CREATE TRIGGER observations_sync_gone AFTER DELETE ON observations
WHEN EXISTS (SELECT 1 FROM sync_state WHERE name = 'device') AND NOT EXISTS (SELECT 1 FROM sync_state WHERE name = 'expiring') BEGIN
  INSERT INTO sync_changes (kind, ref, content) VALUES ('observation', OLD.id, OLD.hash)
    ON CONFLICT (kind, ref) DO UPDATE SET content = excluded.content;
END;

DROP TRIGGER summaries_sync_gone;
CREATE TRIGGER summaries_sync_gone AFTER DELETE ON summaries
WHEN EXISTS (SELECT 1 FROM sync_state WHERE name = 'device') AND NOT EXISTS (SELECT 1 FROM sync_state WHERE name = 'expiring') BEGIN
  INSERT INTO sync_changes (kind, ref, content) VALUES ('summary', OLD.id, OLD.hash)
    ON CONFLICT (kind, ref) DO UPDATE SET content = excluded.content;
END;
