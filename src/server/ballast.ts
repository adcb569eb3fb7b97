// Room that is ours when the disk is full: files that only take place, given back then, so that what has to be said and deleted can be.
import {
  closeSync,
  constants,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { RESERVED_BYTES, readRoom } from '../own-files.ts';

/** Several files: where a disk has no file left to give, these are some. */
const FILES = 8;
const FILE_BYTES = 512 * 1024;
/** Less than what is reserved: given back, it does not look like room for events. */
export const BALLAST_BYTES = FILES * FILE_BYTES;

/** `small`: it would itself fill the disk. `refused`: there seems to be room, and the disk takes nothing; a quota does that. */
export function makeBallast(folder: string): 'made' | 'small' | 'refused' {
  if (isWhole(folder)) return 'made';
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (readRoom(folder).bytes < BALLAST_BYTES + 2 * RESERVED_BYTES) return 'small';
  try {
    for (let at = 0; at < FILES; at++) writeZeros(`${folder}/${at}`);
    return 'made';
  } catch {
    // Half of it is worth nothing.
    giveBallastBack(folder);
    return 'refused';
  }
}

/** True when there was some. */
export function giveBallastBack(folder: string): boolean {
  const names = listNames(folder);
  for (const name of names) rmSync(`${folder}/${name}`, { force: true });
  return names.length > 0;
}

/** A file whose first block is on the disk: a byte can be added to it when no block is left. Whatever it counts so far stays. */
export function holdPlace(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.size) return;
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0), 0o600);
  try {
    writeSync(file, Buffer.alloc(4096));
    fsyncSync(file);
    ftruncateSync(file, 1);
  } finally {
    closeSync(file);
  }
}

const isWhole = (folder: string) => {
  const names = listNames(folder);
  return names.length === FILES && names.every((name) => statSync(`${folder}/${name}`).size === FILE_BYTES);
};

/** Written, not only sized: a hole takes no place. */
function writeZeros(path: string): void {
  const file = openSync(
    path,
    constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0),
    0o600,
  );
  try {
    if (writeSync(file, Buffer.alloc(FILE_BYTES)) < FILE_BYTES) throw new Error('the disk took no more bytes');
  } finally {
    closeSync(file);
  }
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => /^\d$/.test(name));
  } catch {
    // There is none yet.
    return [];
  }
}
