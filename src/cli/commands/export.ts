// `claude-mem export`: everything that is remembered as lines of JSON in a file, or decisions as Markdown in a folder.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { codeOf } from '../../core/passing-fault.ts';
import { findPaths } from '../../paths.ts';
import { command, misuse } from '../command.ts';
import { openMemory, readPlace } from '../options.ts';
import { runJob, watchJob } from '../watch-job.ts';

export const exportCommand = command({
  name: 'export [file]',
  about: 'Write all memories to a file (JSON Lines)',
  options: {
    '--project [name]': 'Only this project, or another one',
    '--since <when>': 'Only what came after it: 2026-01-05, "3 weeks"',
    '--force': 'Replace the file if it exists',
    '--decisions <dir>': 'The decisions of a project as Markdown instead, a file for each topic',
  },
  help:
    '`-` is the standard output; `claude-mem import` reads the file. It is as private as the memory itself, and not encrypted. ' +
    'docs/export.md describes the format.',
  examples: ['claude-mem export memories.jsonl', 'claude-mem export - --project shop --since "1 month" | gzip > shop.jsonl.gz'],
  who: ({ options }) => (options.decisions !== undefined && options.project === undefined ? 'anyone' : 'owner'),
  async run(file, { project, since, force = false, decisions, json = false }) {
    const said = { json, cancelled: CANCELLED };
    if (decisions !== undefined) {
      // Of the project we are in unless another is named. Asked first: refused where an agent may not read them.
      const place = readPlace(project ?? true);
      await openMemory().search({ ...place, query: '', type: ['decision'], limit: 1 });
      return runJob('export', { ...place, decisions: resolve(decisions) }, said);
    }
    if (file === undefined) throw misuse('Say where to: `claude-mem export memory.jsonl`, or `-` for the standard output.');
    const parameters = { ...readPlace(project), ...(since && { since }), force };
    if (file !== '-') return runJob('export', { ...parameters, path: resolve(file) }, said);
    if (json) throw misuse('`-` and --json both want the standard output. Give a file.');
    return printExport(parameters);
  },
});

/** The worker writes a file that only we can read; whatever happens, it does not stay. */
async function printExport(parameters: Record<string, unknown>): Promise<undefined> {
  const { dataDir } = findPaths();
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const folder = mkdtempSync(join(dataDir, 'export-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'memory.jsonl');
  const { status, result } = await watchJob('export', { ...parameters, path });
  if (status === 'cancelled') process.exitCode = 1;
  // Whoever reads it may have seen enough.
  else await Bun.write(Bun.stdout, Bun.file(path)).catch((error) => codeOf(error) === 'EPIPE' || Promise.reject(error));
  console.error(status === 'cancelled' ? CANCELLED : (result?.[0] ?? ''));
}

const CANCELLED = 'Cancelled. Nothing was written.';
