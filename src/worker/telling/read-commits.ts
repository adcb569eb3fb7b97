// What was committed since the last session, read before one is told of it, if that is soon done.
import type { Database } from 'bun:sqlite';
import type { Config } from '../../config.ts';
import { readHead } from '../../git/head.ts';
import type { Log } from '../../log.ts';
import { readLogHead } from '../../store/commits/commits.ts';
import type { LazyMemories } from '../lazy-memories.ts';

/** A starting session waits no longer for it. */
const COMMITS_MS = 150;

export type ReadCommitsDeps = {
  db: Database;
  config: () => Config;
  log: Log;
  open: LazyMemories['open'];
  /** How many times as long as usual a session waits. */
  patience: number;
};

export function createReadCommits({ db, config, log, open, patience }: ReadCommitsDeps) {
  return async (cwd: string, root: string): Promise<void> => {
    const known = readLogHead(db, root);
    if (config().gitCommits === 0 || readHead(root).commit === known) return;
    const reading = open().then(({ git }) => git.readNow(cwd));
    await Promise.race([reading, Bun.sleep(COMMITS_MS * patience)]).catch((error) =>
      log.warn('new commits could not be read', { error: String(error) }),
    );
  };
}
