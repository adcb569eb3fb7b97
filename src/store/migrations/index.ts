// The steps from an empty file to today's schema. A released step is never edited.
import { spine } from './001-spine.ts';
import { model } from './002-model.ts';
import { search } from './003-search.ts';
import { context } from './004-context.ts';
import { past } from './005-past.ts';
import { olderSqlite } from './006-older-sqlite.ts';
import { roots } from './007-roots.ts';
import { turns } from './008-turns.ts';
import { replacements } from './009-replacements.ts';
import { openSteps } from './010-open-steps.ts';
import { listed } from './011-listed.ts';
import { rules } from './012-rules.ts';

export type Migration = { version: number; why: string; sql: string };

/** Two of its triggers cannot be read by SQLite before 3.51; step 6 makes them, and nothing comes in between. */
const searchWithoutThem = {
  ...search,
  sql: search.sql.replace(/CREATE TRIGGER documents_(?:added|left) [\s\S]*?\bEND;/g, ''),
};

export const MIGRATIONS: Migration[] = [
  spine,
  model,
  searchWithoutThem,
  context,
  past,
  olderSqlite,
  roots,
  turns,
  replacements,
  openSteps,
  listed,
  rules,
];
