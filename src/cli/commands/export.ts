// `claude-mem export`: everything that is remembered as lines of JSON in a file, or decisions as Markdown in a folder.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Job } from '../../core/job.ts';
import { findPaths, type Paths } from '../../paths.ts';
import { printJson } from '../memory-options.ts';
import { openMemory } from '../open-memory.ts';
import { type ProjectOption, readProject } from '../project-option.ts';
import { watchJob } from '../watch-job.ts';

export type ExportOptions = {
  project?: ProjectOption;
  since?: string;
  force?: boolean;
  decisions?: string;
  json?: boolean;
};

export async function exportMemory(file: string | undefined, options: ExportOptions): Promise<void> {
  const { since, force, decisions, json = false } = options;
  const paths = findPaths();
  if (decisions !== undefined) return exportDecisions(paths, decisions, options);
  if (file === undefined)
    throw new Error('Say where to: `claude-mem export memory.jsonl`, or `-` for the standard output.');
  const parameters = { ...placeOf(options.project), ...(since ? { since } : {}), force: force ?? false };
  if (file === '-' && json) throw new Error('`-` and --json both want the standard output. Give a file.');
  if (file === '-') return printExport(paths, parameters);
  await writeExport(paths, { ...parameters, path: resolve(file) }, json);
}

/** Of the project we are in unless another is named: of all of them they would be a heap. */
async function exportDecisions(paths: Paths, folder: string, options: ExportOptions): Promise<void> {
  const { project = true, json = false } = options;
  const place = placeOf(project);
  // Refused where an agent may not read them.
  await openMemory().search({ ...place, query: '', type: ['decision'], limit: 1 });
  const parameters = { ...place, decisions: resolve(folder) };
  await writeExport(paths, parameters, json);
}

async function writeExport(paths: Paths, parameters: Record<string, unknown>, json: boolean): Promise<void> {
  const job = await watchJob(paths, { kind: 'export', parameters }, { quiet: json });
  if (job.status === 'cancelled') process.exitCode = 1;
  if (json) return printJson(job);
  console.log(describeEnd(job));
}

function placeOf(option: ProjectOption | undefined): { project?: string; cwd?: string } {
  if (option === undefined) return {};
  const said = readProject(option);
  return said.kind === 'folder' ? { cwd: said.path } : { project: said.name };
}

/** The worker writes a file that only we can read; whatever happens, it does not stay. */
async function printExport(paths: Paths, parameters: Record<string, unknown>): Promise<void> {
  mkdirSync(paths.dataDir, { recursive: true, mode: 0o700 });
  const folder = mkdtempSync(join(paths.dataDir, 'export-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.on('exit', remove);
  try {
    const path = join(folder, 'memory.jsonl');
    const job = await watchJob(paths, { kind: 'export', parameters: { ...parameters, path } });
    if (job.status === 'done') await print(path);
    if (job.status === 'cancelled') process.exitCode = 1;
    console.error(job.status === 'done' ? (job.result?.[0] ?? '') : describeEnd(job));
  } finally {
    remove();
    process.off('exit', remove);
  }
}

/** Whoever reads it may have seen enough. */
async function print(path: string): Promise<void> {
  try {
    await Bun.write(Bun.stdout, Bun.file(path));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) throw error;
  }
}

const describeEnd = ({ status, result }: Job) =>
  status === 'cancelled' ? 'Cancelled. Nothing was written.' : (result ?? []).join('\n');
