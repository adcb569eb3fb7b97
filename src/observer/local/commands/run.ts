// What one command did: which checks it ran, whether they passed, and why not.
import type { ToolEvent } from '../../../core/event.ts';
import { capText } from '../text/clip.ts';
import { type Check, type CheckKind, checkOf } from './check-kind.ts';
import { ciLook, ciVerdict } from './ci-run.ts';
import { firstError } from './first-error.ts';
import { type ShellCommand, splitShell } from './shell.ts';
import { readTestOutput, type TestResult } from './test-output.ts';

export type Run = {
  commands: ShellCommand[];
  output: string;
  kinds: CheckKind[];
  /** The name of the check a person knows, such as "bun test"; empty when the command checks nothing. */
  tool: string;
  /** Of every check in the line: `docker build . && docker run app` answers for both. */
  tools: string[];
  failed: boolean;
  tests: TestResult | null;
  error: string | null;
};

const NOT_A_RESULT = /doesn't want to proceed|interrupted by user|was rejected|permission to use|requires approval/i;

const OUTPUT_READ = 60_000;

/** Null for anything but a command, and for one the user did not let happen. */
export function readRun(event: ToolEvent, outputRead = OUTPUT_READ): Run | null {
  if (event.action.type !== 'command') return null;
  const { action } = event;
  if (event.error && NOT_A_RESULT.test(event.error.slice(0, 400))) return null;
  const commands = splitShell(action.command ?? '');
  const output = capText(event.error ?? [action.stdout, action.stderr].filter(Boolean).join('\n'), outputRead).replace(
    /^Exit code \d+\n?/,
    '',
  );
  const verdict = commands.some((command) => ciLook(command) !== null) ? ciVerdict(output) : null;
  const checks = commands
    .map((command) => ciCheck(command, verdict) ?? checkOf(command))
    .filter((check) => check !== null);
  const tests = checks.some((check) => check.kind !== 'lint') ? readTestOutput(output) : null;
  const exitFailed = event.error !== null || (action.exitCode ?? 0) !== 0;
  const failed = tests
    ? tests.failed > 0 || exitFailed
    : exitFailed || verdict === 'red' || (checks.length > 0 && failedInPipe(commands, output));
  const main = mainCheck(checks, tests, failed);
  return {
    commands,
    output,
    kinds: action.background
      ? []
      : [...new Set(checks.map((check) => check.kind).concat(tests && main ? ['test'] : []))],
    tool: main?.tool ?? '',
    tools: checks.map((check) => check.tool),
    failed,
    tests,
    error: failed ? firstError(output) : null,
  };
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
  const isDeaf = commands.some((command) => command.piped || ['true', 'echo'].includes(command.program));
  if (commands.some((command) => /^(?:psql|mysql)$/.test(command.program)) && /^(?:psql:.*)?ERROR[: ]/m.test(output))
    return true;
  if (!isDeaf || /\b0 errors?\b/.test(output)) return false;
  return /\berror TS\d+|^error(?:\[E\d+\])?:|^Traceback |\b[1-9]\d* errors?\b|^FAIL\b|BUILD FAILED|^Error: |Segmentation fault|AddressSanitizer/m.test(
    output,
  );
}
