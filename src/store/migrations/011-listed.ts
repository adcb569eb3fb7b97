// What a question listed by number, kept with its answer: only what was listed can be said to be replaced or done.
import type { Migration } from './index.ts';

export const listed: Migration = {
  version: 11,
  why: 'A rebuild uses the answers of a model again, and must know which decisions and steps it was asked about.',
  sql: `
    -- {"decisions": [ids], "steps": [ids]}; NULL before there were any.
    ALTER TABLE model_calls ADD COLUMN listed TEXT;
  `,
};
