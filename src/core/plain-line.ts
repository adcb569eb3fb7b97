// A stored text made safe to show or to hand to a model: nothing that ends or begins a frame of ours, nothing invisible, nothing secret.
import { scrubSecrets } from '../secrets/scrub.ts';
import { hashParts } from './ids.ts';
import { cleanPayload } from './payload.ts';
import { defuseTags } from './privacy.ts';
import { oneLine } from './text.ts';

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Default_Ignorable_Code_Point}]+/gu;

export function plainLine(text: string, max: number): string {
  // Stored text was scrubbed at the door; what a newer rule finds must not leave either.
  const line = scrubSecrets(text.slice(0, max * 4))
    .text.replace(/\s+/g, ' ')
    .replace(INVISIBLE, '')
    .replaceAll('```', "'''");
  return defuseTags(oneLine(line, max).toWellFormed());
}

/** The same for a text whose lines matter, such as code: blanks, fences and empty lines stay. */
export function plainLines(text: string): string[] {
  const lines = scrubSecrets(text)
    .text.split(/\r?\n/)
    .map((line) => line.replaceAll('\t', '  ').replace(INVISIBLE, '').trimEnd());
  // As a whole: a tag may stand over two lines.
  return defuseTags(lines.join('\n')).toWellFormed().split('\n');
}

/** Delimited by a tag whose nonce depends on everything inside; no tag of ours can stand inside, not even over two lines. */
export function quote(lines: string[]): string {
  const body = defuseTags(lines.join('\n').trim());
  const nonce = hashParts([body]).slice(0, 8);
  return `<claude-mem-context id="${nonce}">\n${body}\n</claude-mem-context>`;
}

/** A text from a person, made fit to keep the same way as everything that a hook brings. */
export function makeClean(text: string): string {
  const { value } = cleanPayload(text);
  return typeof value === 'string' ? scrubSecrets(value).text.trim() : '';
}
