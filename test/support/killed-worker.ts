// A worker that has stored something and is killed once that is noted beside the database: what happens to its files then is a fault.
import { readMark } from '../../src/backup/damage.ts';
import { edit, sessionEnd, stop, userPrompt } from './payloads.ts';
import type { Sandbox } from './sandbox.ts';
import { until } from './until.ts';

/** A session of which one memory comes, with that name in its title. */
export async function work(sandbox: Sandbox, cwd: string, name: string): Promise<void> {
  // The scan for secrets of a new store empties the log at its end, a moment after the start.
  await until(() => sandbox.query("SELECT name FROM id_marks WHERE name LIKE 'rescan%'").length === 1);
  await sandbox.hook('new', userPrompt(name, cwd, `Make ${name} fast`));
  await sandbox.hook('save', edit(name, cwd, `src/${name}.ts`, [`-scan(${name})`, `+readOnce(${name})`]));
  await sandbox.hook('summary', stop(name, cwd, `We decided to cache ${name} instead of scanning again, because scanning is slow.`));
  await sandbox.hook('cleanup', sessionEnd(name, cwd));
  await until(() => sandbox.query(`SELECT 1 FROM observations WHERE title LIKE '%${name}%'`).length > 0);
}

export async function killWorker(sandbox: Sandbox): Promise<void> {
  const pid = (await sandbox.workerPid()) ?? 0;
  const [last] = sandbox.query<{ id: number }>('SELECT max(id) AS id FROM observations');
  await until(() => readMark(sandbox.paths.mark)?.last.observations === last?.id);
  process.kill(pid, 'SIGKILL');
  await until(async () => (await sandbox.workerPid()) === null);
}
