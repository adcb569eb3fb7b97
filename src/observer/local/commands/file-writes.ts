// Files that a shell command changed by itself: sed -i, redirections, moves, deletions.
import type { Run } from './run.ts';
import type { ShellCommand } from './shell.ts';

export type FileWrite = { file: string; verb: 'write' | 'move' | 'delete' };

export function readFileWrites(run: Run): FileWrite[] {
  if (run.failed) return [];
  return run.commands
    .flatMap((command) => [...redirected(command), ...byProgram(command)])
    .filter((write) => isSourceFile(write.file));
}

function redirected(command: ShellCommand): FileWrite[] {
  const teed = command.program === 'tee' ? command.args.filter((arg) => !arg.startsWith('-')) : [];
  return [...command.writes, ...teed].map((file) => ({ file, verb: 'write' }));
}

function byProgram({ program, args }: ShellCommand): FileWrite[] {
  const git = program === 'git' && (args[0] === 'mv' || args[0] === 'rm');
  const name = git ? (args[0] ?? '') : program;
  const named = args.slice(git ? 1 : 0).filter((arg) => !arg.startsWith('-'));
  if (name === 'mv') return named.slice(-1).map((file) => ({ file, verb: 'move' }));
  if (name === 'rm') return named.map((file) => ({ file, verb: 'delete' }));
  const inPlace =
    (name === 'sed' && args.some((arg) => /^-i|^--in-place/.test(arg))) ||
    (name === 'perl' && args.some((arg) => /^-p?i/.test(arg)));
  return inPlace ? named.filter((arg) => /^[\w@./-]+\.\w+$/.test(arg)).map((file) => ({ file, verb: 'write' })) : [];
}

/** Logs, temporary files and build output are not the work. */
function isSourceFile(file: string): boolean {
  if (/^(?:\/tmp|\/private\/tmp|\/var|\$|~\/)|\*|node_modules|(?:^|\/)(?:dist|build|target|coverage)\//.test(file))
    return false;
  return /\.\w{1,8}$|(?:^|\/)(?:Dockerfile|Makefile|\.\w+)$/.test(file) && !/\.(?:log|out|tmp|pid)$/.test(file);
}
