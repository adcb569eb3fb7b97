// The file that an export is written to: beside its place until it is whole, readable by its owner alone.
import { closeSync, fstatSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { AskError } from '../../core/ask-error.ts';
import { type ExportHeader, type ExportLine, noLines } from '../../core/export.ts';
import { scrubValue } from '../../secrets/scrub.ts';

export type ExportFile = {
  write: (line: ExportLine) => void;
  /** The lines so far. */
  counts: ExportHeader['counts'];
  /** Puts it in its place, whole and on disk. Returns its size. */
  finish: () => number;
  /** Nothing is left of it. */
  drop: () => void;
};

/** Room for the counts, which are known only at the end: spaces before a newline are still JSON. */
const HEADER_LENGTH = 640;
const FLUSH_LENGTH = 64 * 1024;

export type ExportTarget = { path: string; force: boolean };

export function createExportFile(
  target: ExportTarget,
  header: Pick<ExportHeader, 'at' | 'project' | 'since' | 'version'>,
): ExportFile {
  refuseTarget(target);
  const { path } = target;
  const part = join(dirname(path), `.${basename(path)}.claude-mem-part`);
  // One that a killed worker left.
  rmSync(part, { force: true });
  const file = openSync(part, 'wx', 0o600);
  const counts = noLines();
  let waiting: string[] = [];
  let waitingLength = 0;
  let isOpen = true;

  const headerLine = () => {
    const { at, project, since, version } = header;
    const line = JSON.stringify({ 'claude-mem': 'export', version, at, project, since, counts } satisfies ExportHeader);
    return Buffer.from(`${line}${' '.repeat(Math.max(0, headerLength - Buffer.byteLength(line)))}\n`);
  };
  const headerLength = HEADER_LENGTH + Buffer.byteLength(header.project ?? '') * 2;

  const flush = () => {
    if (waiting.length > 0) writeAll(file, Buffer.from(`${waiting.join('\n')}\n`), null);
    [waiting, waitingLength] = [[], 0];
  };

  writeAll(file, headerLine(), null);
  return {
    counts,
    write(line) {
      // What a newer rule finds must not leave either.
      const text = JSON.stringify(scrubValue(line).value);
      counts[line.kind]++;
      waiting.push(text);
      waitingLength += text.length;
      if (waitingLength >= FLUSH_LENGTH) flush();
    },
    finish() {
      flush();
      writeAll(file, headerLine(), 0);
      fsyncSync(file);
      const { size } = fstatSync(file);
      closeSync(file);
      isOpen = false;
      // Somebody else may have made one meanwhile.
      refuseTarget(target);
      renameSync(part, path);
      syncFolder(dirname(path));
      return size;
    },
    drop() {
      if (isOpen) closeSync(file);
      isOpen = false;
      rmSync(part, { force: true });
    },
  };
}

export function refuseTarget({ path, force }: ExportTarget): void {
  if (!isAbsolute(path)) throw new AskError('invalid', `${path} is not an absolute path.`, 'Give the whole path.');
  const there = statSync(path, { throwIfNoEntry: false });
  if (there?.isDirectory()) throw new AskError('conflict', `${path} is a folder.`, 'Name a file in it.');
  if (there && !force)
    throw new AskError('conflict', `${path} is there already.`, 'Take another name, or --force to replace it.');
  if (statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory()) return;
  throw new AskError('invalid', `There is no folder ${dirname(path)}.`, 'Make it first, or take another one.');
}

function writeAll(file: number, bytes: Buffer, position: number | null): void {
  for (let written = 0; written < bytes.length; ) {
    written += writeSync(file, bytes, written, bytes.length - written, position === null ? null : position + written);
  }
}

/** So that the name, too, survives a power cut. */
function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
