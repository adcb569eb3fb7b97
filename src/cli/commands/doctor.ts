// `claude-mem doctor`: checks all that can be wrong, says what it means and how it is repaired, and repairs what is safe to repair.

import { existsSync, writeFileSync } from 'node:fs';
import { callApi } from '../../client/api.ts';
import { hashParts } from '../../core/ids.ts';
import type { Status } from '../../core/shapes/worker.ts';
import { formatSize } from '../../core/text.ts';
import { readOwnFile } from '../../own-files.ts';
import { findPaths, type Paths } from '../../paths.ts';
import { scrubSecrets } from '../../secrets/scrub.ts';
import { command } from '../command.ts';
import { EXAMINATIONS, type Examine, examineHook, type Finding, type Health, type Patient, problem } from '../doctor/checks.ts';
import { type Column, type Fact, isForProgram, renderFacts, renderTable } from '../print.ts';
import { VERSION } from '../version.ts';
import { fetchStatus, findNewestLog } from '../worker-state.ts';

export const doctorCommand = command({
  name: 'doctor',
  about: 'Check the installation, the worker and the disk',
  help: 'Every problem comes with its remedy. The exit code is 1 when there is one.',
  examples: ['claude-mem doctor --fix'],
  options: {
    '--fix': 'Repair what is safe to repair, and say what was done',
    '--bundle <file>': 'Write a report for others: no words of yours, no secrets',
  },
  who: 'anyone',
  async run({ fix, bundle }) {
    const paths = findPaths();
    let { patient, findings } = await examineAll(paths);
    const fixed = fix ? await fixAll(findings) : [];
    if (fixed.length > 0) ({ patient, findings } = await examineAll(paths));
    if (bundle) writeBundle(bundle, patient, findings);
    if (findings.some(({ isOk }) => !isOk)) process.exitCode = 1;
    const shown = findings.map(({ fix: canFix, ...finding }) => ({ ...finding, canFix: canFix !== undefined }));
    const rows = [
      ...fixed.map((what) => ({ state: 'fixed', check: '', what })),
      ...findings.map((one) => ({ ...one, state: one.isOk ? 'ok' : 'problem' })),
    ];
    const facts = [
      ...fixed.map((said): Fact => ['fixed', said]),
      ...describe(findings, patient),
      ...(bundle ? [['bundle', `${bundle}: no words of yours, paths only as numbers`] satisfies Fact] : []),
    ];
    return { answer: { findings: shown, fixed }, text: () => (isForProgram() ? renderTable(COLUMNS, rows) : renderFacts(facts)) };
  },
});

/** One after the other: some ask the disk for much. The self-test first: an idle worker has ended, and the hook starts it. */
async function examineAll(paths: Paths): Promise<{ patient: Patient; findings: Finding[] }> {
  const test = await examineOne('self-test', () => examineHook(paths));
  // One of another version answers otherwise: that is found by the checks.
  const status = await fetchStatus(paths).catch(() => null);
  const health = await callApi<Health>(paths, '/health').catch(() => null);
  const patient = { paths, status, health: health?.problems ? health : null };
  const findings: Finding[] = [];
  for (const [check, examine] of EXAMINATIONS) findings.push(...(await examineOne(check, () => examine(patient))));
  return { patient, findings: [...findings, ...test] };
}

async function examineOne(check: string, examine: () => ReturnType<Examine>): Promise<Finding[]> {
  try {
    return await examine();
  } catch (error) {
    return problem(check, `It could not be checked: ${messageOf(error)}`, 'Nobody knows how it is.', 'claude-mem logs');
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

async function fixAll(findings: Finding[]): Promise<string[]> {
  // What several problems have in common is done once.
  const fixes = new Map(findings.flatMap(({ fix, remedy, check }) => (fix ? [[remedy ?? check, fix] as const] : [])));
  const done: string[] = [];
  for (const fix of fixes.values()) done.push(await Promise.try(fix).catch((error) => `not repaired: ${messageOf(error)}`));
  return done;
}

const COLUMNS: Column<{ state: string; check: string; what: string; why?: string; remedy?: string }>[] = [
  { heading: 'state', cell: ({ state }) => state },
  { heading: 'check', cell: ({ check }) => check },
  { heading: 'found', cell: ({ what }) => what },
  { heading: 'why', cell: ({ why = '' }) => why },
  { heading: 'remedy', cell: ({ remedy = '' }) => remedy },
];

function describe(findings: Finding[], { health }: Patient): Fact[] {
  const problems = findings
    .filter(({ isOk }) => !isOk)
    .flatMap(({ check, what, why, remedy, fix }): Fact[] => [
      ['PROBLEM', `${check}: ${what}`],
      ['', `why: ${why}`],
      ['', `remedy: ${remedy}${fix ? '   (or claude-mem doctor --fix)' : ''}`],
    ]);
  const good = findings.filter(({ isOk }) => isOk).map(({ check, what }): Fact => ['ok', `${check}: ${what}`]);
  return [...problems, ...good, ...(health?.facts ? [describeFacts(health.facts)] : [])];
}

const describeFacts = (facts: NonNullable<Health['facts']>): Fact => [
  'facts',
  [
    `${formatSize(facts.freeBytes)} free`,
    `${facts.failedWrites} failed writes`,
    `${facts.notKept} events not stored`,
    `${facts.setAside} failed`,
    `log of the database ${formatSize(facts.walBytes)}`,
    `schema ${facts.schema}`,
    `${facts.clockJumps} clock jumps`,
  ].join(', '),
];

// The report for others: no words of the user, no secrets.

const MOST_LINES = 300;
/** What others say, a provider or a file, stands in these: only that there is something. */
const FOREIGN = new Set(['model', 'settings', 'worker']);

function writeBundle(file: string, { paths, status, health }: Patient, findings: Finding[]): void {
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
