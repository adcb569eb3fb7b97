// One-time codes that let a browser in: a link shows one, the page turns it into the token, and then it is worth nothing.
// Built-ins only: a starting worker loads this, and node:crypto would cost it ten milliseconds.

export type Links = {
  mint: (ttlMs: number) => { code: string; expiresAt: number };
  /** True once for each code that was minted and is not too old. */
  redeem: (code: string) => boolean;
  /** None that was minted is worth anything any more. */
  clear: () => void;
};

/** The page is opened right away. */
export const VIEWER_LINK_MS = 10 * 60_000;
/** Shown at a session's start: may be opened any time that day. */
export const SESSION_LINK_MS = 12 * 3_600_000;

const MOST = 100;
const WRONG_IN_A_MINUTE = 20;
const MINUTE_MS = 60_000;

export function createLinks({ clock }: { clock: () => number }): Links {
  /** Hash of the code → when it ends; in the order of minting. */
  const open = new Map<string, number>();
  let wrong: number[] = [];
  let lockedUntil = 0;

  const noteWrong = (now: number) => {
    wrong = [...wrong.filter((at) => at > now - MINUTE_MS), now];
    if (wrong.length < WRONG_IN_A_MINUTE) return;
    wrong = [];
    lockedUntil = now + MINUTE_MS;
  };

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
      const now = clock();
      // Nobody guesses 128 bits; this keeps whoever tries from keeping us busy. A good link still works afterwards.
      if (now < lockedUntil) return false;
      const hash = hashCode(code);
      const isGood = (open.get(hash) ?? 0) > now;
      open.delete(hash);
      if (!isGood) noteWrong(now);
      return isGood;
    },
    clear: () => open.clear(),
  };
}

/** Looked up by its hash: how long that takes says nothing about the code. */
const hashCode = (code: string) => new Bun.CryptoHasher('sha256').update(code).digest('base64');

/** The code stands behind #: a browser sends that to nobody. '' when there is no web door. */
export const linkTo = (address: string | null, links: Links, ttlMs = SESSION_LINK_MS) =>
  address === null ? '' : `${address}/#t=${links.mint(ttlMs).code}`;
