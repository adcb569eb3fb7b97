// Turns of which all that was committed was taken back since: what they completed does not stand any more.

/** For SQL over summaries under this alias. */
export const isRevertedTurn = (alias: string) =>
  `(EXISTS (${committedIn(alias)} AND work.outcome = 'ruled-out') AND NOT EXISTS (${committedIn(alias)} AND work.outcome IS NOT 'ruled-out'))`;

const committedIn = (alias: string) => `SELECT 1 FROM observations work
  WHERE work.session_id = ${alias}.session_id AND work.prompt_number = ${alias}.prompt_number
    AND work.commit_hash IS NOT NULL AND work.origin <> 'commit' AND work.type <> 'discovery'`;

/** What it completed, if that stands. */
export const standingCompleted = (alias: string) =>
  `CASE WHEN ${isRevertedTurn(alias)} THEN NULL ELSE ${alias}.completed END`;
