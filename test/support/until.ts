// Waiting for something to become true, with a deadline instead of a guess.

export async function until<T>(read: () => T | Promise<T>, timeoutMs = 30_000): Promise<NonNullable<T>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await read();
    if (value) return value;
    if (performance.now() > deadline) throw new Error(`still not true after ${timeoutMs} ms: ${read}`);
    await Bun.sleep(5);
  }
}
