// `claude-mem backup`, `restore` and `repair`: a verified copy, a copy put back, a sound database made of a damaged one.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { isRegular, listCopies, makeCopy, NO_FILE, runChild } from '../../backup/copies.ts';
import { listRepaired, type RepairReport, readDamage } from '../../backup/damage.ts';
import { clearRepaired, readRepaired, settleSwap } from '../../backup/swap.ts';
import { formatSize, sayCount } from '../../core/text.ts';
import { formatMoment } from '../../core/time.ts';
import { requireOwn } from '../../own-files.ts';
import { findPaths, type Paths } from '../../paths.ts';
import { askPerson } from '../ask.ts';
import { command, person } from '../command.ts';
import { createProgress, waitFor } from '../watch-job.ts';
import { withoutWorker } from './start.ts';

export const backupCommand = command({
  name: 'backup [file]',
  about: 'Make a verified copy of the memory',
  help: 'Among the daily ones, or in a file of your own.',
  examples: ['claude-mem backup ~/memory-copy.db'],
  // A file anywhere would hold the memories of all projects.
  who: ({ args }) => (args.length === 0 ? 'anyone' : 'owner'),
  async run(file, { json = false }) {
    const paths = findPaths();
    requireOwn(paths);
    if (!existsSync(paths.database)) throw new Error(`There is no memory yet in ${paths.dataDir}.`);
    const target = file === undefined ? undefined : resolve(file);
    if (target && existsSync(target)) throw new Error(`${target} exists already. Name another file, or move it away.`);
    const { show, end } = createProgress(json);
    const onProgress = (done: number, total: number) => {
      const step = done >= total ? 'checking the copy' : `${formatSize(done)} of ${formatSize(total)}`;
      show({ step, done, total, unit: 'bytes', counts: {} });
    };
    const { path, at, size } = await makeCopy(paths, { ...(target && { target }), onProgress });
    end();
    return {
      answer: { path, at: new Date(at).toISOString(), bytes: size },
      text: () => `Copied and verified: ${path} (${formatSize(size)}). It is as private as the memory itself.`,
    };
  },
});

export const restoreCommand = command({
  name: 'restore [copy]',
  about: 'Replace the memory by a copy',
  help: 'The copy is a file, or `latest`. What was forgotten since stays forgotten; the present memory is kept beside it.',
  examples: ['claude-mem restore latest'],
  options: { '-y, --yes': 'Do not ask' },
  who: person('It replaces the present memory by an older one.'),
  async run(named = 'latest', { yes = false, json = false }) {
    const paths = findPaths();
    requireOwn(paths);
    const { path, from } = choose(paths, named);
    if (!yes && !askPerson(`Replace the memory by ${path}${from}? The present one is kept beside it. [y/N] `)) {
      process.exitCode = 1;
      return 'Nothing was changed.';
    }
    const restoring = withoutWorker(paths, () => runChild({ kind: 'restore', paths, copy: path }), json);
    const report = await waitFor('Putting the copy back', restoring, json);
    const { forgotten, keptAs } = report;
    const gone = forgotten > 0 ? ` ${sayCount(forgotten, 'memories')} that had been forgotten since stay forgotten.` : '';
    return {
      answer: { copy: path, ...report },
      text: () => `The memory is that of ${path}${from}.${gone} The database of before is kept as ${keptAs}`,
    };
  },
});

function choose(paths: Paths, named: string): { path: string; from: string } {
  const copies = listCopies(paths);
  const path = named === 'latest' ? copies[0]?.path : resolve(named);
  if (path === undefined) throw new Error(`There is no backup in ${paths.backups}.`);
  if (!existsSync(path)) {
    const listed = copies.map((copy) => `\n  ${copy.path}  ${formatMoment(copy.at)}, ${formatSize(copy.size)}`).join('');
    throw new Error(`There is no ${path}. ${listed && `There are:${listed}`}`);
  }
  if (!isRegular(path)) throw new Error(`${path} cannot be restored: ${NO_FILE}. Nothing was changed.`);
  const known = copies.find((copy) => copy.path === path);
  return { path, from: known ? ` (of ${formatMoment(known.at)})` : '' };
}

export const repairCommand = command({
  name: 'repair',
  about: 'Repair a damaged memory',
  help: 'It takes every row that can be read, and the rest from the newest backup. The damaged file is kept.',
  options: { '--dry-run': 'Only show the result' },
  // It keeps the damaged file, and takes nothing from anywhere but this folder.
  who: 'anyone',
  async run({ dryRun = false, json = false }) {
    const paths = findPaths();
    requireOwn(paths);
    if (!json) console.error('Reading every page. Nothing is lost meanwhile: hooks use the offline queue.');
    const { report, earlier } = await waitFor(
      'Reading every page',
      withoutWorker(paths, () => repairDamage(paths, dryRun), json),
      json,
    );
    return {
      answer: { ...(report ?? SOUND), earlier },
      text: () => [describe(report, dryRun), ...earlier.map(describeEarlier)].join('\n'),
      onPrinted: () => dryRun || clearRepaired(paths),
    };
  },
});

const SOUND: RepairReport = { tables: {}, backup: null, isWhole: true, keptAs: null };

/** `report`: null when nothing is damaged: a sound database is not put in the place of itself. `earlier`: of which nobody has heard. */
type Repaired = { report: RepairReport | null; earlier: RepairReport[] };

async function repairDamage(paths: Paths, isDry: boolean): Promise<Repaired> {
  settleSwap(paths);
  const earlier = readRepaired(paths);
  if (!isDry && readDamage(paths) === null && existsSync(paths.database)) {
    const { damage, isForeign } = await runChild({ kind: 'check', paths, isDeep: true });
    if (damage.length === 0 && !isForeign) return { report: null, earlier };
  }
  return { report: await runChild({ kind: 'repair', paths, isDry }), earlier };
}

const describeEarlier = (report: RepairReport) => `An earlier repair, not reported until now:\n${describe(report, false)}`;

function describe(report: RepairReport | null, isDry: boolean): string {
  if (!report) return 'Nothing is damaged: every page and row is as it was written. Nothing was changed.';
  const rows = Object.values(report.tables).reduce((sum, { read }) => sum + read, 0);
  return [
    `${rows.toLocaleString('en')} rows ${isDry ? 'can be' : 'were'} read.`,
    ...listRepaired(report).map((line) => `  ${line}`),
    ...(report.backup ? [`The backup: ${report.backup}`] : []),
    report.isWhole ? 'Nothing is missing.' : 'What is missing may still be read from transcripts of the last days.',
    ...(report.keptAs ? [`The memory is repaired. The database of before is kept as ${report.keptAs}`] : []),
  ].join('\n');
}
