// The beginning of a text as one line, for a title.

/** White space becomes single spaces; what is longer ends at a word, with an ellipsis. */
export function oneLine(text: string, max = 120): string {
  // A prompt may hold a whole file: no more of it is looked at than can be shown.
  const line = text
    .slice(0, max * 8)
    .replace(/\s+/g, ' ')
    .trim();
  if (line.length <= max) return line;
  const space = line.lastIndexOf(' ', max - 1);
  // Scripts without spaces are cut where they are.
  return `${line.slice(0, space > max * 0.6 ? space : max - 1).toWellFormed()}…`;
}
