// A git command without the options that stand before its verb.
import type { ShellCommand } from './shell.ts';

/** `git -C app -c a=b commit -m x` → commit, [-m, x]. Empty for any other program. */
export function gitWords({ program, args }: ShellCommand): { verb: string; rest: string[] } {
  if (program !== 'git') return { verb: '', rest: [] };
  let at = 0;
  while (args[at]?.startsWith('-')) at += TAKES_VALUE.test(args[at] ?? '') ? 2 : 1;
  const [verb = '', ...rest] = args.slice(at);
  return { verb, rest };
}

const TAKES_VALUE = /^(?:-C|-c|--git-dir|--work-tree|--namespace)$/;
