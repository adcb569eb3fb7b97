// Puts cases into a blank memory as a person would have them there: as transcripts of their agent, read by a real worker.
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { callApi } from '../../src/client/api.ts';
import { createMemoryApi, type MemoryApi } from '../../src/client/memory-api.ts';
import { until } from '../../test/support/until.ts';
import { createBenchHome } from '../spine/bench-home.ts';
import type { BuiltPlugin } from '../spine/built-plugin.ts';
import type { Case } from './case.ts';
import { transcriptOf } from './transcript-of.ts';
import { changesIn, changesOf, layFiles } from './work-tree.ts';

export type Played = {
  api: MemoryApi;
  /** Where a case's project lies; its raw transcripts, for whoever greps. */
  places: Map<string, { root: string; transcripts: string[] }>;
  paths: ReturnType<typeof createBenchHome>['paths'];
  home: string;
  close: () => Promise<void>;
};

/** The larger model takes its time, beside everything else. */
const PATIENCE_MS = 30 * 60_000;

export async function play(
  cases: Case[],
  { built, sessions, embedder }: { built: BuiltPlugin; sessions: string; embedder: string },
): Promise<Played> {
  const bench = createBenchHome(built);
  mkdirSync(bench.paths.dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(bench.paths.config, JSON.stringify({ embedder }), { mode: 0o600 });
  const places: Played['places'] = new Map();
  for (const one of cases) places.set(one.name, lay(one, bench.home, sessions));
  const cli = [built.bun, join(built.folder, 'dist/cli.js'), 'import', '--yes'];
  const child = Bun.spawn(cli, { env: bench.env, cwd: bench.home, stdio: ['ignore', 'pipe', 'pipe'] });
  const startedAt = performance.now();
  const [code, said] = await Promise.all([child.exited, new Response(child.stderr).text()]);
  if (code !== 0) throw new Error(`the import ended with ${code}: ${said}`);
  const importedAt = performance.now();
  await until(async () => isSettled(await callApi(bench.paths, '/api/status')), PATIENCE_MS);
  const seconds = (from: number, to: number) => Math.round((to - from) / 1000);
  console.error(
    `${cases.length} cases: imported in ${seconds(startedAt, importedAt)} s, indexed in ${seconds(importedAt, performance.now())} s more`,
  );
  return { api: createMemoryApi(bench.paths), places, paths: bench.paths, home: bench.home, close: bench.close };
}

/** Everything is processed, and search by meaning is complete. Null: the worker did not answer in time. */
function isSettled(status: unknown): boolean {
  if (status === null) return false;
  // The worker's own answer: see Status in src/server/status.ts.
  const { queue, index } = status as { queue: { depth: number }; index: { models: { waiting: number }[] } };
  return queue.depth === 0 && index.models.every(({ waiting }) => waiting === 0);
}

function lay(one: Case, home: string, sessions: string): { root: string; transcripts: string[] } {
  const root = join(home, 'dev', one.name);
  mkdirSync(root, { recursive: true });
  const folder = join(home, '.claude/projects', root.replace(/[^a-zA-Z0-9]/g, '-'));
  mkdirSync(folder, { recursive: true });
  if (one.transcript) {
    const path = layReal(join(sessions, one.transcript), folder, root);
    layFiles(root, {}, changesIn(readFileSync(path, 'utf8')));
    return { root, transcripts: [path] };
  }
  layFiles(root, one.files ?? {}, changesOf(one.sessions ?? []));
  const transcripts = (one.sessions ?? []).map((session, at) => {
    const id = `${hex(one.name, 8)}-0000-4000-8000-${String(at + 1).padStart(12, '0')}`;
    const path = join(folder, `${id}.jsonl`);
    writeFileSync(path, transcriptOf(session, { id, root }));
    return path;
  });
  return { root, transcripts };
}

const hex = (text: string, length: number) => new Bun.CryptoHasher('sha256').update(text).digest('hex').slice(0, length);

/** A real session worked in a folder that is not here: it is given one. */
function layReal(source: string, folder: string, root: string): string {
  if (!existsSync(source)) throw new Error(`There is no ${source}. Name the folder of the sessions: --sessions DIR`);
  const path = join(folder, basename(source));
  const text = readFileSync(source, 'utf8');
  const cwd = /"cwd":\s*"((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
  if (cwd) writeFileSync(path, text.replaceAll(cwd, root));
  else copyFileSync(source, path);
  return path;
}
