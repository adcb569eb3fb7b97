// A folder of transcripts for one test, and a worker that reads them.
import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { JobKind } from '../../src/core/job.ts';
import type { Job } from '../../src/core/shapes/job.ts';
import { toLines } from './transcript.ts';
import { until } from './until.ts';
import type { TestWorker } from './worker-app.ts';

export type Transcripts = {
  folder: string;
  /** Lines, or the text itself. Of long ago, unless it says otherwise. */
  write: (name: string, lines: object[] | string, at?: number) => string;
  append: (name: string, lines: object[] | string, at?: number) => void;
  dispose: () => void;
};

const LONG_AGO = Date.parse('2026-03-03T09:00:00Z');

export function createTranscripts(): Transcripts {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'cmem-past-')));
  const textOf = (lines: object[] | string) => (typeof lines === 'string' ? lines : toLines(lines));
  const touch = (path: string, at: number) => utimesSync(path, at / 1000, at / 1000);
  return {
    folder,
    write(name, lines, at = LONG_AGO) {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, textOf(lines));
      touch(path, at);
      return path;
    },
    append(name, lines, at = LONG_AGO + 60_000) {
      appendFileSync(join(folder, name), textOf(lines));
      touch(join(folder, name), at);
    },
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Has it read, and waits for the end. */
export const importAll = (worker: TestWorker, parameters: object): Promise<Job> => runJob(worker, 'import', parameters);

export async function runJob(worker: TestWorker, kind: JobKind, parameters: object): Promise<Job> {
  const { status, body } = await worker.call('POST', '/api/jobs', { kind, parameters });
  if (status !== 202) throw new Error(JSON.stringify(body));
  const isOver = ({ status: now }: Job) => now !== 'waiting' && now !== 'running';
  const read = async (): Promise<Job> => (await worker.call('GET', `/api/jobs/${body.id}`)).body;
  return until(async () => {
    const job = await read();
    return isOver(job) ? job : null;
  }, 240_000);
}
