// When no worker answers: keep the envelope in a file of its own. Its own bundle, loaded on need.
import * as fs from 'node:fs';
import type { Envelope } from '../core/envelope.ts';
import { endMarks, markAbove, marksOf, nameSpooled } from '../core/envelope.ts';
import { lateNotice } from '../core/payload.ts';
import { requireOwnFolders, requireRoom } from '../own-files.ts';
import type { Paths } from '../paths.ts';
import { scrubValue } from '../secrets/scrub.ts';
import { createWorkClock } from './work-clock.ts';

const { O_WRONLY, O_CREAT, O_TRUNC, O_APPEND, O_NOFOLLOW, O_RDONLY } = fs.constants;

/** Returns once the envelope is safe on disk: temp file, synced, renamed. Secrets never reach it, nor what lies under a private prompt. */
export function spool(paths: Paths, envelope: Envelope, clock = createWorkClock()): void {
  requireOwnFolders(paths);
  // The transcript brings it, if it is not private after all.
  if (isMarked(paths, markAbove(envelope))) return;
  if (envelope.event === 'new' && !envelope.private) endPrivate(paths, envelope);
  fs.mkdirSync(paths.spool, { recursive: true, mode: 0o700 });
  requireRoom(paths.spool);
  const name = nameSpooled(envelope);
  const temp = `${paths.spool}/.${name}.${process.pid}`;
  clock.start();
  const { value: payload, isIncomplete } = scrubWithin(envelope.payload, clock.isOver);
  clock.stop();
  const bytes = Buffer.from(JSON.stringify({ ...envelope, payload, ...(isIncomplete && { incomplete: true }) }));
  try {
    withFile(temp, O_WRONLY | O_CREAT | O_TRUNC, (file) => {
      writeWhole(file, bytes);
      fs.fdatasyncSync(file);
    });
    fs.renameSync(temp, `${paths.spool}/${name}`);
  } catch (error) {
    fs.rmSync(temp, { force: true });
    throw error;
  }
  // Without this a power cut could forget the rename.
  withFile(paths.spool, O_RDONLY, fs.fsyncSync);
}

/** Counts an event that could not be kept, by one byte more in a file that has its place on the disk already. Never throws. */
export function noteLost(paths: Paths): void {
  try {
    requireOwnFolders(paths);
    withFile(paths.notKept, O_WRONLY | O_CREAT | O_APPEND, (file) => fs.writeSync(file, fs.fstatSync(file).size === 0 ? '..' : '.'));
  } catch {
    // Nothing at all can be written there: the next session hears why.
  }
}

/** Never through a link: another could have put it there. */
function withFile(path: string, flags: number, use: (file: number) => unknown): void {
  const file = fs.openSync(path, flags | O_NOFOLLOW, 0o600);
  try {
    use(file);
  } finally {
    fs.closeSync(file);
  }
}

/** A full disk shows as a short count, not as an error: insist. */
function writeWhole(file: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) {
    const count = fs.writeSync(file, bytes, written);
    if (count === 0) throw new Error('the disk took no more bytes');
    written += count;
  }
}

/**
 * What lies under a private prompt is not even spooled: the hook marks such prompts itself, before they are delivered, because no
 * worker may be there to know when the first tool comes.
 */
export function markPrivate(paths: Paths, envelope: Envelope): void {
  requireOwnFolders(paths);
  fs.mkdirSync(paths.privateMarks, { recursive: true, mode: 0o700 });
  for (const mark of marksOf(envelope)) touch(paths, mark);
}

const touch = ({ privateMarks }: Paths, mark: string) => withFile(`${privateMarks}/${mark}`, O_WRONLY | O_CREAT, () => undefined);

const isMarked = ({ privateMarks }: Paths, mark: string | null): boolean =>
  mark !== null && fs.lstatSync(`${privateMarks}/${mark}`, { throwIfNoEntry: false }) !== undefined;

/** A prompt that is not private ends what had no prompt of its own to name. */
function endPrivate(paths: Paths, envelope: Envelope): void {
  const marks = endMarks(envelope);
  if (!marks || !isMarked(paths, marks.gone)) return;
  touch(paths, marks.left);
  fs.rmSync(`${paths.privateMarks}/${marks.gone}`, { force: true });
}

/** A piece that is scrubbed in a few milliseconds. */
const PIECE = 64 * 1024;
/** Names, ids and paths: what says which event it is. They come first and are always scrubbed. */
const SMALL = 1024;

/** The secrets taken out piece by piece, with a look at the clock before each: what there is no time for is left out. */
function scrubWithin(value: unknown, isOver: () => boolean): { value: unknown; isIncomplete: boolean } {
  let isIncomplete = false;
  /** The small ones together: a name tells what a value beside it is. Of a large one its key tells. */
  const scrubFields = (fields: Record<string, unknown>, isOwed: (field: unknown) => boolean) => {
    const entries = Object.entries(fields).map(([key, field]) => ({ key, field, size: sizeOf(field) }));
    const small = entries.filter(({ size }) => size <= SMALL);
    const kept = Object.entries(scrubValue(Object.fromEntries(small.map(({ key, field }) => [key, field]))).value);
    for (const { key, field, size } of entries.filter((entry) => entry.size > SMALL)) {
      const isLate = !isOwed(field) && isOver();
      isIncomplete ||= isLate;
      if (!isLate && isObject(field) && size > PIECE) kept.push([key, scrubFields(field, () => false)]);
      else kept.push(...Object.entries(scrubValue({ [key]: isLate ? lateNotice(size) : field }).value));
    }
    return Object.fromEntries(kept);
  };
  // What a person or an agent said stands at the top, and has no second copy under the same id.
  const scrubbed = isObject(value) ? scrubFields(value, isText) : scrubValue(value).value;
  return { value: scrubbed, isIncomplete };
}

const isText = (value: unknown) => typeof value === 'string';

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

const sizeOf = (value: unknown) => (typeof value === 'string' ? value.length : (JSON.stringify(value)?.length ?? 0));
