// The id of a new memory: one that no memory had before, also none that is gone.

/** An expression for an INSERT; NULL lets SQLite choose. */
export const nextId = (table: 'observations' | 'summaries' | 'prompts') =>
  `(SELECT last + 1 FROM id_marks WHERE name = '${table}' AND last >= (SELECT coalesce(max(id), 0) FROM ${table}))`;
