-- English keywords of a memory: what somebody would search for who does not know its language.
-- A memory in another language was found by its own words alone.

-- One line, by a model. NULL where none has said any.
ALTER TABLE observations ADD COLUMN keywords TEXT;
