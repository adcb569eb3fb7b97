// A word as a shell takes it, for a command that a person may copy.

export const quoteWord = (word: string) =>
  /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
