// Waiting for a condition with a deadline: the only way a test waits.

const POLL_MS = 20;

/** Resolves with the first truthy answer of `probe`; rejects when the deadline passes, naming what was waited for. */
export async function waitFor<T>(
  what: string,
  probe: () => T | Promise<T>,
  timeoutMs = 60_000,
): Promise<NonNullable<T>> {
  const deadline = Date.now() + timeoutMs;
  let last: T;
  do {
    last = await probe();
    if (last) return last;
    await Bun.sleep(POLL_MS);
  } while (Date.now() < deadline);
  throw new Error(`waited ${timeoutMs} ms in vain for ${what}`);
}
