// One-time codes that let a browser in: a link shows one, the page turns it into the token, and then it is worth nothing.
// Built-ins only: a starting worker loads this, and node:crypto would cost it ten milliseconds.
import { rmSync } from 'node:fs';
import { AskError } from '../../core/ask-error.ts';
import { readOwnFile, writeOwnFile } from '../../own-files.ts';

export type Links = {
  mint: (ttlMs: number) => { code: string; expiresAt: number };
  /** True once for each code that was minted and is not too old. */
  redeem: (code: string) => boolean;
  /** None that was minted is worth anything any more. */
  clear: () => void;
  /** For the next worker: a link outlives the process that made it. */
  keep: () => void;
};

/** The page is opened right away. */
export const VIEWER_LINK_MS = 10 * 60_000;
/** Shown at a session's start: may be opened any time that day. */
export const SESSION_LINK_MS = 12 * 3_600_000;

const MOST = 100;

export function createLinks({ clock, file }: { clock: () => number; file: string }): Links {
  /** Hash of the code → when it ends; in the order of minting. */
  const open = takeKept(file);
  return {
    mint: (ttlMs) => {
      const now = clock();
      for (const [hash, end] of open) if (end <= now) open.delete(hash);
      const [oldest] = open.keys();
      if (open.size >= MOST && oldest !== undefined) open.delete(oldest);
      const code = crypto.getRandomValues(new Uint8Array(16)).toBase64({ alphabet: 'base64url', omitPadding: true });
      open.set(hashCode(code), now + ttlMs);
      return { code, expiresAt: now + ttlMs };
    },
    redeem: (code) => {
      const hash = hashCode(code);
      const isGood = (open.get(hash) ?? 0) > clock();
      // Wrong ones are not counted: nobody guesses 128 bits, and a lock would keep out who has a good one.
      open.delete(hash);
      return isGood;
    },
    clear: () => open.clear(),
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
