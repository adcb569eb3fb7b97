// What of a commit's message is worth keeping, and which commit it says that it takes back.

/** Without the lines that only say who signed, reviewed or generated it. */
export function withoutTrailers(body: string): string {
  return body
    .split('\n')
    .filter((line) => !TRAILER.test(line) && !REVERTS_LINE.test(line))
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

const TRAILER =
  /^\s*(?:(?:signed-off|co-authored|reviewed|acked|tested|reported|suggested|helped|co-developed|approved|requested|merged|committed|reviewed-and-tested)-by|cc|change-id|git-svn-id|reviewed-on|pr-url|patch-by|differential revision|commit-queue|auto-submit|tryjob-request|cr-commit-position|sponsored by)\s*:|^\s*\(cherry picked from commit [0-9a-f]{7,64}\)|^\W*generated with \W*\w/i;

/** Told by the link between the two; the hash says nothing to a reader. */
const REVERTS_LINE = /^\s*this reverts commit [0-9a-f]{7,64}\.?\s*$/i;

export type Reverted = { by: 'hash'; hash: string } | { by: 'subject'; subject: string };

/** Null for one that takes nothing back. */
export function readReverted({ subject, body }: { subject: string; body: string }): Reverted | null {
  const [, hash] = /^\s*this reverts commit ([0-9a-f]{7,64})\b/im.exec(body) ?? [];
  if (hash) return { by: 'hash', hash: hash.toLowerCase() };
  const [, quoted] = /^revert:? ["“](.+)["”]/i.exec(subject) ?? [];
  return quoted ? { by: 'subject', subject: quoted } : null;
}
