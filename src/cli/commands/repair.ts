// `claude-mem repair`: makes a sound database of a damaged one, with the worker stopped meanwhile.
import { runChild } from '../../backup/process.ts';
import { listRepaired } from '../../backup/say-repaired.ts';
import { findPaths } from '../../paths.ts';
import { printJson } from '../memory-options.ts';
import { withoutWorker } from '../without-worker.ts';

export async function repair({ dryRun = false, json = false }: { dryRun?: boolean; json?: boolean }): Promise<void> {
  const paths = findPaths();
  if (!json) console.error('Reading every page. Nothing is lost meanwhile: hooks keep what happens.');
  const report = await withoutWorker(paths, () => runChild({ kind: 'repair', paths, isDry: dryRun }), json);
  if (json) return printJson(report);
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
