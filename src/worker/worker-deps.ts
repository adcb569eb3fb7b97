// What a worker is given: where, with which settings, by which clock, and how it may end.
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import type { Observe } from '../observer/distil-turn.ts';
import type { Paths } from '../paths.ts';

export type WorkerDeps = {
  paths: Paths;
  /** The settings as they are at each call. */
  config: () => Config;
  configProblems: () => string[];
  fromVariables: string[];
  version: string;
  log: Log;
  /** The local observer unless a test brings its own. */
  observe?: Observe;
  clock: () => number;
  /** How many times as long as usual a hook waits for what a session is told: more on a machine that is busy with tests. */
  patience?: number;
  /** An event that takes longer ends the worker. */
  hangSeconds?: number;
  /** After so long it is no chance that it lives: it tries once more what others ended at. */
  stableMs?: number;
  /** False when another process has taken the data dir over. */
  isOwner?: () => boolean;
  /** From here on the write-ahead log is too large. */
  walAlarmBytes?: number;
  /** Called when it may end: idle for long enough, or its database is gone. */
  onDone: (reason: string) => void;
};
