// What a piece of work costs the processor: other processes on the machine do not count, and neither does one bad moment.

/** Milliseconds, the least of several runs. Helper threads make it look longer than it took, waiting makes it look shorter: the lesser of both clocks holds. */
export function cpuMs(work: () => unknown, runs = 3): number {
  return Math.min(...Array.from({ length: runs }, () => timeOnce(work)));
}

function timeOnce(work: () => unknown): number {
  const passed = startClock();
  work();
  return passed();
}

/** What was worked since then. */
export function startClock(): () => number {
  const [started, before] = [performance.now(), process.cpuUsage()];
  return () => {
    const { user, system } = process.cpuUsage(before);
    return Math.min((user + system) / 1000, performance.now() - started);
  };
}
