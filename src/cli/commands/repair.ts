// `claude-mem repair`: makes a sound database of a damaged one, with the worker stopped meanwhile.
import { existsSync } from 'node:fs';
import { readDamage } from '../../backup/damage.ts';
import { runChild } from '../../backup/process.ts';
import type { RepairReport } from '../../backup/repair.ts';
import { listRepaired } from '../../backup/say-repaired.ts';
import { findPaths, type Paths } from '../../paths.ts';
import { printJson } from '../memory-options.ts';
import { withoutWorker } from '../without-worker.ts';

export async function repair({ dryRun = false, json = false }: { dryRun?: boolean; json?: boolean }): Promise<void> {
  const paths = findPaths();
  if (!json) console.error('Reading every page. Nothing is lost meanwhile: hooks keep what happens.');
  const report = await withoutWorker(paths, () => repairDamage(paths, dryRun), json);
  if (json) return printJson(report ?? SOUND);
  if (!report) return console.log('Nothing is damaged: every page and row is as it was written. Nothing was changed.');
  const rows = Object.values(report.tables).reduce((sum, { read }) => sum + read, 0);
  const lines = listRepaired(report);
  console.log(`${rows.toLocaleString('en')} rows ${dryRun ? 'can be' : 'were'} read.`);
  for (const line of lines) console.log(`  ${line}`);
  if (report.backup) console.log(`The backup: ${report.backup}`);
  console.log(
    report.isWhole ? 'Nothing is missing.' : 'What is missing may still be read from transcripts of the last days.',
  );
  if (report.keptAs) console.log(`The memory is sound again. The database of before is kept as ${report.keptAs}`);
}

const SOUND: RepairReport = { tables: {}, backup: null, isWhole: true, keptAs: null };

/** Null when there is nothing to repair: a sound database is not put in the place of itself. */
async function repairDamage(paths: Paths, isDry: boolean): Promise<RepairReport | null> {
  if (!isDry && readDamage(paths) === null && existsSync(paths.database)) {
    const { damage, isForeign } = await runChild({ kind: 'check', paths, isDeep: true });
    if (damage.length === 0 && !isForeign) return null;
  }
  return runChild({ kind: 'repair', paths, isDry });
}
