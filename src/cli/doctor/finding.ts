// What `doctor` finds: what is so, why it matters, and the one command that repairs it; and the report for others.
import { existsSync, writeFileSync } from 'node:fs';
import { hashParts } from '../../core/ids.ts';
import type { Facts, HealthStatus, Problem, Status } from '../../core/shapes/worker.ts';
import { readOwnFile } from '../../own-files.ts';
import type { Paths } from '../../paths.ts';
import { scrubSecrets } from '../../secrets/scrub.ts';
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
  const scrubbed = JSON.stringify(report, (_, value) => (typeof value === 'string' ? scrubText(value, paths) : value), 2);
  writeFileSync(file, `${scrubbed}\n`, { mode: 0o600, flag: 'wx' });
}

/** Chosen by name: no words of the user are in it. */
function describeWorker({ version, uptimeMs, rss, model, queue, sessions, observations, summaries, sizes, counters }: Status) {
  const { provider, pause } = model;
  return { version, uptimeMs, rss, provider, pause: pause?.kind ?? null, queue, sessions, observations, summaries, sizes, counters };
}

// A text made fit to be shown to strangers: no secrets, and of paths only which are the same.

const PATH = /(?<![\w.:/])(?:~|[A-Za-z]:)?\/[^\s"'`,:;(){}[\]<>|\\]+/g;

function scrubText(text: string, { dataDir }: Pick<Paths, 'dataDir'>): string {
  const named = scrubSecrets(text).text.replaceAll(dataDir, '<data dir>');
  return named.replace(PATH, (path) => `<path ${hashParts([path]).slice(0, 8)}>`);
}

/** Of a line of the log its time, level and our own words: what an error says may repeat what somebody wrote. */
function scrubLogLine(line: string): string | null {
  const [, at, level, rest = ''] = /^(\S+) (WARN|ERROR) (.*)$/.exec(line) ?? [];
  if (!at) return null;
  const codes = [...new Set(rest.match(/\b(?:SQLITE_[A-Z_]+|E[A-Z]{3,}|\w+Error)\b/g) ?? [])];
  return `${at} ${level} ${cutAtForeign(rest)}${codes.length > 0 ? ` [${codes.join(' ')}]` : ''}`;
}

/** Our own words end where details, a quotation or an error begin. */
const cutAtForeign = (message: string) => (/^[^{"'`:(/]*/.exec(message)?.[0] ?? '').trim();
