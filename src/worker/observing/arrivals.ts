// When the last event of each session came, by two clocks: the hook's, and ours, which nobody can set.

/** `at`: here, by the clock of the process; null when its turn is distilled. */
type Arrived = { at: number | null; receivedAt: number };
/** More sessions than anybody has at once. */
const MOST_ARRIVALS = 500;

export function createArrivals() {
  /** The latest last. */
  const arrivals = new Map<number, Arrived>();
  return {
    note(sessionId: number, receivedAt: number): void {
      arrivals.delete(sessionId);
      arrivals.set(sessionId, { at: performance.now(), receivedAt });
      const [oldest] = arrivals.keys();
      if (arrivals.size > MOST_ARRIVALS && oldest !== undefined) arrivals.delete(oldest);
    },
    receivedAt: (sessionId: number): number | null => arrivals.get(sessionId)?.receivedAt ?? null,
    waitedMs(sessionId: number): number | null {
      const at = arrivals.get(sessionId)?.at ?? null;
      return at === null ? null : performance.now() - at;
    },
    /** All of it is distilled. */
    settle(sessionId: number): void {
      const arrived = arrivals.get(sessionId);
      if (arrived) arrived.at = null;
    },
  };
}
