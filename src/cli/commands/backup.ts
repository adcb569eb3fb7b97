// `claude-mem backup`, `restore` and `repair`: a verified copy, a copy put back, a sound database made of a damaged one.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { listCopies, makeCopy } from '../../backup/copies.ts';
import { readDamage } from '../../backup/damage.ts';
import { runChild } from '../../backup/process.ts';
import { listRepaired, type RepairReport } from '../../backup/repair.ts';
import { formatSize, sayCount } from '../../core/text.ts';
import { formatMoment } from '../../core/time.ts';
import { requireOwn } from '../../own-files.ts';
import { findPaths, type Paths } from '../../paths.ts';
import { askPerson } from '../ask.ts';
import { command, person } from '../command.ts';
import { printJson } from '../print.ts';
import { withoutWorker } from './start.ts';

export const backupCommand = command({
  name: 'backup [file]',
  about: 'make a verified copy of the memory, among the daily ones or in a file of your own',
  options: { '--json': 'what came of it, as JSON' },
  // A file anywhere would hold the memories of all projects.
  who: ({ args }) => (args.length === 0 ? 'anyone' : 'owner'),
  async run(file, { json = false }) {
    const paths = findPaths();
    requireOwn(paths);
    if (!existsSync(paths.database)) throw new Error(`There is no memory yet in ${paths.dataDir}.`);
    const target = file === undefined ? undefined : resolve(file);
    if (target && existsSync(target)) throw new Error(`${target} is there already. Name another file, or move it away.`);
    const isShown = !json && process.stderr.isTTY;
    const show = (done: number, total: number) => {
      const text = done >= total ? 'looking through the copy' : `${formatSize(done)} of ${formatSize(total)}`;
      process.stderr.write(`\r\x1b[K${text}`);
    };
    const copy = await makeCopy(paths, { ...(target ? { target } : {}), ...(isShown ? { onProgress: show } : {}) });
    if (isShown) process.stderr.write('\r\x1b[K');
    if (json) return printJson({ path: copy.path, at: new Date(copy.at).toISOString(), bytes: copy.size });
    console.log(`Copied and verified: ${copy.path} (${formatSize(copy.size)}). It is as private as the memory itself.`);
  },
});

export const restoreCommand = command({
  name: 'restore [copy]',
  about: 'put a copy into the place of the memory: a file, or `latest`; what was forgotten since stays forgotten',
  options: { '-y, --yes': 'do not ask', '--json': 'what came of it, as JSON' },
  who: person('It puts an older memory into the place of the present one.'),
  async run(named = 'latest', { yes = false, json = false }) {
    const paths = findPaths();
    requireOwn(paths);
    const { path, from } = choose(paths, named);
    const question = `Put ${path}${from} into the place of the present memory, which is kept beside it? [y/N] `;
    if (!yes && !(await askPerson(question))) {
      process.exitCode = 1;
      return console.log('Nothing was changed.');
    }
    const report = await withoutWorker(paths, () => runChild({ kind: 'restore', paths, copy: path }), json);
    if (json) return printJson({ copy: path, ...report });
    const forgotten =
      report.forgotten > 0 ? ` ${sayCount(report.forgotten, 'memories')} that had been forgotten since stay forgotten.` : '';
    console.log(`The memory is that of ${path}${from}.${forgotten} The database of before is kept as ${report.keptAs}`);
  },
});

function choose(paths: Paths, named: string): { path: string; from: string } {
  const copies = listCopies(paths);
  const newest = copies[0];
  if (named === 'latest' && !newest) throw new Error(`There is no backup in ${paths.backups}.`);
  const path = named === 'latest' && newest ? newest.path : resolve(named);
  if (!existsSync(path)) {
    const listed = copies.map((copy) => `\n  ${copy.path}  ${formatMoment(copy.at)}, ${formatSize(copy.size)}`).join('');
    throw new Error(`There is no ${path}. ${copies.length > 0 ? `There are:${listed}` : ''}`);
  }
  const known = copies.find((copy) => copy.path === path);
  return { path, from: known ? ` (of ${formatMoment(known.at)})` : '' };
}

export const repairCommand = command({
  name: 'repair',
  about: 'make a sound memory of a damaged one: every row that can be read, and what the newest backup has',
  options: { '--dry-run': 'only say what would come of it', '--json': 'what came of it, as JSON' },
  // It keeps the damaged file, and takes nothing from anywhere but this folder.
  who: 'anyone',
  async run({ dryRun = false, json = false }) {
    const paths = findPaths();
    requireOwn(paths);
    if (!json) console.error('Reading every page. Nothing is lost meanwhile: hooks keep what happens.');
    const report = await withoutWorker(paths, () => repairDamage(paths, dryRun), json);
    if (json) return printJson(report ?? SOUND);
    if (!report) return console.log('Nothing is damaged: every page and row is as it was written. Nothing was changed.');
    const rows = Object.values(report.tables).reduce((sum, { read }) => sum + read, 0);
    const lines = listRepaired(report);
    console.log(`${rows.toLocaleString('en')} rows ${dryRun ? 'can be' : 'were'} read.`);
    for (const line of lines) console.log(`  ${line}`);
    if (report.backup) console.log(`The backup: ${report.backup}`);
    console.log(report.isWhole ? 'Nothing is missing.' : 'What is missing may still be read from transcripts of the last days.');
    if (report.keptAs) console.log(`The memory is sound again. The database of before is kept as ${report.keptAs}`);
  },
});

const SOUND: RepairReport = { tables: {}, backup: null, isWhole: true, keptAs: null };

/** Null when there is nothing to repair: a sound database is not put in the place of itself. */
async function repairDamage(paths: Paths, isDry: boolean): Promise<RepairReport | null> {
  if (!isDry && readDamage(paths) === null && existsSync(paths.database)) {
    const { damage, isForeign } = await runChild({ kind: 'check', paths, isDeep: true });
    if (damage.length === 0 && !isForeign) return null;
  }
  return runChild({ kind: 'repair', paths, isDry });
}
