// Scans the store, its index and the logs again for secrets when the rules have changed: in the background, and on after a crash. The
// backups follow when it is done (backup/guard.ts).
import type { Database } from 'bun:sqlite';
import { readFileSync } from 'node:fs';
import { beginRescan, endRescan, rescanSlice } from '../forget/rescan.ts';
import type { Log } from '../log.ts';
import { listFolder, writeOwnFile } from '../own-files.ts';
import type { Paths } from '../paths.ts';
import { hashRules } from '../secrets/compile.ts' with { type: 'macro' };
import { scrubSecrets } from '../secrets/scrub.ts';
import { count } from '../store/counters.ts';
import { scourWords } from '../store/documents.ts';
import { checkpoint } from '../store/page-sums.ts';

type Rescan = {
  /** Begins, or goes on with what a worker before left. */
  start: () => void;
  hasWork: () => boolean;
  close: () => void;
};

type RescanDeps = {
  db: Database;
  paths: Pick<Paths, 'logs' | 'spool'>;
  log: Log;
  clock: () => number;
  /** Documents were made anew. */
  onChanged: () => void;
};

const RULES = hashRules();
const SLICE_MS = 5;
/** Hooks and questions are answered in between. */
const PAUSE_MS = 10;
/** A full or locked disk: the next try. */
const RETRY_MS = 10_000;
const PAGES = 50;

export function createRescan({ db, paths, log, clock, onChanged }: RescanDeps): Rescan {
  let timer: Timer | null = null;
  let step: 'begin' | 'rows' | 'words' = 'begin';
  let rows = 0;
  let isLeft = false;
  let files: number | null = null;

  const later = (ms: number) => {
    timer = setTimeout(attempt, ms);
  };
  const attempt = () => {
    timer = null;
    try {
      if (!work()) later(PAUSE_MS);
    } catch (error) {
      log.error('the scan for secrets failed, and is tried again', { error: String(error) });
      later(RETRY_MS);
    }
  };
  /** True when all is done. */
  const work = (): boolean => {
    if (step === 'begin') {
      const begun = beginRescan(db, RULES);
      isLeft = begun === 'left';
      step = 'rows';
      return begun === null;
    }
    if (step === 'rows') {
      const slice = rescanSlice(db, SLICE_MS);
      rows += slice.rows;
      for (const kind of slice.found) count(db, `rescrubbed:${kind}`, clock());
      if (slice.rows > 0) onChanged();
      if (slice.isDone) step = 'words';
      return false;
    }
    // A word that was deleted stays in its page until that is written anew.
    if ((rows > 0 || isLeft) && !scourWords(db, PAGES)) return false;
    files ??= cleanFiles(paths);
    // As long as somebody reads, the old bytes stay in the log.
    if (!checkpoint(db, 'TRUNCATE')) return false;
    endRescan(db);
    log.info('scanned again for secrets, by new rules', { rows, files });
    return true;
  };

  return {
    start: attempt,
    hasWork: () => timer !== null,
    close() {
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
}

/** Logs, and events that were set aside. Returns how many were changed. */
function cleanFiles({ logs, spool }: Pick<Paths, 'logs' | 'spool'>): number {
  const changed = [logs, `${spool}/bad`].flatMap((folder) =>
    listFolder(folder).filter((name) => {
      const path = `${folder}/${name}`;
      const text = readFileSync(path, 'utf8');
      const scrubbed = scrubSecrets(text);
      if (scrubbed.found.length === 0) return false;
      writeOwnFile(path, scrubbed.text);
      return true;
    }),
  );
  return changed.length;
}
