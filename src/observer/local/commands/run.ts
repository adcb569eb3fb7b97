// What one command did: which checks it ran, whether they passed, and why not.
import type { ToolEvent } from '../../../core/event.ts';
import { capText } from '../text/clip.ts';
import { type Check, type CheckKind, checkOf } from './check-kind.ts';
import { ciLook, ciVerdict } from './ci-run.ts';
import { firstError } from './first-error.ts';
import { type PlacedCommand, placeCommands } from './place.ts';
import { isShownToPass } from './proof.ts';
import { listSetAside } from './set-aside.ts';
import { type ShellCommand, splitShell } from './shell.ts';
import { readTestOutput, type TestResult } from './test-output.ts';

/** `isProven`: it passed, and the run shows so. */
export type RanCheck = Check & { command: PlacedCommand; isProven: boolean };

export type Run = {
  commands: PlacedCommand[];
  output: string;
  kinds: CheckKind[];
  /** The name of the check a person knows, such as "bun test"; empty when the command checks nothing. */
  tool: string;
  /** Of every check in the line: `docker build . && docker run app` answers for both. */
  tools: string[];
  /** Those that ran with the work in place: none of a command in the background or between `git stash` and its pop. */
  checks: RanCheck[];
  failed: boolean;
  tests: TestResult | null;
  error: string | null;
};

const NOT_A_RESULT = /doesn't want to proceed|interrupted by user|was rejected|permission to use|requires approval/i;

const OUTPUT_READ = 60_000;

/** Null for anything but a command, and for one the user did not let happen. */
export function readRun(event: ToolEvent, { root = event.cwd, outputRead = OUTPUT_READ } = {}): Run | null {
  if (event.action.type !== 'command') return null;
  const { action } = event;
  if (event.error && NOT_A_RESULT.test(event.error.slice(0, 400))) return null;
  const commands = placeCommands(splitShell(action.command ?? ''), { root, cwd: event.cwd });
  const output = capText(event.error ?? [action.stdout, action.stderr].filter(Boolean).join('\n'), outputRead).replace(
    /^Exit code \d+\n?/,
    '',
  );
  const verdict = commands.some((command) => ciLook(command) !== null) ? ciVerdict(output) : null;
  const found = findChecks(commands, verdict);
  const tests = found.some((check) => check.kind !== 'lint') ? readTestOutput(output) : null;
  const exitFailed = event.error !== null || (action.exitCode ?? 0) !== 0;
  const failed = tests
    ? tests.failed > 0 || exitFailed
    : exitFailed || verdict === 'red' || (found.length > 0 && failedInPipe(commands, output));
  const aside = listSetAside(commands);
  const checks = found
    .filter(({ command }) => !action.background && !aside.has(command))
    .map(({ at, ...check }) => ({
      ...check,
      isProven: !failed && isShownToPass(check, at, { commands, output, tests }),
    }));
  const proven = checks.filter((check) => check.isProven);
  const main = mainCheck(proven.length > 0 ? proven : found, tests, failed);
  return {
    commands,
    output,
    kinds: action.background
      ? []
      : [...new Set(found.map((check) => check.kind).concat(tests && main ? ['test'] : []))],
    tool: main?.tool ?? '',
    tools: found.map((check) => check.tool),
    checks,
    failed,
    tests,
    error: failed ? firstError(output) : null,
  };
}

/** The kinds of check that a run shows to have passed. */
export function provenKinds({ checks, tests }: Run): CheckKind[] {
  const proven = checks.filter((check) => check.isProven).map((check) => check.kind);
  return [...new Set(proven.length > 0 && tests?.passed ? [...proven, 'test' as const] : proven)];
}

function findChecks(commands: PlacedCommand[], verdict: 'red' | 'green' | null) {
  return commands.flatMap((command, at) => {
    const check = ciCheck(command, verdict) ?? checkOf(command);
    return check ? [{ ...check, command, at }] : [];
  });
}

/** A pipeline that is still running has said nothing. */
function ciCheck(command: ShellCommand, verdict: 'red' | 'green' | null): Check | null {
  const tool = verdict === null ? null : ciLook(command);
  return tool === null ? null : { kind: 'build', tool };
}

/** Of `tsc && bun test` the one that the output speaks of. */
function mainCheck(checks: Check[], tests: TestResult | null, failed: boolean): Check | undefined {
  const order: CheckKind[] =
    tests || !failed ? ['test', 'build', 'lint', 'program'] : ['build', 'lint', 'test', 'program'];
  return order.map((kind) => checks.find((check) => check.kind === kind)).find((check) => check !== undefined);
}

/** `tsc | head` and `make test || true` exit 0 whatever happened, and so does psql. */
function failedInPipe(commands: ShellCommand[], output: string): boolean {
  const isDeaf = commands.some(({ joint, program }) => joint.startsWith('|') || ['true', 'echo'].includes(program));
  if (commands.some((command) => /^(?:psql|mysql)$/.test(command.program)) && /^(?:psql:.*)?ERROR[: ]/m.test(output))
    return true;
  if (!isDeaf || /\b0 errors?\b/.test(output)) return false;
  return /\berror TS\d+|^error(?:\[E\d+\])?:|^Traceback |\b[1-9]\d* errors?\b|^FAIL\b|BUILD FAILED|^Error: |Segmentation fault|AddressSanitizer/m.test(
    output,
  );
}
