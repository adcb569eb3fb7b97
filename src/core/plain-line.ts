// A stored text made safe to show: one line, no tags, nothing invisible, nothing secret.
import { scrubSecrets } from './secrets/scrub.ts';

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Default_Ignorable_Code_Point}]+/gu;

/** For a model: nothing that was stored can open or close a tag. */
export const plainLine = (text: string, max: number) => readableLine(text, max).replaceAll('<', '&lt;');

/** For a person's terminal: the same, with `<` as it is. */
export function readableLine(text: string, max: number): string {
  // Stored text was scrubbed at the door; what a newer rule finds must not leave either.
  const line = scrubSecrets(text.slice(0, max * 4))
    .text.replace(/\s+/g, ' ')
    .replace(INVISIBLE, '')
    .replaceAll('```', "'''")
    .trim()
    .toWellFormed();
  return line.length > max ? `${cutAtWord(line, max - 1)}…` : line;
}

function cutAtWord(line: string, max: number): string {
  const space = line.lastIndexOf(' ', max);
  return line.slice(0, space > max * 0.6 ? space : max).toWellFormed();
}
