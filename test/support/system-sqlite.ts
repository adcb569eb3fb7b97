// The system's own sqlite3 (3.40 in Debian 12), on a copy of a store: what other tools, and macOS, can read and write.
import { copyFileSync, existsSync } from 'node:fs';

/** What it printed; throws with what it complained of. */
export function askSystemSqlite(database: string, sql: string): string {
  const { stdout, stderr, exitCode } = Bun.spawnSync(['sqlite3', '-bail', '-batch', database], {
    stdin: Buffer.from(`${sql}\n`),
  });
  if (exitCode !== 0 || stderr.length > 0) throw new Error(`sqlite3: ${stderr}${stdout}`);
  return stdout.toString().trimEnd();
}

/** With its log: nothing is lost when the worker still has it open. */
export function copyStore(from: string, to: string): void {
  for (const suffix of ['', '-wal']) if (existsSync(from + suffix)) copyFileSync(from + suffix, to + suffix);
}
