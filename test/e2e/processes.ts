// The processes of a sandbox, recognised by their temporary HOME: nothing else on the machine can carry it.
import { readdirSync, readFileSync } from 'node:fs';
import { until } from '../support/until.ts';

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !readProc(pid, 'stat').includes(') Z ');
  } catch {
    return false; // ESRCH: the process is gone.
  }
}

/** Kills what is left and returns its command lines. Short-lived ones get a moment to end by themselves. */
export async function endProcessesOf(home: string): Promise<string[]> {
  // Twice: of one that starts another and ends meanwhile, one look may see neither.
  const isEmpty = () => processesOf(home).length === 0;
  await until(() => isEmpty() && isEmpty(), 15_000).catch(() => false);
  const left = processesOf(home);
  for (const { pid } of left) process.kill(pid, 'SIGKILL');
  return left.map(({ pid, command }) => `${pid} ${command}`);
}

export function processesOf(home: string): { pid: number; command: string }[] {
  if (process.platform !== 'linux') return [];
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  const own = pids.filter((pid) => readProc(pid, 'environ').split('\0').includes(`HOME=${home}`) && isAlive(pid));
  return own.map((pid) => ({ pid, command: readProc(pid, 'cmdline').replaceAll('\0', ' ') }));
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return ''; // It ended while we looked, or belongs to someone else.
  }
}
