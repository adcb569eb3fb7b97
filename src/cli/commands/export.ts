// `claude-mem export`: everything that is remembered as lines of JSON in a file, or decisions as Markdown in a folder.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findPaths, type Paths } from '../../paths.ts';
import { command, type OptionsOf } from '../command.ts';
import { openMemory } from '../open-memory.ts';
import { readPlace } from '../options.ts';
import { runJob, watchJob } from '../watch-job.ts';

const OPTIONS = {
  '--project [name]': 'only this project, or another one',
  '--since <when>': 'only what came after it: 2026-01-05, "3 weeks"',
  '--force': 'also if the file is there already',
  '--decisions <dir>': 'the decisions of a project as Markdown instead, a file for each topic',
  '--json': 'what came of it, as JSON',
};
type ExportOptions = OptionsOf<typeof OPTIONS>;

export const exportCommand = command({
  name: 'export [file]',
  about: 'write all memories to a file (JSON Lines), or `-` for the screen; `import` reads it',
  options: OPTIONS,
  help: 'The file is as private as the memory itself, and not encrypted. docs/export.md describes the format.',
  examples: [
    'claude-mem export memories.jsonl',
    'claude-mem export - --project shop --since "1 month" | gzip > shop.jsonl.gz',
    'claude-mem export --decisions docs/decisions --project       for git: one file for each topic',
  ],
  who: ({ options }) => (options.decisions !== undefined && options.project === undefined ? 'anyone' : 'owner'),
  async run(file, options) {
    const { since, force, decisions, json = false } = options;
    const paths = findPaths();
    if (decisions !== undefined) return exportDecisions(decisions, options);
    if (file === undefined) throw new Error('Say where to: `claude-mem export memory.jsonl`, or `-` for the standard output.');
    const parameters = { ...readPlace(options.project), ...(since ? { since } : {}), force: force ?? false };
    if (file === '-' && json) throw new Error('`-` and --json both want the standard output. Give a file.');
    if (file === '-') return printExport(paths, parameters);
    await writeExport({ ...parameters, path: resolve(file) }, json);
  },
});

/** Of the project we are in unless another is named: of all of them they would be a heap. */
async function exportDecisions(folder: string, options: ExportOptions): Promise<void> {
  const { project = true, json = false } = options;
  const place = readPlace(project);
  // Refused where an agent may not read them.
  await openMemory().search({ ...place, query: '', type: ['decision'], limit: 1 });
  const parameters = { ...place, decisions: resolve(folder) };
  await writeExport(parameters, json);
}

const writeExport = (parameters: Record<string, unknown>, json: boolean): Promise<void> =>
  runJob('export', parameters, { json, cancelled: CANCELLED });

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
    console.error(job.status === 'done' ? (job.result?.[0] ?? '') : CANCELLED);
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

const CANCELLED = 'Cancelled. Nothing was written.';
