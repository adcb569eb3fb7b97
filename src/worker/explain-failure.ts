// Why a worker that owns the data dir cannot work, with what to do about a database that nobody can read.
import { existsSync } from 'node:fs';
import type { Paths } from '../paths.ts';
import { StoreError } from '../store/open.ts';

export function explainFailure(error: unknown, paths: Paths): string {
  const reason = error instanceof Error ? error.message : String(error);
  // Without the mark there has never been a memory here: the file is somebody else's, and the message says so.
  if (!isUnreadable(error) || !existsSync(paths.birthMark)) return reason;
  return `${paths.database} is damaged: ${reason.replace(/[.]?$/, '.')} Restore it from a backup, or begin anew: ${moveAway(paths)}`;
}

const isUnreadable = (error: unknown) =>
  error instanceof StoreError
    ? error.kind === 'foreign' || error.kind === 'empty'
    : error instanceof Error && 'code' in error && /^SQLITE_(?:CORRUPT|NOTADB)/.test(String(error.code));

/** The mark goes with it: left alone, it says that a memory is lost. A folder of that name is not filled twice. */
function moveAway({ dataDir, database, birthMark }: Paths): string {
  const aside = quote(`${dataDir}/damaged`);
  return `mkdir ${aside} && mv ${quote(database)}* ${quote(birthMark)} ${aside} && claude-mem start`;
}

const quote = (path: string) => (/^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);
