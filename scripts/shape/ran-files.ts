// `npm run shape -- --coverage`: the files of src of which a function runs in the worker while it answers one question of each kind.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAst } from 'vite';
import { connectLines } from '../../bench/spine/line-client.ts';
import { createBenchSession, type HookCall } from '../../bench/spine/payloads.ts';

type Ran = { name: string; files: string[] };

const ran = new Set<string>();

/** To be called before anything of src is loaded: from then on each of its functions notes its file when it is called. */
function watchFunctions(root: string): void {
  Object.assign(globalThis, { noteRan: (file: string) => void ran.add(file) });
  const src = join(root, 'src/');
  Bun.plugin({
    name: 'ran-files',
    setup(build) {
      build.onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => ({
        loader: 'ts',
        contents: path.startsWith(src) ? addNotes(readSource(path), path.slice(root.length + 1)) : readSource(path),
      }));
    },
  });
}

/** What a plugin loads is not built: a macro is a function like any other. */
const readSource = (path: string) => readFileSync(path, 'utf8').replaceAll(" with { type: 'macro' }", '');

type Node = { type: string; start: number; end: number; body?: Node; [key: string]: unknown };

function addNotes(text: string, file: string): string {
  const note = `noteRan(${JSON.stringify(file)})`;
  const pieces: { at: number; piece: string }[] = [];
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, body } = node as Node;
    if (body && /^(Function|Arrow)/.test(type ?? '')) {
      if (body.type === 'BlockStatement') pieces.push({ at: body.start + 1, piece: `${note};` });
      else if (body.start !== undefined) pieces.push({ at: body.start, piece: `(${note},(` }, { at: body.end, piece: '))' });
    }
    for (const value of Object.values(node)) walk(value);
  };
  walk(parseAst(text, { lang: 'ts' }));
  // From the end, so that what stands before keeps its place; of two at one place the one that was found first stands outside.
  const ordered = pieces.map((one, order) => ({ ...one, order })).sort((a, b) => b.at - a.at || b.order - a.order);
  return ordered.reduce((left, { at, piece }) => left.slice(0, at) + piece + left.slice(at), text);
}

/** So long at most those run that look now and then: what the question before left is done. */
const QUIET_MS = 300;
const MOST_WATCHERS = 15;

/** One worker, in this process, in a home of its own. Each question was put once before: what is loaded then does not count. */
export async function listRanFiles(root: string): Promise<Ran[]> {
  watchFunctions(root);
  const home = mkdtempSync(join(tmpdir(), 'cmem-shape-'));
  const { findPaths } = await import('../../src/paths.ts');
  const { loadConfig } = await import('../../src/config.ts');
  const { startWorkerApp } = await import('../../src/server/app.ts');
  const paths = findPaths(home);
  const { config } = loadConfig(paths.config, { CLAUDE_MEM_EMBEDDER: 'static', CLAUDE_MEM_WORKER_PORT: '0', CLAUDE_MEM_PROVIDER: 'local' });
  const observed = createSignal();
  const log = {
    debug: () => undefined,
    info: (said: string) => said === 'observed' && observed.emit(),
    warn: console.error,
    error: console.error,
  };
  const worker = await startWorkerApp({
    ...{ paths, config: () => config, configProblems: () => [], fromVariables: [], version: 'shape', log, clock: Date.now },
    onDone: () => undefined,
  });
  const hooks = await connectLines(paths.workerSocket);
  const all: Ran[] = [];
  try {
    for (let round = 0; round < 2; round++) {
      all.length = 0;
      const note = async (name: string, work: () => Promise<unknown>) => {
        do {
          ran.clear();
          await Bun.sleep(QUIET_MS);
        } while (ran.size > MOST_WATCHERS);
        ran.clear();
        await work();
        all.push({ name, files: [...ran].sort() });
      };
      const session = createBenchSession(join(home, 'work'));
      const ask = (call: HookCall) => hooks.ask(toLine(call));
      const call = (method: string, route: string) => fetch(`http://localhost${route}`, { unix: paths.httpSocket, method });
      await note('a SessionStart', () => ask(session.start()));
      await ask(session.prompt(`Raise the retry limit to ${round + 5}, and run the tests`));
      await note('a PostToolUse', () => ask(session.bash('npm test', `${round} failed, 12 passed`)));
      const done = observed.next();
      await note('a turn to its memories', () => Promise.all([done, ask(session.stop(`Raised the retry limit to ${round + 5}.`))]));
      await note('a search', () => call('GET', '/api/search?query=retry+limit&all=true'));
      await note('a deletion', () => call('DELETE', `/api/observations/${round + 1}?erase=true`));
    }
  } finally {
    hooks.close();
    await worker.close();
    rmSync(home, { recursive: true, force: true });
  }
  return all;
}

const toLine = ({ command: event, payload }: HookCall) =>
  JSON.stringify({ v: 1, host: 'claude-code', event, receivedAt: Date.now(), payload });

function createSignal() {
  let waiting = Promise.withResolvers<void>();
  return {
    emit() {
      waiting.resolve();
      waiting = Promise.withResolvers();
    },
    next: () => waiting.promise,
  };
}
