-- A person's word on what is a rule stays, whatever is derived again.
-- What a person made a rule, or said is none, was not told from what was read out of a prompt.

-- Epoch ms; NULL where nobody has said whether it is one.
ALTER TABLE observations ADD COLUMN rule_said_at INTEGER;
