// The steps from an empty file to today's schema, each a file of SQL. A released step is never edited; 0.1.0 ended with the fifth.
/// <reference path="./sql.d.ts" />
import spine from './001-spine.sql' with { type: 'text' };
import model from './002-model.sql' with { type: 'text' };
import search from './003-search.sql' with { type: 'text' };
import context from './004-context.sql' with { type: 'text' };
import past from './005-past.sql' with { type: 'text' };
import olderSqlite from './006-older-sqlite.sql' with { type: 'text' };
import roots from './007-roots.sql' with { type: 'text' };
import turns from './008-turns.sql' with { type: 'text' };
import replacements from './009-replacements.sql' with { type: 'text' };
import openSteps from './010-open-steps.sql' with { type: 'text' };
import listed from './011-listed.sql' with { type: 'text' };
import rules from './012-rules.sql' with { type: 'text' };
import saidByUser from './013-said-by-user.sql' with { type: 'text' };
import keywords from './014-keywords.sql' with { type: 'text' };
import seals from './015-seals.sql' with { type: 'text' };
import oneIndexLess from './016-one-index-less.sql' with { type: 'text' };
import sync from './017-sync.sql' with { type: 'text' };
import goneByHash from './018-gone-by-hash.sql' with { type: 'text' };
import noStandIns from './019-no-stand-ins.sql' with { type: 'text' };
import documentMarks from './020-document-marks.sql' with { type: 'text' };

export type Migration = { version: number; sql: string };

const STEPS = [
  spine,
  model,
  search,
  context,
  past,
  olderSqlite,
  roots,
  turns,
  replacements,
  openSteps,
  listed,
  rules,
  saidByUser,
  keywords,
  seals,
  oneIndexLess,
  sync,
  goneByHash,
  noStandIns,
  documentMarks,
];

export const MIGRATIONS: Migration[] = STEPS.map((sql, at) => ({ version: at + 1, sql }));
