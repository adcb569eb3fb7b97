// The token of the web door: who can read this file may read the memory, so it is the user's alone.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { closeSync, constants, fstatSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import type { Log } from '../../log.ts';

export type Token = {
  read: () => string;
  /** Takes the same time for every wrong one. */
  isRight: (said: string) => boolean;
  /** The old one is dead when this returns, and so is what was opened with it. */
  rotate: () => void;
  onRotate: (drop: () => void) => void;
};

export function openToken({ path, log }: { path: string; log: Log }): Token {
  let value = readToken(path, log) ?? writeToken(path);
  let digest = sha256(value);
  const listeners: (() => void)[] = [];
  return {
    read: () => value,
    isRight: (said) => timingSafeEqual(sha256(said), digest),
    rotate: () => {
      value = writeToken(path);
      digest = sha256(value);
      log.info('the token is a new one');
      for (const drop of listeners) drop();
    },
    onRotate: (drop) => listeners.push(drop),
  };
}

const sha256 = (text: string) => createHash('sha256').update(text).digest();

/** Null when there is none that can be trusted: whoever could read or write it may know it. */
function readToken(path: string, log: Log): string | null {
  let file: number;
  try {
    // Not waiting: a pipe in its place would keep us for ever.
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (!isMissing(error)) log.warn('the token file cannot be opened; there is a new one', { error: String(error) });
    return null;
  }
  try {
    const wrong = findWrong(fstatSync(file));
    const text = wrong ? '' : readFileSync(file, 'utf8').trimEnd();
    if (!wrong && /^[0-9a-f]{64}$/.test(text)) return text;
    log.warn('the token file could not be trusted; there is a new token', { path, reason: wrong ?? 'not a token' });
    return null;
  } finally {
    closeSync(file);
  }
}

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT';

type Stat = { isFile: () => boolean; uid: number; mode: number; size: number };

function findWrong(stat: Stat): string | null {
  if (!stat.isFile() || stat.size > 100) return 'not a token';
  // Windows knows no owner by number, and no modes.
  if (!process.getuid) return null;
  if (stat.uid !== process.getuid()) return 'owned by another user';
  return (stat.mode & 0o077) === 0 ? null : 'open to other users';
}

function writeToken(path: string): string {
  const value = randomBytes(32).toString('hex');
  const own = `${path}.${process.pid}`;
  // A file left by one who died is ours to replace; one made by another in this moment is not followed.
  rmSync(own, { force: true });
  const file = openSync(own, 'wx', 0o600);
  try {
    writeSync(file, `${value}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(own, path);
  return value;
}
