// A worker in this process with a data dir of its own: hooks by its socket, questions by its HTTP door.
import { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sendLine } from '../../src/client/send.ts';
import { loadConfig } from '../../src/config.ts';
import type { Envelope, HookCommand } from '../../src/core/envelope.ts';
import { hashParts } from '../../src/core/ids.ts';
import { findPaths, type Paths } from '../../src/paths.ts';
import { startWorkerApp } from '../../src/server/app.ts';
import { writeEmptyStore } from './store.ts';
import { until } from './until.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of an answer by expecting it.
export type Reply = { status: number; body: any };

export type TestWorker = {
  paths: Paths;
  /** `more`: what differs from a worker as it is. */
  start: (more?: Partial<Parameters<typeof startWorkerApp>[0]>) => Promise<void>;
  stop: () => Promise<void>;
  /** Delivers a hook and waits for its ack: what it would print. */
  send: (command: HookCommand, payload: unknown, more?: Partial<Envelope>) => Promise<string>;
  /** Until everything that was sent is observed. */
  settle: () => Promise<void>;
  call: (method: string, route: string, body?: unknown) => Promise<Reply>;
  rows: <T>(sql: string) => T[];
  /** The files of the data dir that hold this text, whatever the case. */
  filesWith: (text: string) => string[];
  problems: string[];
  dispose: () => Promise<void>;
};

export const envelopeOf = (event: HookCommand, payload: unknown, more: Partial<Envelope> = {}): Envelope => ({
  id: hashParts([event, JSON.stringify(payload)]),
  v: 1,
  host: 'claude-code',
  event,
  receivedAt: Date.now(),
  payload,
  ...more,
});

export function createTestWorker({ clock = Date.now }: { clock?: () => number } = {}): TestWorker {
  const paths = findPaths(mkdtempSync(join(tmpdir(), 'cmem-worker-')));
  writeEmptyStore(paths.database);
  const problems: string[] = [];
  const note = (message: string, details?: object) => problems.push(`${message} ${JSON.stringify(details)}`);
  let worker: Awaited<ReturnType<typeof startWorkerApp>> | null = null;

  const test: TestWorker = {
    paths,
    problems,
    async start(more) {
      // The embedder that starts no process.
      const { config } = loadConfig(paths.config, { CLAUDE_MEM_EMBEDDER: 'static' });
      const log = { debug: () => undefined, info: () => undefined, warn: note, error: note };
      const settings = { config: () => config, configProblems: () => [], fromVariables: [] };
      const deps = { paths, ...settings, version: 'test', log, clock, onDone: () => undefined, patience: 30 };
      worker = await startWorkerApp({ ...deps, ...more });
    },
    async stop() {
      await worker?.close();
      worker = null;
    },
    async send(command, payload, more) {
      const answer = await sendLine(paths.workerSocket, JSON.stringify(envelopeOf(command, payload, more)), 20_000);
      const ack = answer.kind === 'answer' ? JSON.parse(answer.line) : null;
      if (!ack?.ok) throw new Error(JSON.stringify(answer));
      return ack.output ?? '';
    },
    async settle() {
      const isDone = () => test.rows("SELECT 1 FROM events WHERE status IN ('pending','claimed')").length === 0;
      // What could not be stored at once is looked for every half minute.
      await until(isDone);
    },
    async call(method, route, body) {
      const response = await fetch(`http://localhost${route}`, {
        unix: paths.httpSocket,
        method,
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      return { status: response.status, body: await response.json() };
    },
    rows(sql) {
      // Not by openStore: it reads the file by itself, and whoever closes a file of SQLite's drops the locks of the worker in this process.
      using db = new Database(paths.database);
      db.run('PRAGMA busy_timeout = 10000');
      return db.query(sql).all() as never;
    },
    filesWith(text) {
      // In a process of its own: whoever closes a file of SQLite's in the process that has it open drops its locks, and another truncates it.
      const found = Bun.spawnSync(['grep', '-rlsaFi', '-e', text, paths.dataDir], { env: { PATH: process.env.PATH, LC_ALL: 'C' } });
      return found.stdout.toString().split('\n').filter(Boolean).sort();
    },
    async dispose() {
      await test.stop();
      rmSync(paths.dataDir, { recursive: true, force: true });
    },
  };
  return test;
}
