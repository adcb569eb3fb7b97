// `uninstall --purge` erases all that is ours in the data dir, and nothing that another product keeps there.
import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeOwnFiles } from '../../../src/own-files.ts';
import { findPaths } from '../../../src/paths.ts';

function makeData(theirs: string[]) {
  const paths = findPaths(mkdtempSync(join(tmpdir(), 'claude-mem-purge-')));
  for (const folder of [paths.spool, paths.logs, paths.modes, paths.observerDir]) mkdirSync(folder);
  const ours = [paths.database, `${paths.database}-wal`, paths.indexDatabase, paths.config, `${paths.spool}/1.json`];
  const logs = [`${paths.logs}/worker-2026-11-16.log`];
  for (const file of [...ours, ...logs, ...theirs.map((name) => join(paths.dataDir, name))]) writeFileSync(file, 'x');
  return paths;
}

test('leaves no trace where nobody else is', () => {
  const paths = makeData([]);
  removeOwnFiles(paths);
  expect(existsSync(paths.dataDir)).toBe(false);
});

test('keeps what is not ours', () => {
  const paths = makeData(['claude-mem.db', 'settings.json', 'logs/claude-mem-2026-11-16.log']);
  removeOwnFiles(paths);
  const left = readdirSync(paths.dataDir, { recursive: true }).sort();
  expect(left).toEqual(['claude-mem.db', 'logs', 'logs/claude-mem-2026-11-16.log', 'settings.json']);
  rmSync(paths.dataDir, { recursive: true });
});

test('takes along what killed runs left behind, and only that', () => {
  const paths = makeData([]);
  const put = (folder: string, file: string) => {
    mkdirSync(join(paths.dataDir, folder));
    writeFileSync(join(paths.dataDir, folder, file), 'x');
  };
  put('export-Ab3dE9', 'memory.jsonl');
  put('export-Zz0000', '.memory.jsonl.claude-mem-part');
  put('peer-copy-q1W2e3', 'claude-mem.db-wal');
  put('export-backup', 'photos.zip');
  put('export-of-may', 'memory.jsonl');
  removeOwnFiles(paths);
  const left = readdirSync(paths.dataDir, { recursive: true }).sort();
  expect(left).toEqual(['export-backup', 'export-backup/photos.zip', 'export-of-may', 'export-of-may/memory.jsonl']);
  rmSync(paths.dataDir, { recursive: true });
});
