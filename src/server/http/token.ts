// The token of the port: who can read this file may read the memory, so it is the user's alone.
import { lstatSync, rmSync, type Stats } from 'node:fs';
import { AskError } from '../../core/ask-error.ts';
import type { Log } from '../../log.ts';
import { readOwnFile, writeOwnFile } from '../../own-files.ts';

export type Token = ReturnType<typeof openToken>;

export function openToken({ path, log }: { path: string; log: Log }) {
  let value = readToken(path, log) ?? writeToken(path);
  let digest = sha256(value);
  const listeners: (() => void)[] = [];
  return {
    read: () => value,
    /** Takes the same time for every wrong one. */
    isRight: (said: string) => crypto.timingSafeEqual(sha256(said), digest),
    /** The old one is dead when this returns, and so is what was opened with it. */
    rotate: () => {
      value = writeToken(path);
      digest = sha256(value);
      log.info('the token is a new one');
      for (const drop of listeners) drop();
    },
    onRotate: (drop: () => void) => void listeners.push(drop),
  };
}

// Of the runtime: a starting worker loads this, and node:crypto would cost it ten milliseconds.
const sha256 = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest();

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
  const value = crypto.getRandomValues(new Uint8Array(32)).toHex();
  writeOwnFile(path, `${value}\n`);
  return value;
}

// One-time codes that let a browser in: a link shows one, the page turns it into the token, and then it is worth nothing.

export type Links = ReturnType<typeof createLinks>;

/** The page is opened right away. */
const VIEWER_LINK_MS = 10 * 60_000;
/** Shown at a session's start: may be opened any time that day. */
export const SESSION_LINK_MS = 12 * 3_600_000;

const MOST = 100;

export function createLinks({ clock, file }: { clock: () => number; file: string }) {
  /** Hash of the code → when it ends; in the order of minting. */
  const open = takeKept(file);
  return {
    mint: (ttlMs: number) => {
      const now = clock();
      for (const [hash, end] of open) if (end <= now) open.delete(hash);
      const [oldest] = open.keys();
      if (open.size >= MOST && oldest !== undefined) open.delete(oldest);
      const code = crypto.getRandomValues(new Uint8Array(16)).toBase64({ alphabet: 'base64url', omitPadding: true });
      open.set(hashCode(code), now + ttlMs);
      return { code, expiresAt: now + ttlMs };
    },
    /** True once for each code that was minted and is not too old. */
    redeem: (code: string) => {
      const hash = hashCode(code);
      const isGood = (open.get(hash) ?? 0) > clock();
      // Wrong ones are not counted: nobody guesses 128 bits, and a lock would keep out who has a good one.
      open.delete(hash);
      return isGood;
    },
    clear: () => open.clear(),
    /** For the next worker: a link outlives the process that made it. */
    keep: () => {
      const lines = [...open].filter(([, end]) => end > clock()).map(([hash, end]) => `${hash} ${end}\n`);
      if (lines.length > 0) writeOwnFile(file, lines.join(''));
    },
  };
}

/** What the last worker kept, as hashes; taken away, so that a code that is used now is not worth anything after a crash. */
function takeKept(file: string): Map<string, number> {
  try {
    const lines = readOwnFile(file).split('\n').filter(Boolean).slice(-MOST);
    rmSync(file, { force: true });
    return new Map(lines.map((line) => [line.split(' ')[0] ?? '', Number(line.split(' ')[1]) || 0]));
  } catch {
    // None, or one that cannot be read: the next link is made anew.
    return new Map();
  }
}

/** Looked up by its hash: how long that takes says nothing about the code. */
const hashCode = (code: string) => new Bun.CryptoHasher('sha256').update(code).digest('base64');

/** The code stands behind #: a browser sends that to nobody. */
export function makeLink(links: Links, address: string | null, ttlMs = VIEWER_LINK_MS): { url: string; expiresAt: string } {
  if (address === null) {
    const hint =
      'It started with workerPort 0, or no port was free: `claude-mem status` says which. ' +
      'Set workerPort to one that is free, then run `claude-mem restart`.';
    throw new AskError('conflict', 'The worker has no port for the viewer.', hint);
  }
  const { code, expiresAt } = links.mint(ttlMs);
  return { url: `${address}/#t=${code}`, expiresAt: new Date(expiresAt).toISOString() };
}

// The port of the viewer, held from the start, so that a starting session can be given its address though the server opens a moment later.

/** No setting can change this: what is kept here is for this machine alone. */
export const LOOPBACK = '127.0.0.1';
const MOST_TRIES = 50;

export const portsFrom = (first: number) => Array.from({ length: MOST_TRIES }, (_, at) => first + at).filter((port) => port < 65_536);

/** The one it had last, if the settings allow it, else the first free one; null when there is none, or none is wanted. */
export function holdPort(first: number, last: number | null = null) {
  if (first === 0) return null;
  const ports = portsFrom(first);
  for (const port of last !== null && ports.includes(last) ? [last, ...ports] : ports) {
    try {
      // Whoever comes so early comes again.
      const socket = { open: (one: { terminate: () => void }) => one.terminate(), data: () => undefined };
      const listener = Bun.listen({ hostname: LOOPBACK, port, socket });
      // To be released just before the server takes it.
      return { port, address: `http://${LOOPBACK}:${port}`, release: () => listener.stop(true) };
    } catch {
      // Somebody is there: the next one.
    }
  }
  return null;
}

export function readLastPort(path: string): number | null {
  try {
    return Number(readOwnFile(path)) || null;
  } catch {
    // The first start, or a file that cannot be read: the first free one does.
    return null;
  }
}

export function keepLastPort(path: string, port: number): void {
  try {
    if (readLastPort(path) !== port) writeOwnFile(path, `${port}\n`);
  } catch {
    // A full disk: the next start looks from the first one on.
  }
}
