// What git commands did, read from the command and what git answered: commits, undoing, merges, branches, tags.
import { capText } from '../text/clip.ts';
import { gitWords } from './git-words.ts';
import { isOutside, type PlacedCommand, placePath } from './place.ts';
import type { Run } from './run.ts';
import type { ShellCommand } from './shell.ts';

export type Commit = { hash: string | null; subject: string; body: string; revert: boolean };

export type GitDeed =
  | { kind: 'commit'; commit: Commit }
  /** Files put back as they were, from the project's root; empty = the whole tree. */
  | { kind: 'undo'; files: string[]; how: string }
  | { kind: 'merge'; what: string; conflict: boolean }
  | { kind: 'branch'; name: string; created: boolean }
  | { kind: 'tag'; name: string }
  | { kind: 'pull-request'; title: string };

export function readGit(run: Run, command: string, root: string): GitDeed[] {
  return run.commands.flatMap((simple) => {
    // What git does to another tree is no deed of this session's work.
    if (simple.isElsewhere) return [];
    if (simple.program === 'gh') return pullRequest(simple, run) ?? [];
    const deed = simple.program === 'git' ? gitDeed(simple, run, command) : null;
    return (deed?.kind === 'undo' ? placeUndo(deed, simple.folder, root) : deed) ?? [];
  });
}

type Undo = Extract<GitDeed, { kind: 'undo' }>;

/** Null where nobody can tell which tree it was. */
function placeUndo(undo: Undo, folder: string | null, root: string): Undo | null {
  if (folder === null) return null;
  if (undo.files.length === 0) return isOutside(folder) ? { ...undo, files: [folder] } : undo;
  const files = undo.files.map((name) => (name.startsWith(':/') ? name.slice(2) : placePath(name, folder, root)));
  return { ...undo, files: files.includes('') ? [] : files };
}

function gitDeed(simple: PlacedCommand, run: Run, command: string): GitDeed | null {
  const { verb, rest } = gitWords(simple);
  const named = rest.filter((arg) => !arg.startsWith('-'));
  if (verb === 'commit') return commitDeed(rest, run, command);
  if (verb === 'merge') return mergeDeed(named, rest, run);
  if (run.failed) return null;
  if (verb === 'tag' && named[0]) return { kind: 'tag', name: named[0] };
  // Parts that were chosen by hand, one side of a conflict, another repository: who knows what that put back.
  if (rest.some((arg) => IN_PART.test(arg)) || simple.args.some((arg) => /^--(?:git-dir|work-tree)/.test(arg)))
    return null;
  if (verb === 'revert') return { kind: 'undo', files: [], how: `git revert ${named[0] ?? ''}`.trim() };
  if (verb === 'reset' && rest.includes('--hard')) return { kind: 'undo', files: [], how: 'git reset --hard' };
  if (verb === 'restore' && !isOnlyUnstaged(rest)) return { kind: 'undo', files: paths(rest), how: 'git restore' };
  if (verb === 'stash') return stashDeed(rest);
  return verb === 'checkout' || verb === 'switch' ? checkoutDeed(rest, named) : null;
}

const IN_PART =
  /^(?:-p|--patch|--ours|--theirs|--merge|--conflict=.*|--abort|--quit|--skip|--keep-index|-k|-h|--help)$/;

function isOnlyUnstaged(rest: string[]): boolean {
  const has = (letter: string, name: string) =>
    rest.some((arg) => arg === name || (/^-[A-Z]+$/.test(arg) && arg.includes(letter)));
  return has('S', '--staged') && !has('W', '--worktree');
}

function stashDeed(rest: string[]): GitDeed | null {
  if (!/^(?:push|save|-.*)?$/.test(rest[0] ?? '')) return null;
  const isPath = (arg: string, at: number) =>
    at > 0 && !arg.startsWith('-') && !/^(?:-m|--message)$/.test(rest[at - 1] ?? '');
  return { kind: 'undo', files: rest[0] === 'push' ? rest.filter(isPath) : [], how: 'git stash' };
}

