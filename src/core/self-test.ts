// The event by which `doctor` sees that a hook reaches the store: it goes all the way, and the store takes it back.

const PREFIX = 'claude-mem-self-test-';

/** The name of a session that never was. */
export const selfTestSession = (nonce: string): string => `${PREFIX}${nonce}`;

export const isSelfTest = (session: string): boolean => session.startsWith(PREFIX);

/** What the hook prints of it. */
export const selfTestAnswer = (session: string): string => JSON.stringify({ selfTest: session });
