// S3: the disk answers with errors (EIO) to reads, writes and syncs of the worker: what was accepted is stored in the end, once, and it is said at the time.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bash, nextId } from '../support/payloads.ts';
import { reportFault } from '../support/report-fault.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

const EVENTS = process.env.CLAUDE_MEM_TEST_FULL ? 30 : 5;
const CWD = '/home/dev/shop';
const canTrace = Bun.which('strace') !== null && process.platform === 'linux';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = createSandbox();
});
afterEach(() => sandbox.dispose());

/** Resolves once it holds the process. */
async function breakCalls(pid: number, calls: string, when: string): Promise<{ end: () => Promise<number> }> {
  const report = join(sandbox.home, 'strace');
  const rules = calls.split(',').flatMap((call) => ['-e', `inject=${call}:error=EIO:when=${when}`]);
  const strace = Bun.spawn(['strace', '-f', '-q', '-o', report, '-p', String(pid), '-e', `trace=${calls}`, ...rules], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  });
  const isHeld = () => /^TracerPid:\s*[1-9]/m.test(Bun.spawnSync(['cat', `/proc/${pid}/status`]).stdout.toString());
  await until(isHeld);
  return {
    /** How often a call was made to fail. */
    end: async () => {
      strace.kill('SIGINT');
      await strace.exited;
      return readFileSync(report, 'utf8').split('(INJECTED)').length - 1;
    },
  };
}

test.skipIf(!canTrace).each([
  ['every write', 'pwrite64', '1+', true],
  ['every sync', 'fsync,fdatasync', '1+', true],
  ['every read', 'pread64', '1+', true],
  ['every third write', 'pwrite64', '2+3', false],
  ['every fourth read', 'pread64', '2+4', true],
  ['truncating and every second sync', 'ftruncate,fsync', '1+2', false],
])(
  '%s fails',
  async (_, calls, when, isLasting) => {
    const since = performance.now();
    const pid = await sandbox.startWorker();
    const broken = await breakCalls(pid, calls, when);
    const ids: string[] = [];
    let isSaid = false;
    // Reads that fail now and then may be made up for at once: then there is nothing to say.
    let isDelayed = false;
    let failed = 0;
    try {
      for (let at = 0; at < EVENTS; at++) {
        const id = nextId('toolu');
        ids.push(id);
        const run = await sandbox.hook('save', bash('s', CWD, `echo ${id}`, 'ok', { tool_use_id: id }));
        expect(run.code).toBe(0);
        isDelayed ||= readdirSync(sandbox.paths.spool).some((name) => name.endsWith('.json'));
        const { health, problems, facts } = await sandbox.status();
        isSaid ||= health !== 'ok' && (facts.failedWrites > 0 || problems.some((one: string) => /cannot be read/.test(one)));
      }
    } finally {
      failed = await broken.end();
    }
    // Else this shows nothing.
    expect(failed).toBeGreaterThan(0);
    const stored = () => sandbox.query<{ id: string }>('SELECT tool_use_id AS id FROM events').map(({ id }) => id);
    await until(() => stored().length >= ids.length);
    const there = stored();
    const lost = ids.filter((id) => !there.includes(id)).length;
    const silent = isLasting && isDelayed && !isSaid ? 1 : 0;
    reportFault({ fault: 'S3', runs: ids.length, lost, twice: there.length - new Set(there).size, silent, since });
    expect({ lost, silent, count: there.length }).toEqual({ lost: 0, silent: 0, count: ids.length });
    expect(sandbox.query('PRAGMA quick_check')).toEqual([{ quick_check: 'ok' }]);
  },
  240_000,
);
