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

/** A prompt is known again by its session and its words. */
export const hashPrompt = (hostSessionId: string, text: string) => hashParts(['prompt', hostSessionId, text]);
