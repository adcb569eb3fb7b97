// Waiting for something to become true, with a deadline instead of a guess.

/** No promise of the product's: so long a machine may be busy with other tests. */
const MOST_MS = 120_000;

export async function until<T>(read: () => T | Promise<T>, timeoutMs = MOST_MS): Promise<NonNullable<T>> {
  const started = performance.now();
  for (;;) {
    const value = await read();
    if (value) return value;
    const waited = performance.now() - started;
    if (waited > timeoutMs) throw new Error(`still not true after ${timeoutMs} ms: ${read}`);
    // What takes long is asked for less often: many ask by a process of its own.
    await Bun.sleep(Math.min(5 + waited / 10, 200));
  }
}
