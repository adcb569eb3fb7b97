// What the CLI knows of the worker: its status, its lock, its log, its index in words.
import { existsSync, readdirSync } from 'node:fs';
import { callApi } from '../client/api.ts';
import { requireWritable } from '../client/writable.ts';
import type { IndexState, Status } from '../core/shapes/worker.ts';
import { describeForeign, readOwnFile } from '../own-files.ts';
import type { Paths } from '../paths.ts';
import { tryOwn } from '../server/owner-lock.ts';

/** On a busy machine the answer takes its time; where nobody listens, there is none at once. */
const STATUS_TIMEOUT_MS = 10_000;

export async function fetchStatus(paths: Paths): Promise<Status | null> {
  const answer = await callApi(paths, '/api/status', { timeoutMs: STATUS_TIMEOUT_MS });
  if (answer === null) return null;
  // Two builds may have one version. By schemas that no other command has to load.
  const { StatusSchema } = await import('../core/shapes/worker.ts');
  const { success, data } = StatusSchema.safeParse(answer);
  if (success) return data;
  throw new Error('The running worker is of another version and cannot be asked. Run `claude-mem restart`.');
}

/** Whether a worker holds the data dir. The lock tells, not a pid: a process that has ended keeps its pid until its parent has looked. */
export function isOwned(paths: Paths): boolean {
  if (!existsSync(paths.ownerLock)) return false;
  // To ask for the lock is to write.
  requireWritable(paths);
  const lock = tryOwn(paths.ownerLock);
  lock?.release();
  return lock === null;
}

/** Why a worker did not start: what is wrong with its folder, else the last error in its log. */
export function readLastError(paths: Paths): string {
  const foreign = describeForeign(paths);
  if (foreign) return foreign;
  const newest = findNewestLog(paths);
  const lines = newest ? readOwnFile(newest).trimEnd().split('\n') : [];
  const last = lines.findLast((line) => line.includes(' ERROR '));
  return last ? last.slice(last.indexOf(' ERROR ') + 7) : `See the log in ${paths.logs}.`;
}

export function findNewestLog({ logs }: Paths): string | null {
  const names = existsSync(logs) ? readdirSync(logs).filter((name) => name.endsWith('.log')) : [];
  const newest = names.sort().at(-1);
  return newest ? `${logs}/${newest}` : null;
}

/** `1,234 memories, vectors 1,234 static, 1,200 minilm (34 waiting)` */
export function describeIndex({ embedder, documents, models }: IndexState): string {
  const memories = `${count(documents)} memories`;
  if (embedder === 'off') return `${memories}, found by their words alone (embedder off)`;
  const vectors = models.map(({ name, vectors, waiting }) => {
    const rest = waiting > 0 ? ` (${count(waiting)} waiting)` : '';
    return `${count(vectors)} ${shortName(name)}${rest}`;
  });
  return vectors.length === 0 ? memories : `${memories}, vectors ${vectors.join(', ')}`;
}

export function listIndexProblems({ models, problem }: IndexState): string[] {
  const own = models.flatMap((model) => (model.problem ? [`${shortName(model.name)}: ${model.problem}`] : []));
  return problem ? [problem, ...own] : own;
}

/** Engine and version are the index's business. */
const shortName = (name: string) => /^(static|minilm)-/.exec(name)?.[1] ?? name;

const count = (value: number) => value.toLocaleString('en');
