// The job of kind `import`: whatever it is pointed at, transcripts, an export of ours, or another claude-mem's database.
import { statSync } from 'node:fs';
import { z } from 'zod';
import { AskError } from '../core/ask-error.ts';
import { CHOOSING, type JobControl, type RunJob } from '../core/job.ts';
import { type ImportAnswer, type ImportParameters, ImportShape, type ImportSource } from '../core/shapes/job.ts';
import { readPiece } from '../regular-file.ts';
import { type ChooseDeps, chooseSessions } from './choose-sessions.ts';

/** As a job that is run, of what is checked already. */
export type RunImport = (wanted: ImportParameters, control: JobControl) => Promise<string[]>;

export const runImport =
  (kinds: Record<ImportSource, RunImport>): RunJob =>
  (parameters, control) => {
    const read = z.strictObject(ImportShape).safeParse(parameters);
    if (!read.success) {
      const [issue] = read.error.issues;
      throw new AskError('invalid', `${issue?.path.join('.')}: ${issue?.message}.`, 'See docs/import.md.');
    }
    const source = recognise(read.data.path);
    if (source !== 'transcripts') requireWhole(read.data);
    return kinds[source](read.data, control);
  };

function requireWhole(wanted: ImportParameters): void {
  const said = CHOOSING.filter((name) => wanted[name] !== undefined && wanted[name] !== 0);
  if (said.length === 0) return;
  const what = `${said.join(' and ')}: for transcripts only; ${wanted.path} is taken as a whole.`;
  throw new AskError('invalid', what, 'Leave it out.');
}

/** What would be read. */
export async function previewImport(deps: ChooseDeps, wanted: ImportParameters): Promise<ImportAnswer> {
  const { path = null } = wanted;
  const source = recognise(wanted.path);
  if (source !== 'transcripts') {
    requireWhole(wanted);
    return { source, path, sessions: {}, bytes: statSync(path ?? '').size, from: null, to: null };
  }
  const found = await chooseSessions(deps, wanted);
  const sessions: Record<string, number> = {};
  for (const { host } of found) sessions[host.name] = (sessions[host.name] ?? 0) + 1;
  return {
    source,
    path,
    sessions,
    bytes: found.reduce((sum, { bytes }) => sum + bytes, 0),
    from: found[0]?.lastAt ?? null,
    to: found.at(-1)?.lastAt ?? null,
  };
}

const HEAD = 256;
/** gzip, zip, zstd, xz, bzip2. */
const PACKED = ['\x1f\x8b', 'PK\x03\x04', '\x28\xb5\x2f\xfd', '\xfd7zXZ', 'BZh'];

/** By how it begins, never by its name. */
function recognise(path: string | undefined): ImportSource {
  if (path === undefined) return 'transcripts';
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) throw new AskError('unknown', `There is no ${path}.`, 'Give a file or a folder that is there.');
  if (!stat.isFile()) return 'transcripts';
  const head = readHead(path);
  if (PACKED.some((mark) => head.startsWith(mark)))
    throw new AskError('invalid', `${path} is packed.`, 'Unpack it first, then import what was in it.');
  if (head.startsWith('SQLite format 3\0')) return 'claude-mem.db';
  return /^\s*\{\s*"claude-mem"\s*:\s*"export"/.test(head) ? 'export' : 'transcripts';
}

function readHead(path: string): string {
  try {
    return readPiece(path, HEAD).toString('latin1');
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new AskError('invalid', `${path} cannot be read (${why}).`, 'Make it readable for you first.');
  }
}
