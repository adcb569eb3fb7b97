// The system's own sqlite3 (3.40 in Debian 12), on a copy of a store: what other tools, and macOS, can read and write.
import { copyFileSync, existsSync } from 'node:fs';

/** What it printed; throws with what it complained of. */
export function askSystemSqlite(database: string, sql: string): string {
  const { stdout, stderr } = runSystemSqlite(database, `.bail on\n${sql}`);
  if (stderr !== '') throw new Error(`sqlite3: ${stderr}${stdout}`);
  return stdout.trimEnd();
}

export function runSystemSqlite(database: string, sql: string): { stdout: string; stderr: string } {
  const { stdout, stderr } = Bun.spawnSync(['sqlite3', '-batch', database], { stdin: Buffer.from(`${sql}\n`) });
  return { stdout: stdout.toString(), stderr: stderr.toString() };
}

/** With its log: nothing is lost when the worker still has it open. */
export function copyStore(from: string, to: string): void {
  for (const suffix of ['', '-wal']) if (existsSync(from + suffix)) copyFileSync(from + suffix, to + suffix);
}
