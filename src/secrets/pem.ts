// Private keys in their armour: PEM, OpenSSH, PGP, SSH2 and PuTTY files, whole or cut.
import type { Scan, Span } from './span.ts';

const KIND = 'private-key';
const BEGIN = /-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}/y;
const END = /-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}/g;
// How far from a header or footer the key itself must show, whatever line numbers, diff signs or escapes stand between.
const NEAR = 200;

/** From a BEGIN to its END, or to the end of the text when that was cut off. A header quoted in code is no key. */
export function findPemHead({ text }: Scan, at: number): Span | null {
  const start = startOfDashes(text, at);
  BEGIN.lastIndex = start;
  if (!BEGIN.test(text)) return null;
  const body = BEGIN.lastIndex;
  const near = text.slice(body, body + NEAR);
  const isCut = body + NEAR > text.length && !near.includes('-END ') && !near.includes('- END ');
  if (isCut ? /^["'`)]/.test(near) : !hasKeyText(near.split('END ', 1)[0] ?? '')) return null;
  // Only now may the search go far: what it passes over is taken, so no text is searched twice.
  END.lastIndex = body;
  return { from: start, to: END.test(text) ? END.lastIndex : text.length, kind: KIND, hashed: true };
}

/** From the start of the text to an END whose BEGIN was cut off. */
export function findPemTail({ text }: Scan, at: number): Span | null {
  const start = startOfDashes(text, at);
  END.lastIndex = start;
  const end = END.exec(text.slice(0, start + 120));
  if (end === null || end.index !== start || !hasKeyText(text.slice(Math.max(0, start - NEAR), start))) return null;
  return { from: 0, to: start + end[0].length, kind: KIND, hashed: true };
}

/** The private half of a PuTTY file. */
export function findPutty({ text }: Scan, at: number): Span | null {
  const mac = text.indexOf('Private-MAC:', at);
  return { from: at, to: mac < 0 ? text.length : mac, kind: KIND, hashed: true };
}

function startOfDashes(text: string, at: number): number {
  const dashesEnd = text.charAt(at - 1) === ' ' ? at - 1 : at;
  let start = dashesEnd;
  // At most five: one more may be the sign of a removed line in a diff.
  while (dashesEnd - start < 5 && text.charAt(start - 1) === '-') start--;
  return start;
}

function hasKeyText(near: string): boolean {
  if (/Proc-Type:|DEK-Info:|Version:|Comment:|Subject:/.test(near)) return true;
  const runs = near.match(/[A-Za-z0-9+/=]{16,}/g) ?? [];
  return runs.some((run) => /\d/.test(run) && /[A-Z]/.test(run) && /[a-z]/.test(run));
}
