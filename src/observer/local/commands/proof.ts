// Whether a check that did not fail shows that it passed: an exit code that nobody sees and a run of no tests show nothing.
import type { Check } from './check-kind.ts';
import type { ShellCommand } from './shell.ts';
import type { TestResult } from './test-output.ts';

type Shown = { commands: ShellCommand[]; output: string; tests: TestResult | null };

/** `at`: the place of the check among the commands of its line. */
export function isShownToPass(check: Check, at: number, { commands, output, tests }: Shown): boolean {
  if (check.kind === 'test') {
    if (tests) return (tests.passed ?? 0) > 0 || /^Ran [1-9]\d* tests? across/m.test(output);
    if (NO_TESTS.test(output) && !SOME_TESTS.test(output)) return false;
  }
  if (!isExitHidden(commands, at)) return true;
  if (check.kind === 'program') return output.trim() !== '';
  return RESULT.test(output) || isQuietPass(commands, at, output) || isExitPrinted(commands, at, output);
}

const NO_TESTS =
  /\bno tests? (?:files? )?(?:were )?(?:found|ran|executed|collected|to run|specified|matched)|\bcollected 0 items|\[no test files\]|\b0 (?:tests?|examples|specs)\b|\bno (?:specs|examples) found/i;
/** Of several packages some had tests. */
const SOME_TESTS = /^ok\s+\S+\s+(?:[\d.]+s|\(cached\))(?!.*no tests to run)/m;

/** What tools print at the end of a run that went well. */
const RESULT =
  /^ok\s+\S+\s+(?:[\d.]+s|\(cached\))|\bbuilt in [\d.]+|BUILD SUCCESS|build succeeded|compiled successfully|\b(?:build|compilation) (?:complete|finished)|\b(?:found )?0 errors\b|no (?:issues|errors) found|All checks passed|No fixes (?:applied|needed)|^\s*Finished .*\btarget|Successfully (?:built|tagged)|\ball tests? (?:passed|ok)\b|^(?:PASS|OK)\s*$|configuration is valid/im;

/** The line ends with 0 whatever became of this command. */
function isExitHidden(commands: ShellCommand[], at: number): boolean {
  const options = commands.slice(0, at).flatMap(({ program, args }) => (program === 'set' ? args : []));
  const isErrExit = options.some((arg) => /^-[a-z]*e/.test(arg) || arg === 'errexit');
  const own = commands[at]?.joint ?? '';
  if (own === '&' || (own === '|' && !options.includes('pipefail'))) return true;
  return commands.slice(at, -1).some(({ joint }, after) => {
    if (joint === '&&' || joint === '|') return false;
    if (joint === '||') return !endsInFailure(commands[at + after + 1]);
    return !isErrExit;
  });
}

const endsInFailure = (command: ShellCommand | undefined) =>
  command?.program === 'false' || (/^(?:exit|return)$/.test(command?.program ?? '') && command?.args[0] !== '0');

/** Programs that print nothing when all is well, behind `| head`. */
const QUIET_PASS = /^(?:tsc|vue-tsc|eslint|go|gcc|g\+\+|clang|clang\+\+|cc|javac|shellcheck|flake8|stylelint)$/;

function isQuietPass(commands: ShellCommand[], at: number, output: string): boolean {
  const { program = '', joint, writes = [] } = commands[at] ?? {};
  const isShown = /^(?:head|tail|cat|grep)$/.test(commands[at + 1]?.program ?? '') && at + 2 === commands.length;
  return joint === '|' && isShown && writes.length === 0 && QUIET_PASS.test(program) && output.trim() === '';
}

/** `tsc; echo "exit: $?"` with "exit: 0" behind it. */
function isExitPrinted(commands: ShellCommand[], at: number, output: string): boolean {
  const next = commands[at + 1];
  const isAsked = commands[at]?.joint !== '|' && next?.program === 'echo' && next.args.join(' ').includes('$?');
  return isAsked && /\b(?:exit|rc|status|code)\w*\W{0,3}0\b|^0$/im.test(output);
}
