-- What a question listed by number, kept with its answer: only what was listed can be said to be replaced or done.
-- A rebuild uses the answers of a model again, and must know which decisions and steps it was asked about.

-- {"decisions": [ids], "steps": [ids]}; NULL before there were any.
ALTER TABLE model_calls ADD COLUMN listed TEXT;
