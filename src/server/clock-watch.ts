// Whether the clock was set while we ran: two clocks are compared, one of which nobody can set.

export type ClockWatch = {
  look: () => void;
  /** `backMs`: the furthest that it went back at once, in the last hour. */
  read: () => { jumps: number; backMs: number };
};

/** Less is a correction, or a loop that was held up. */
const JUMP_MS = 60_000;
const RECENT_MS = 3_600_000;

export function createClockWatch(clock: () => number): ClockWatch {
  let [wall, tick] = [clock(), performance.now()];
  let jumps = 0;
  let back = { ms: 0, at: Number.NEGATIVE_INFINITY };
  return {
    look() {
      const [nowWall, nowTick] = [clock(), performance.now()];
      const moved = nowWall - wall - (nowTick - tick);
      [wall, tick] = [nowWall, nowTick];
      // A machine that slept looks as if its clock had gone ahead.
      if (Math.abs(moved) > JUMP_MS) jumps++;
      if (moved < -JUMP_MS) back = { ms: -moved, at: nowTick };
    },
    read: () => ({ jumps, backMs: performance.now() - back.at < RECENT_MS ? back.ms : 0 }),
  };
}
