// Columns as one text, for a SQLite that has no concat_ws yet (3.44).

/** What is NULL is left out, what is empty is not. The separator is one character. By bytes: substr ends a text at a NUL. */
export function joinTexts(columns: string, separator = 'char(10)'): string {
  const texts = columns.split(',').map((column) => `coalesce(${separator} || ${column.trim()}, '')`);
  return `CAST(substr(CAST(${texts.join(' || ')} AS BLOB), 2) AS TEXT)`;
}
