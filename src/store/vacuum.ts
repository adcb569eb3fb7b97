// Writes a database anew, without the pages that nothing uses any more.
import type { Database } from 'bun:sqlite';
import { checkpoint } from './page-sums.ts';

/** Everything that asks this connection waits. The copy lies in the folder for as long: elsewhere others might read it. */
export function vacuumStore(db: Database, folder: string): void {
  db.run(`PRAGMA temp_store_directory = '${folder.replaceAll("'", "''")}'`);
  try {
    checkpoint(db, 'TRUNCATE');
    db.run('VACUUM');
  } finally {
    db.run("PRAGMA temp_store_directory = ''");
  }
}
