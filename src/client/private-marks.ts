// What lies under a private prompt is not even spooled: the hook marks such prompts itself, because no worker may be there to know.
import { closeSync, constants, lstatSync, mkdirSync, openSync, rmSync } from 'node:fs';
import type { Envelope } from '../core/envelope.ts';
import { endMarks, markAbove, marksOf } from '../core/private-mark.ts';
import { requireOwnFolders } from '../own-files.ts';
import type { Paths } from '../paths.ts';

const { O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;

/** Before the prompt is delivered: the worker may be gone when its first tool comes. */
export function markPrivate(paths: Paths, envelope: Envelope): void {
  requireOwnFolders(paths);
  const { privateMarks } = paths;
  mkdirSync(privateMarks, { recursive: true, mode: 0o700 });
  for (const mark of marksOf(envelope)) touch(`${privateMarks}/${mark}`);
}

const touch = (path: string) => closeSync(openSync(path, O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600));

/** The transcript brings it, if it is not private after all. */
export function isUnderPrivate({ privateMarks }: Paths, envelope: Envelope): boolean {
  const mark = markAbove(envelope);
  return mark !== null && lstatSync(`${privateMarks}/${mark}`, { throwIfNoEntry: false }) !== undefined;
}

/** A prompt that is not private ends what had no prompt of its own to name. */
export function endPrivate({ privateMarks }: Paths, envelope: Envelope): void {
  const marks = endMarks(envelope);
  if (!marks || !lstatSync(`${privateMarks}/${marks.gone}`, { throwIfNoEntry: false })) return;
  touch(`${privateMarks}/${marks.left}`);
  rmSync(`${privateMarks}/${marks.gone}`, { force: true });
}
