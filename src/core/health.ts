// What the worker says of itself: facts, and what is wrong.

/** damaged: what was remembered may be gone. degraded: it is there, and something is wrong. */
export type HealthStatus = 'ok' | 'degraded' | 'damaged';

export type Problem = {
  check: string;
  level: 'degraded' | 'damaged';
  /** What is wrong, and what to do. */
  problem: string;
};

export type Facts = {
  /** What this user can still write where the data dir lies. */
  freeBytes: number;
  /** Null where the file system does not count files. */
  freeFiles: number | null;
  /** Nothing new is kept. */
  isFull: boolean;
  hasBallast: boolean;
  /** Since the worker started. */
  failedWrites: number;
  failingSince: string | null;
  writeError: string | null;
  /** Events that could be kept nowhere, ever. */
  notKept: number;
  /** How long the oldest event waits to be processed. */
  oldestMs: number | null;
  setAside: number;
  lastSuccessAt: string | null;
  /** Whether their files are there and ours. */
  sockets: { hooks: boolean; http: boolean };
  walBytes: number;
  schema: number;
  /** How often the clock was set since the worker started. */
  clockJumps: number;
};
