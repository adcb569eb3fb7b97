-- A rebuild made every document again to see that it was the same, which was a third of its time.

-- Of what it was made of, by which rules, and what came of it. NULL: not known.
ALTER TABLE documents ADD COLUMN mark TEXT;
