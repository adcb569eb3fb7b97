// `claude-mem doctor`: checks all that can be wrong, says what it means and how it is repaired, and repairs what is safe to repair.
import { callApi } from '../../client/api.ts';
import { formatSize } from '../../core/text.ts';
import { findPaths, type Paths } from '../../paths.ts';
import { command } from '../command.ts';
import { EXAMINATIONS, examineHook } from '../doctor/checks.ts';
import { type Examine, type Finding, type Health, type Patient, problem, writeBundle } from '../doctor/finding.ts';
import { fetchStatus } from '../worker-state.ts';

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
      ...fixed.map((said): Row => ['fixed', said]),
      ...describe(findings, patient),
      ...(bundle ? [['bundle', `${bundle}: no words of yours, paths only as numbers`] satisfies Row] : []),
    ];
    return { answer: { findings: shown, fixed }, text: () => rows.map(([name, text]) => `${name.padEnd(9)}${text}`).join('\n') };
  },
});

/** One after the other: some ask the disk for much. The self-test first: an idle worker has ended, and the hook starts it. */
async function examineAll(paths: Paths): Promise<{ patient: Patient; findings: Finding[] }> {
  const test = await examineOne('self-test', () => examineHook(paths));
  // One of another version answers otherwise: that is found by the checks.
  const status = await fetchStatus(paths).catch(() => null);
  const health = (await callApi(paths, '/health').catch(() => null)) as Health | null;
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

type Row = [name: string, text: string];

function describe(findings: Finding[], { health }: Patient): Row[] {
  const problems = findings
    .filter(({ isOk }) => !isOk)
    .flatMap(({ check, what, why, remedy, fix }): Row[] => [
      ['PROBLEM', `${check}: ${what}`],
      ['', `why: ${why}`],
      ['', `remedy: ${remedy}${fix ? '   (or claude-mem doctor --fix)' : ''}`],
    ]);
  const good = findings.filter(({ isOk }) => isOk).map(({ check, what }): Row => ['ok', `${check}: ${what}`]);
  return [...problems, ...good, ...(health?.facts ? [describeFacts(health.facts)] : [])];
}

const describeFacts = (facts: NonNullable<Health['facts']>): Row => [
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
