// Packages that a command added, removed or upgraded, by name; an install that changes nothing named is no news.
import { wordTable } from '../../../core/word-table.ts';
import type { Run } from './run.ts';
import type { ShellCommand } from './shell.ts';

export type PackageChange = { verb: 'Add' | 'Remove' | 'Upgrade'; names: string[]; manager: string };

export function readPackages(run: Run): PackageChange[] {
  if (run.failed) return [];
  return run.commands.flatMap((command) => packageChange(command, run.output));
}

type Manager = { add: RegExp; remove: RegExp; upgrade?: RegExp };

const ADD_REMOVE: Manager = { add: /^add$/, remove: /^(?:remove|rm|uninstall)$/, upgrade: /^(?:up|update|upgrade)$/ };
const INSTALL: Manager = {
  add: /^(?:install|i|add)$/,
  remove: /^(?:uninstall|un|remove|rm|purge)$/,
  upgrade: /^(?:update|upgrade|up)$/,
};
const MANAGERS = wordTable<Manager>({
  npm: INSTALL,
  pnpm: { ...INSTALL },
  yarn: ADD_REMOVE,
  bun: { ...INSTALL, add: /^(?:add|install|i|a)$/ },
  pip: INSTALL,
  pip3: INSTALL,
  uv: ADD_REMOVE,
  poetry: ADD_REMOVE,
  pipenv: INSTALL,
  conda: INSTALL,
  cargo: { add: /^(?:add|install)$/, remove: /^(?:remove|rm)$/ },
  go: { add: /^(?:get|install)$/, remove: /^$/ },
  gem: INSTALL,
  bundle: ADD_REMOVE,
  composer: { add: /^require$/, remove: /^remove$/, upgrade: /^update$/ },
  apt: INSTALL,
  'apt-get': INSTALL,
  brew: INSTALL,
  apk: { add: /^add$/, remove: /^del$/ },
  dnf: INSTALL,
  dotnet: ADD_REMOVE,
  swift: ADD_REMOVE,
  flutter: ADD_REMOVE,
  dart: ADD_REMOVE,
  mix: { add: /^$/, remove: /^$/ },
  deno: ADD_REMOVE,
});

const FILLER = /^(?:package|pub|global|workspace|pip|dependency|install|add)$/;

function packageChange(command: ShellCommand, output: string): PackageChange[] {
  const manager = MANAGERS[command.program];
  if (!manager) return [];
  const words = command.args.filter(
    (arg, at) => !arg.startsWith('-') && !takesValue(command.program, command.args[at - 1]),
  );
  const at = words.slice(0, 3).findIndex((word) => verbOf(manager, word) !== null);
  const verb = at < 0 ? null : verbOf(manager, words[at] ?? '');
  if (!verb) return [];
  const names = words
    .slice(at + 1)
    .filter((word) => isPackage(word) && !(command.program === 'dotnet' && FILLER.test(word)));
  if (names.length === 0) return [];
  return [{ verb, names: names.slice(0, 8).map((name) => withVersion(name, output)), manager: command.program }];
}

function verbOf(manager: Manager, word: string): PackageChange['verb'] | null {
  if (manager.add.test(word)) return 'Add';
  if (manager.remove.test(word)) return 'Remove';
  return manager.upgrade?.test(word) ? 'Upgrade' : null;
}

function takesValue(program: string, flag: string | undefined): boolean {
  if (flag === '-r') return program.startsWith('pip');
  return (
    flag !== undefined &&
    /^(?:--filter|--prefix|-C|--cwd|--group|-G|--python|--requirement|-e|--features|--version|-t|--target|-w|--workspace|--project)$/.test(
      flag,
    )
  );
}

function isPackage(word: string): boolean {
  return (
    /^[@A-Za-z][\w@./:^~<>=!+[\],-]*$/.test(word) &&
    !/^\.{0,2}\//.test(word) &&
    !/\.(?:txt|toml|csproj|sln|whl|gz)$/.test(word)
  );
}

/** `zod` and the output "+ zod@3.22.4" or "installed zod@3.22.4" make "zod 3.22.4". */
function withVersion(name: string, output: string): string {
  const pinned = /^(@?[^@=<>~^!]+)(?:@|==?|>=|~=|\^)v?(\d[\w.+-]*)$/.exec(name);
  if (pinned) return `${pinned[1]} ${pinned[2]}`;
  const bare = name.replace(/@(?:latest|next)$/, '').replace(/\[[^\]]*\]$/, '');
  const at = output.indexOf(bare);
  const after = at < 0 ? '' : output.slice(at + bare.length, at + bare.length + 40);
  const version = /^(?:@|==|-| v| \(| )v?(\d+\.\d[\w.+-]*)/.exec(after)?.[1];
  return version ? `${bare} ${version.replace(/[.)]+$/, '')}` : bare;
}
