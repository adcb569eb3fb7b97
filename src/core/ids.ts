// How things get their ids and fingerprints. Loaded by the hook: no imports.

/** Same parts, same id: 32 hex digits. */
export function hashParts(parts: (string | null | undefined)[]): string {
  const hasher = new Bun.CryptoHasher('sha256');
  for (const part of parts) {
    const text = part ?? '';
    // The length keeps ('ab','c') and ('a','bc') apart.
    hasher.update(`${text.length}:`);
    hasher.update(text);
  }
  return hasher.digest('hex').slice(0, 32);
}

/** Words so long are nobody's but a replay's, whatever session they come in. */
const OWN_LENGTH = 40;

/** What was said, in any session; null for what others may say, too. */
export const hashLongText = (text: string) => (text.length >= OWN_LENGTH ? hashParts(['long', text]) : null);

export const hashPrompt = (hostSessionId: string, text: string) => hashParts(['prompt', hostSessionId, text]);
