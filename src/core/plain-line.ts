// A stored text made safe to show or to hand to a model: nothing that ends or begins a frame of ours, nothing invisible, nothing secret.
import { scrubSecrets } from '../secrets/scrub.ts';
import { hashParts } from './ids.ts';
import { defuseTags } from './privacy.ts';

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Default_Ignorable_Code_Point}]+/gu;

export function plainLine(text: string, max: number): string {
  // Stored text was scrubbed at the door; what a newer rule finds must not leave either.
  const line = scrubSecrets(text.slice(0, max * 4))
    .text.replace(/\s+/g, ' ')
    .replace(INVISIBLE, '')
    .replaceAll('```', "'''")
    .trim()
    .toWellFormed();
  return defuseTags(line.length > max ? `${cutAtWord(line, max - 1)}…` : line);
}

/** The same for a text whose lines matter, such as code: blanks, fences and empty lines stay. */
export function plainLines(text: string): string[] {
  const lines = scrubSecrets(text)
    .text.split(/\r?\n/)
    .map((line) => line.replaceAll('\t', '  ').replace(INVISIBLE, '').trimEnd());
  // As a whole: a tag may stand over two lines.
  return defuseTags(lines.join('\n')).toWellFormed().split('\n');
}

function cutAtWord(line: string, max: number): string {
  const space = line.lastIndexOf(' ', max);
  return line.slice(0, space > max * 0.6 ? space : max).toWellFormed();
}

/** Delimited by a tag whose nonce depends on everything inside; no tag of ours can stand inside, not even over two lines. */
export function quote(lines: string[]): string {
  const body = defuseTags(lines.join('\n').trim());
  const nonce = hashParts([body]).slice(0, 8);
  return `<claude-mem-context id="${nonce}">\n${body}\n</claude-mem-context>`;
}
