// `claude-mem restore`: puts a copy into the place of the memory, with the worker stopped meanwhile.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { listCopies } from '../../backup/copies.ts';
import { runChild } from '../../backup/process.ts';
import { formatSize } from '../../core/format-size.ts';
import { formatDate, formatTime } from '../../core/local-time.ts';
import { sayCount } from '../../core/say-count.ts';
import { findPaths, type Paths } from '../../paths.ts';
import { askPerson } from '../ask-person.ts';
import { printJson } from '../memory-options.ts';
import { withoutWorker } from '../without-worker.ts';

export async function restore(
  named = 'latest',
  { yes = false, json = false }: { yes?: boolean; json?: boolean },
): Promise<void> {
  const paths = findPaths();
  const { path, from } = choose(paths, named);
  const question = `Put ${path}${from} into the place of the present memory, which is kept beside it? [y/N] `;
  if (!yes && !(await askPerson(question))) {
    process.exitCode = 1;
    return console.log('Nothing was changed.');
  }
  const report = await withoutWorker(paths, () => runChild({ kind: 'restore', paths, copy: path }), json);
  if (json) return printJson({ copy: path, ...report });
  const forgotten =
    report.forgotten > 0
      ? ` ${sayCount(report.forgotten, 'memories')} that had been forgotten since stay forgotten.`
      : '';
  console.log(`The memory is that of ${path}${from}.${forgotten} The database of before is kept as ${report.keptAs}`);
}

function choose(paths: Paths, named: string): { path: string; from: string } {
  const copies = listCopies(paths);
  const newest = copies[0];
  if (named === 'latest' && !newest) throw new Error(`There is no backup in ${paths.backups}.`);
  const path = named === 'latest' && newest ? newest.path : resolve(named);
  if (!existsSync(path)) {
    const listed = copies.map((copy) => `\n  ${copy.path}  ${describe(copy.at)}, ${formatSize(copy.size)}`).join('');
    throw new Error(`There is no ${path}. ${copies.length > 0 ? `There are:${listed}` : ''}`);
  }
  const known = copies.find((copy) => copy.path === path);
  return { path, from: known ? ` (of ${describe(known.at)})` : '' };
}

const describe = (at: number) => `${formatDate(at)} ${formatTime(at)}`;
