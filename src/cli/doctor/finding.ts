// What `doctor` finds: what is so, why it matters, and the one command that repairs it; and the report for others.
import { existsSync, writeFileSync } from 'node:fs';
import type { Facts, HealthStatus, Problem, Status } from '../../core/shapes/worker.ts';
import { readOwnFile } from '../../own-files.ts';
import type { Paths } from '../../paths.ts';
import { scrubLogLine, scrubReport } from '../../server/scrub-report.ts';
import { VERSION } from '../version.ts';
import { findNewestLog } from '../worker-state.ts';

export type Finding = {
  check: string;
  isOk: boolean;
  what: string;
  /** Of a problem: what comes of it, and one command, or one thing to do. */
  why?: string;
  remedy?: string;
  /** Repairs it, if that can do no harm; says what it did. */
  fix?: () => Promise<string> | string;
};

export type Health = { status: HealthStatus; problems: Problem[]; facts?: Facts };

/** `status` and `health` are null when no worker answers, or one that does not know the question. */
export type Patient = { paths: Paths; status: Status | null; health: Health | null };

/** What is found of one check; nothing where it cannot be looked at. */
export type Examine = (patient: Patient) => Promise<Finding[]> | Finding[];

export const ok = (check: string, what: string): Finding[] => [{ check, isOk: true, what }];
/** None without its reason and its remedy. */
export const problem = (check: string, what: string, why: string, remedy: string, fix?: Finding['fix']): Finding[] => [
  { check, isOk: false, what, why, remedy, ...(fix && { fix }) },
];

const MOST_LINES = 300;
/** What others say, a provider or a file, stands in these: only that there is something. */
const FOREIGN = new Set(['model', 'settings', 'worker']);

export function writeBundle(file: string, { paths, status, health }: Patient, findings: Finding[]): void {
  if (existsSync(file)) throw new Error(`${file} exists already. Name another file.`);
  const newest = findNewestLog(paths);
  const lines = newest ? readOwnFile(newest).split('\n') : [];
  const report = {
    version: VERSION,
    bun: Bun.version,
    platform: `${process.platform} ${process.arch}`,
    madeAt: new Date().toISOString(),
    findings: findings.map(({ check, isOk, what, why }) => ({ check, isOk, why, ...(!FOREIGN.has(check) && { what }) })),
    health: health && { status: health.status, facts: health.facts },
    worker: status && describeWorker(status),
    log: lines.flatMap((line) => scrubLogLine(line) ?? []).slice(-MOST_LINES),
  };
  writeFileSync(file, `${JSON.stringify(scrubReport(report, paths), null, 2)}\n`, { mode: 0o600, flag: 'wx' });
}

/** Chosen by name: no words of the user are in it. */
function describeWorker({ version, uptimeMs, rss, model, queue, sessions, observations, summaries, sizes, counters }: Status) {
  const { provider, pause } = model;
  return { version, uptimeMs, rss, provider, pause: pause?.kind ?? null, queue, sessions, observations, summaries, sizes, counters };
}
