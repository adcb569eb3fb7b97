-- A memory of a project that stays on this machine is known to the log, and not sent.

-- The project that keeps it here. NULL: none.
ALTER TABLE sync_records ADD COLUMN held INTEGER;
CREATE INDEX sync_records_held ON sync_records (held, kind) WHERE held IS NOT NULL;
