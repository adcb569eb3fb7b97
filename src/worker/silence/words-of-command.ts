// The words of a shell command that may name a file. Best effort: no variable is filled in, no script is read.

/** A command that writes a whole file has more words than anybody names paths in. */
const MOST_WORDS = 2000;

export function wordsOfCommand(command: string): string[] {
  const words = new Set<string>();
  for (const [word] of command.matchAll(WORD)) {
    const plain = word.replace(/["']|\\(?=.)/g, '');
    for (const part of [plain, ...plain.split(/[=:,@]/)]) if (part !== '' && part !== '-') words.add(part);
    if (words.size > MOST_WORDS) break;
  }
  return [...words];
}

/** Between spaces and the signs that end a command, but a quoted part and an escaped character are one piece with their word. */
const WORD = /(?:"[^"]*"|'[^']*'|\\.|[^\s"'\\;|&<>()`{}])+/g;
