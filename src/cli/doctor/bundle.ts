// `claude-mem doctor --bundle FILE`: what helps somebody else to help, without a word that was said or remembered.
import { existsSync, writeFileSync } from 'node:fs';
import { readOwnFile } from '../../own-files.ts';
import { scrubLogLine, scrubReport } from '../../server/scrub-report.ts';
import { findNewestLog } from '../newest-log.ts';
import { VERSION } from '../version.ts';
import type { Finding, Patient } from './finding.ts';

const MOST_LINES = 300;
/** What others say, a provider or a file, stands in these: only that there is something. */
const FOREIGN = new Set(['model', 'settings', 'worker']);

export function writeBundle(file: string, patient: Patient, findings: Finding[]): void {
  if (existsSync(file)) throw new Error(`${file} is there already. Name another file.`);
  const { paths, status, health } = patient;
  const report = {
    version: VERSION,
    bun: Bun.version,
    platform: `${process.platform} ${process.arch}`,
    madeAt: new Date().toISOString(),
    findings: findings.map(({ check, isOk, what, why }) => ({
      check,
      isOk,
      why,
      ...(!FOREIGN.has(check) && { what }),
    })),
    health: health && { status: health.status, facts: health.facts },
    worker: status && {
      version: status.version,
      uptimeMs: status.uptimeMs,
      rss: status.rss,
      provider: status.model.provider,
      pause: status.model.pause?.kind ?? null,
      queue: status.queue,
      sessions: status.sessions,
      observations: status.observations,
      summaries: status.summaries,
      sizes: status.sizes,
      counters: status.counters,
    },
    log: readLog(patient),
  };
  const text = JSON.stringify(scrubReport(report, paths), null, 2);
  writeFileSync(file, `${text}\n`, { mode: 0o600, flag: 'wx' });
}

function readLog({ paths }: Patient): string[] {
  const newest = findNewestLog(paths);
  const lines = newest ? readOwnFile(newest).split('\n') : [];
  return lines.flatMap((line) => scrubLogLine(line) ?? []).slice(-MOST_LINES);
}
