// What a pipeline did, read from the command that looks at it: the look itself exits 0 whatever the run said.
import type { ShellCommand } from './shell.ts';

/** "gh run view 911" → "gh run"; null for any other command. */
export function ciLook({ program, args }: ShellCommand): string | null {
  const [first, second = ''] = args.filter((arg) => !arg.startsWith('-'));
  if (program === 'gh' && first === 'run' && /^(?:view|watch)$/.test(second)) return 'gh run';
  if (program === 'gh' && first === 'pr' && second === 'checks') return 'gh pr checks';
  if (program === 'glab' && /^(?:ci|pipeline)$/.test(first ?? '') && /^(?:view|status|trace|get)$/.test(second))
    return 'glab ci';
  return null;
}

const RED =
  /^\s*(?:X|✗|✘|❌)\s|##\[error\]|\t(?:fail|failure|failed)\t|"conclusion":\s*"failure"|^(?:conclusion|status|result):\s*fail|Process completed with exit code [1-9]|\bjob failed\b|Pipeline.{0,40}\bfailed\b/im;
const GREEN =
  /^\s*(?:✓|✔|✅)\s|\t(?:pass|success)\t|"conclusion":\s*"success"|^(?:conclusion|status|result):\s*(?:success|passed)|\b(?:job|pipeline|run)\b.{0,40}\b(?:succeeded|passed|success)\b/im;

/** Null = still running, or it does not say. */
export function ciVerdict(output: string): 'red' | 'green' | null {
  const text = output.slice(0, 20_000);
  if (RED.test(text)) return 'red';
  return GREEN.test(text) ? 'green' : null;
}