function checkoutDeed(rest: string[], named: string[]): GitDeed | null {
  const dashes = rest.indexOf('--');
  if (dashes >= 0) return { kind: 'undo', files: rest.slice(dashes + 1), how: 'git checkout --' };
  const created = rest.some((arg) => ['-b', '-B', '-c', '-C'].includes(arg));
  const name = named[0];
  if (!name) return null;
  if (!created && /\.\w{1,5}$|^\.$|\/.*\./.test(name)) return { kind: 'undo', files: named, how: 'git checkout' };
  return { kind: 'branch', name, created };
}

function mergeDeed(named: string[], rest: string[], run: Run): GitDeed | null {
  if (rest.includes('--abort')) return null;
  const conflict = /^CONFLICT /m.test(run.output);
  if (run.failed && !conflict) return null;
  if (/Already up.to.date/.test(run.output)) return null;
  return named[0] ? { kind: 'merge', what: named[0], conflict } : null;
}

function commitDeed(rest: string[], run: Run, command: string): GitDeed | null {
  const printed = /^\[([^\]\s]{1,200})(?: \([^)]{1,40}\))? ([0-9a-f]{7,40})\] (.{1,300})$/m.exec(run.output);
  if (!printed && (run.failed || rest.includes('--dry-run') || /nothing to commit|no changes added/.test(run.output)))
    return null;
  const message = messageOf(rest, command);
  const [written = ''] = message.trim().split('\n', 1);
  // What the shell puts in only git can tell; else the output may as well show what others wrote.
  const subject = written !== '' && !/[$`]/.test(written) ? written.trim() : (printed?.[3] ?? written);
  if (!subject) return null;
  const body = message
    .split('\n')
    .slice(1)
    .filter((line) => !/^(?:Co-Authored-By|Signed-off-by|🤖)/i.test(line.trim()))
    .join('\n')
    .trim();
  return {
    kind: 'commit',
    commit: { hash: printed?.[2]?.slice(0, 10) ?? null, subject, body, revert: /^Revert\b/i.test(subject) },
  };
}

function messageOf(rest: string[], command: string): string {
  const heredoc = /<<-?\s*['"]?(\w{1,40})['"]?\s*\n/.exec(command.slice(0, 12_000));
  if (heredoc?.[1]) {
    const start = heredoc.index + heredoc[0].length;
    const end = command.indexOf(`\n${heredoc[1]}`, start);
    return capText(command.slice(start, end < 0 ? undefined : end), 4000).trim();
  }
  const parts: string[] = [];
  rest.forEach((arg, at) => {
    if (/^-[a-z]*m$/.test(arg) || arg === '--message') parts.push(rest[at + 1] ?? '');
    else if (arg.startsWith('--message=')) parts.push(arg.slice(10));
  });
  return parts.join('\n\n').slice(0, 4000);
}

function pullRequest(simple: ShellCommand, run: Run): GitDeed | null {
  const [area, verb, ...rest] = simple.args;
  if (run.failed || area !== 'pr' || (verb !== 'create' && verb !== 'merge')) return null;
  const title = rest[rest.findIndex((arg) => arg === '--title' || arg === '-t') + 1];
  const number = /\/pull\/(\d+)/.exec(run.output)?.[1] ?? rest.find((arg) => /^\d+$/.test(arg));
  const name = [number && `#${number}`, rest.includes('--title') || rest.includes('-t') ? title : null]
    .filter(Boolean)
    .join(' ');
  return { kind: 'pull-request', title: `${verb === 'create' ? 'Open' : 'Merge'} pull request ${name}`.trim() };
}

function paths(args: string[]): string[] {
  const source = args.findIndex((arg) => arg === '--source' || arg === '-s');
  return args.filter((arg, at) => !arg.startsWith('-') && (source < 0 || at !== source + 1));
}
