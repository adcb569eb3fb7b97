// Loaded before tests (`bun test --preload`), or by a program of recorded-dist.ts: notes each statement that the product prepares, once, as a
// line of JSON in a file.
import { Database } from 'bun:sqlite';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

const OURS = ['src', 'dist', 'plugin'].map((folder) => join(import.meta.dir, '../..', folder, '/'));
/** Of a statement that only tests ask, the stack is not looked at for ever. */
const LOOKS = 20;

const file = process.env.CLAUDE_MEM_TEST_STATEMENTS;
if (file) recordStatements(file, OURS);

/** `ours`: in these folders lies what may ask; without them whoever asks is ours. */
export function recordStatements(to: string, ours = ['']): void {
  const looks = new Map<string, number>();
  const note = (sql: string) => {
    const looked = looks.get(sql) ?? 0;
    if (looked >= LOOKS) return;
    const caller = callerOf(new Error().stack ?? '');
    const isOurs = ours.some((folder) => caller.includes(folder));
    looks.set(sql, isOurs ? LOOKS : looked + 1);
    if (isOurs) appendFileSync(to, `${JSON.stringify(sql)}\n`);
  };
  const { query, prepare, run } = Database.prototype;
  const wrap = <Call extends (this: Database, sql: string, ...rest: never[]) => unknown>(call: Call) =>
    function (this: Database, sql: string, ...rest: never[]) {
      note(sql);
      return call.call(this, sql, ...rest);
    };
  // What wraps a method passes on whatever it is given.
  Object.assign(Database.prototype, {
    query: wrap(query as never),
    prepare: wrap(prepare as never),
    run: wrap(run as never),
    exec: wrap(run as never),
  });
}

/** The first line that is neither of this file nor of the runtime's. */
function callerOf(stack: string): string {
  const lines = stack.split('\n').slice(1);
  return lines.find((line) => line.includes('/') && !line.includes('record-statements') && !line.includes('bun:')) ?? '';
}
