// One-time codes that let a browser in: a link shows one, the page turns it into the token, and then it is worth nothing.
// Built-ins only: a starting worker loads this, and node:crypto would cost it ten milliseconds.
import { AskError } from '../../core/ask-error.ts';

export type Links = {
  mint: (ttlMs: number) => { code: string; expiresAt: number };
  /** True once for each code that was minted and is not too old. */
  redeem: (code: string) => boolean;
  /** None that was minted is worth anything any more. */
  clear: () => void;
};

/** The page is opened right away. */
const VIEWER_LINK_MS = 10 * 60_000;
/** Shown at a session's start: may be opened any time that day. */
export const SESSION_LINK_MS = 12 * 3_600_000;

const MOST = 100;

export function createLinks({ clock }: { clock: () => number }): Links {
  /** Hash of the code → when it ends; in the order of minting. */
  const open = new Map<string, number>();
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
  };
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
