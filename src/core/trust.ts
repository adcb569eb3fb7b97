// How far a memory may be believed, by where its words came from.
import type { Origin } from './observation.ts';

/** 3: said by the user. 2: said by the agent or shown by a command, a file or a commit, or brought in from a file by a person. 1: from outside. Only 2 and 3 are injected by themselves. */
export const TRUST: Record<Origin, number> = {
  user: 3,
  agent: 2,
  command: 2,
  file: 2,
  commit: 2,
  imported: 2,
  web: 1,
  mcp: 1,
};

/** Lowest trust that is told to a session by itself; what is below came from outside. */
export const INJECTED_TRUST = 2;
