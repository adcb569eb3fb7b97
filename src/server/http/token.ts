// The token of the port: who can read this file may read the memory, so it is the user's alone.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { lstatSync, type Stats } from 'node:fs';
import type { Log } from '../../log.ts';
import { readOwnFile, writeOwnFile } from '../../own-files.ts';

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
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return null;
  const text = isOursAlone(stat) ? readOwnFile(path).trimEnd() : '';
  if (/^[0-9a-f]{64}$/.test(text)) return text;
  log.warn('the token file could not be trusted; there is a new token', { path });
  return null;
}

function isOursAlone(stat: Stats): boolean {
  if (!stat.isFile() || stat.size > 100) return false;
  // Windows knows no owner by number, and no modes.
  return !process.getuid || (stat.uid === process.getuid() && (stat.mode & 0o077) === 0);
}

function writeToken(path: string): string {
  const value = randomBytes(32).toString('hex');
  writeOwnFile(path, `${value}\n`);
  return value;
}
