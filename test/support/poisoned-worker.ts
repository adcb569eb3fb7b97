// A worker that one event ends: `bun poisoned-worker.ts DATA_DIR die|hang|live [STABLE_MS]`.
import { loadConfig } from '../../src/config.ts';
import { observeBatch } from '../../src/observe/observe.ts';
import { findPaths } from '../../src/paths.ts';
import { startWorkerApp } from '../../src/server/app.ts';

const [, , dataDir = '', kind, stableMs] = process.argv;
const paths = findPaths(dataDir);
const { config } = loadConfig(paths.config, {});
const quiet = () => undefined;

function end(): never {
  if (kind === 'die') process.kill(process.pid, 'SIGKILL');
  // For ever, and at nobody's cost.
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

const POISONED = /POISON/;
const parse = JSON.parse;
JSON.parse = (text: string, ...more: []) => {
  const value = parse(text, ...more);
  // Whoever looks at where it happened never comes back.
  if (typeof text === 'string' && text.includes('POISONED-FILE') && value?.receivedAt) {
    Object.defineProperty(value.payload, 'cwd', { enumerable: true, get: end });
  }
  return value;
};

await startWorkerApp({
  paths,
  config: () => config,
  configProblems: () => [],
  fromVariables: [],
  version: 'test',
  log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  clock: Date.now,
  onDone: quiet,
  // A loaded machine lets a worker wait for seconds, too.
  hangSeconds: kind === 'hang' ? 2 : 60,
  stableMs: stableMs === undefined ? undefined : Number(stableMs),
  observe: (batch) => {
    if (kind !== 'live' && batch.events.some((event) => event.kind === 'prompt' && POISONED.test(event.text))) end();
    return observeBatch(batch);
  },
});
