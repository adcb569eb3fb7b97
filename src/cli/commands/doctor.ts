// `claude-mem doctor`: looks at all that can be wrong, says what it means and how it is mended, and mends what is safe to mend.

import { callApi } from '../../client/api.ts';
import { formatSize } from '../../core/text.ts';
import { findPaths, type Paths } from '../../paths.ts';
import { command, type OptionsOf } from '../command.ts';
import { type Examine, type Finding, type Health, type Patient, problem, writeBundle } from '../doctor/finding.ts';
import {
  examineClock,
  examineCommand,
  examineDataDir,
  examineRuntime,
  examineSettings,
  examineSpace,
  examineStore,
} from '../doctor/place-checks.ts';
import {
  examineHealth,
  examineHook,
  examineModel,
  examinePort,
  examineRegistration,
  examineSockets,
  examineWorker,
} from '../doctor/worker-checks.ts';
import { printJson } from '../print.ts';
import { fetchStatus } from '../worker-state.ts';

/** The gravest first. The self-test before all of them: a worker that was idle has ended, and the hook starts it, as any other would. */
const EXAMINATIONS: [string, Examine][] = [
  ['database', examineStore],
  ['health', examineHealth],
  ['worker', examineWorker],
  ['data dir', examineDataDir],
  ['disk', examineSpace],
  ['settings', examineSettings],
  ['hooks', examineRegistration],
  ['runtime', examineRuntime],
  ['sockets', examineSockets],
  ['port', examinePort],
  ['model', examineModel],
  ['clock', examineClock],
  ['command', examineCommand],
];

const OPTIONS = {
  '--fix': 'mend what is safe to mend, and say what was done',
  '--bundle <file>': 'write a report for others: no words of yours, no secrets',
  '--json': 'as JSON',
};

export const doctorCommand = command({
  name: 'doctor',
  about: 'look at all that can be wrong: the installation, the worker, the disk; ends with 1 when something is',
  options: OPTIONS,
  who: 'anyone',
  async run(options) {
    const paths = findPaths();
    let { patient, findings } = await examineAll(paths);
    const done = options.fix ? await fixAll(findings) : [];
    if (done.length > 0) ({ patient, findings } = await examineAll(paths));
    if (options.bundle) writeBundle(options.bundle, patient, findings);
    if (options.json) printJson({ findings: findings.map(show), fixed: done });
    else print(findings, { done, patient, options });
    if (findings.some(({ isOk }) => !isOk)) process.exitCode = 1;
  },
});

async function readPatient(paths: Paths): Promise<Patient> {
  // One of another version answers otherwise: that is found by the checks.
  const status = await fetchStatus(paths).catch(() => null);
  const health = (await callApi(paths, '/health').catch(() => null)) as Health | null;
  return { paths, status, health: health?.problems ? health : null };
}

/** One after the other: some ask the disk for much. */
async function examineAll(paths: Paths): Promise<{ patient: Patient; findings: Finding[] }> {
  const test = await examineOne('self-test', () => examineHook({ paths, status: null, health: null }));
  const patient = await readPatient(paths);
  const findings: Finding[] = [];
  for (const [check, examine] of EXAMINATIONS) findings.push(...(await examineOne(check, () => examine(patient))));
  return { patient, findings: [...findings, ...test] };
}

async function examineOne(check: string, examine: () => ReturnType<Examine>): Promise<Finding[]> {
  try {
    return await examine();
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return [
      problem(check, `It could not be looked at: ${said}`, {
        why: 'Nobody knows how it is.',
        remedy: 'claude-mem logs',
      }),
    ];
  }
}

async function fixAll(findings: Finding[]): Promise<string[]> {
  const done: string[] = [];
  // What several problems have in common is done once.
  const fixes = new Map(findings.flatMap(({ fix, remedy, check }) => (fix ? [[remedy ?? check, fix] as const] : [])));
  for (const fix of fixes.values()) {
    try {
      done.push(await fix());
    } catch (error) {
      done.push(`not mended: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return done;
}

const show = ({ fix, ...finding }: Finding) => ({ ...finding, canFix: fix !== undefined });

type Printed = { done: string[]; patient: Patient; options: OptionsOf<typeof OPTIONS> };

function print(findings: Finding[], { done, patient, options }: Printed): void {
  for (const said of done) console.log(`${'fixed'.padEnd(9)}${said}`);
  for (const { check, what, why, remedy, fix } of findings.filter(({ isOk }) => !isOk)) {
    console.log(`${'PROBLEM'.padEnd(9)}${check}: ${what}`);
    if (why) console.log(`${''.padEnd(9)}why: ${why}`);
    if (remedy) console.log(`${''.padEnd(9)}remedy: ${remedy}${fix ? '   (or claude-mem doctor --fix)' : ''}`);
  }
  for (const { check, what } of findings.filter(({ isOk }) => isOk)) console.log(`${'ok'.padEnd(9)}${check}: ${what}`);
  const facts = patient.health?.facts;
  if (facts)
    console.log(
      `${'facts'.padEnd(9)}${formatSize(facts.freeBytes)} free, ${facts.failedWrites} failed writes, ` +
        `${facts.notKept} events not kept, ${facts.setAside} set aside, log of the database ` +
        `${formatSize(facts.walBytes)}, schema ${facts.schema}`,
    );
  if (options.bundle) console.log(`${'bundle'.padEnd(9)}${options.bundle}: no words of yours, paths only as numbers`);
}
