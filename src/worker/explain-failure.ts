// Why a worker that owns the data dir cannot work, with what to do about a database that nobody can read.
import { existsSync } from 'node:fs';
import { HOW_TO_MEND } from '../backup/damage.ts';
import { isUnreadable } from '../backup/guard.ts';
import type { Paths } from '../paths.ts';

export function explainFailure(error: unknown, paths: Paths): string {
  const reason = error instanceof Error ? error.message : String(error);
  // Without the mark there has never been a memory here: the file is somebody else's, and the message says so.
  if (!isUnreadable(error) || !existsSync(paths.birthMark)) return reason;
  return `${paths.database} is damaged: ${reason.replace(/[.]?$/, '.')} To repair it, run: ${HOW_TO_MEND}. Or begin anew: ${moveAway(paths)}`;
}

/** The mark goes with it: left alone, it says that a memory is lost. A folder of that name is not filled twice. */
function moveAway({ dataDir, database, birthMark }: Paths): string {
  const aside = quote(`${dataDir}/damaged`);
  return `mkdir ${aside} && mv ${quote(database)}* ${quote(birthMark)} ${aside} && claude-mem start`;
}

const quote = (path: string) => (/^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);
