// Which commands check the work (tests, builds, linters), by ecosystem; and which only look around.
import { wordTable } from '../../../core/word-table.ts';
import type { ShellCommand } from './shell.ts';

export type CheckKind = 'test' | 'build' | 'lint' | 'program';
export type Check = { kind: CheckKind; tool: string };

/** What a command checks and the name a person calls it by, or null when it checks nothing. */
export function checkOf(command: ShellCommand): Check | null {
  const { program, args } = command;
  if (QUIET.has(program) || args.some((arg) => /^(?:--help|--version)$/.test(arg))) return null;
  const inline = inlineFlag(program, args);
  if (inline !== null) return { kind: 'program', tool: `${program} ${inline}` };
  const words = args.filter((arg) => !arg.startsWith('-'));
  const check = scriptOf(program, words) ?? subcommandOf(program, words) ?? programOf(program, args);
  if (!check) return ownProgram(command, words);
  if (check.kind === 'test' && args.some((arg) => ONLY_BUILDS.test(arg))) return { ...check, kind: 'build' };
  return isOnlyLook(check, command) ? null : check;
}

/** A script in an argument is nobody's name: `node -e "…"` is called by its flag alone. */
function inlineFlag(program: string, args: string[]): string | null {
  const flag = INLINE.find(([name]) => name.test(program))?.[1];
  const first = args.findIndex((arg) => !arg.startsWith('-'));
  return args.slice(0, first < 0 ? args.length : first).find((arg) => flag?.test(arg)) ?? null;
}

const INLINE: [RegExp, RegExp][] = [
  [/^(?:node|nodejs|bun|tsx|ts-node)$/, /^(?:-e|-p|-pe|-ep|--eval|--print)$/],
  [/^(?:python|pypy)[\d.]*$/, /^-\w*c$/],
  [/^(?:ruby|perl|Rscript|lua|elixir)[\d.]*$/, /^-\w*[eE]$/],
  [/^(?:ba|z|da|k|fi)?sh$/, /^-\w*c$/],
  [/^php[\d.]*$/, /^-r$/],
];

const ONLY_BUILDS = /^(?:--no-run|-DskipTests(?:=true)?|-Dmaven\.test\.skip(?:=true)?)$/;

/** Told to list, explain or plan, a tool runs nothing. */
function isOnlyLook({ kind }: Check, { program, args }: ShellCommand): boolean {
  if (kind === 'program') return false;
  if (args.some((arg) => LOOKS.test(arg))) return true;
  if (program === 'make') return args.some((arg) => /^(?:-n|--just-print|--question)$/.test(arg));
  if (program === 'ctest') return args.includes('-N');
  return program === 'vitest' && /^(?:list|init)$/.test(args[0] ?? '');
}

const LOOKS =
  /^(?:-h|--list-?[tT]ests|--list|-list|--list-(?:suites|groups|tags)|--collect-only|--co|--dry-run|--dryRun|--show-?[cC]onfig|--print-config|--init|--clearCache|--listFilesOnly|--show-only|--setup-plan|--setup-only|--fixtures|--markers)(?:=.*)?$/;

/** `npm run build`, `yarn test`, `just lint`: the script's name says what it is. */
function scriptOf(program: string, words: string[]): Check | null {
  if (!RUNNERS.has(program)) return null;
  const names = words.filter((word) => !['run', 'task', 'workspace'].includes(word));
  const name = names.slice(0, 3).find((word) => SCRIPT_NAMES.some(([pattern]) => pattern.test(word)));
  const kind = SCRIPT_NAMES.find(([pattern]) => name !== undefined && pattern.test(name))?.[1];
  if (kind) return { kind, tool: `${program} ${words[0] === 'run' ? 'run ' : ''}${name}` };
  if (program === 'make') return { kind: 'build', tool: `make ${names[0] ?? ''}`.trim() };
  return program === 'tox' || program === 'nox' ? { kind: 'test', tool: program } : null;
}

function subcommandOf(program: string, words: string[]): Check | null {
  const table = SUBCOMMANDS[program.replace(/^gradlew$/, 'gradle').replace(/^mvnw$/, 'mvn')]?.split(' ') ?? [];
  for (const word of words.slice(0, 5)) {
    const found = table.map((entry) => entry.split('=')).find(([pattern = '']) => matches(word, pattern));
    // The table below names only kinds.
    if (found) return { kind: found[1] as CheckKind, tool: `${program} ${word}` };
  }
  return null;
}

/** A star stands for anything; a Gradle task may have its module before it. */
function matches(word: string, pattern: string): boolean {
  const name = word.split(':').at(-1) ?? word;
  if (pattern.endsWith('*')) return name.startsWith(pattern.slice(0, -1));
  if (pattern.startsWith('*')) return name.endsWith(pattern.slice(1));
  return name === pattern || word === pattern;
}

function programOf(program: string, args: string[]): Check | null {
  if (program === 'node' && args.some((arg) => arg.startsWith('--test'))) return { kind: 'test', tool: 'node --test' };
  const syntax = SYNTAX_ONLY[program];
  if (syntax?.some((flag) => flag === '' || args.includes(flag)))
    return { kind: 'lint', tool: `${program} ${syntax.find((flag) => args.includes(flag)) ?? ''}`.trim() };
  for (const [kind, programs] of BY_PROGRAM) if (programs.has(program)) return { kind, tool: program };
  return null;
}

/** Whatever else is run: a failure here may be worth as much as a red test. */
function ownProgram({ program, local }: ShellCommand, words: string[]): Check | null {
  if (local && /(?:^|[_.-])(?:tests?|specs?|check)(?:$|[_.-])/i.test(program)) return { kind: 'test', tool: program };
  return { kind: 'program', tool: `${program} ${words[0]?.split('/').at(-1) ?? ''}`.trim() };
}

const set = (words: string): Set<string> => new Set(words.split(' '));

const RUNNERS = set('npm pnpm yarn bun deno just task make composer rake nox tox lerna turbo nx moon invoke poe');

const SCRIPT_NAMES: [RegExp, CheckKind][] = [
  [
    /^(?:test|tests|spec|check-test|e2e|unit|integration|ci)(?:$|[:\-_.])|[:\-_](?:test|tests|spec|e2e)$|^(?:vitest|jest)$/,
    'test',
  ],
  [/^(?:lint|eslint|format:check|fmt-check|stylelint|clippy)(?:$|[:\-_])|:lint$/, 'lint'],
  [
    /^(?:build|compile|typecheck|type-check|tsc|types|bundle|check|dist)(?:$|[:\-_])|[:\-_](?:build|check|types)$/,
    'build',
  ],
];

const BY_PROGRAM: [CheckKind, Set<string>][] = [
  [
    'test',
    set(
      'jest vitest mocha pytest py.test unittest rspec phpunit pest ctest ava tap tape karma cypress behave bats nextest gotestsum cucumber codecept robot prove pg_prove nose2 busted',
    ),
  ],
  [
    'lint',
    set(
      'eslint biome prettier ruff flake8 pylint black rubocop golangci-lint stylelint shellcheck phpstan psalm ktlint swiftlint oxlint standardrb isort markdownlint hadolint tflint sqlfluff clang-tidy clang-format',
    ),
  ],
  [
    'build',
    set(
      'tsc vue-tsc svelte-check mypy pyright gcc g++ clang clang++ cc javac kotlinc webpack rollup esbuild tsup xcodebuild ninja cmake msbuild latexmk',
    ),
  ],
];

/** With one of these flags, or by itself (''), it only says that a file can be parsed. */
const SYNTAX_ONLY = wordTable<string[]>({
  node: ['--check', '-c'],
  bash: ['-n'],
  sh: ['-n'],
  zsh: ['-n'],
  php: ['-l'],
  ruby: ['-c'],
  perl: ['-c'],
  py_compile: [''],
  compileall: [''],
  'json.tool': [''],
});

const SUBCOMMANDS = wordTable<string>({
  go: 'test=test build=build vet=build install=build run=program',
  cargo:
    'test=test nextest=test build=build check=build b=build c=build clippy=lint fmt=lint run=program bench=program',
  mix: 'test=test compile=build credo=lint format=lint',
  swift: 'test=test build=build run=program',
  dotnet: 'test=test vstest=test build=build publish=build format=lint run=program',
  mvn: 'test=test verify=test surefire:test=test compile=build package=build install=build',
  gradle: 'test*=test *Test=test check=test build=build assemble*=build compile*=build',
  sbt: 'test*=test compile=build',
  rails: 'test*=test spec*=test',
  bazel: 'test=test build=build',
  zig: 'test=test build=build',
  stack: 'test=test build=build',
  cabal: 'test=test build=build',
  flutter: 'test=test build=build analyze=lint',
  dart: 'test=test analyze=lint compile=build',
  playwright: 'test=test',
  vite: 'build=build',
  next: 'build=build lint=lint',
  nuxt: 'build=build',
  astro: 'build=build check=build',
  docker: 'build=build',
  terraform: 'validate=build plan=build apply=build',
  tofu: 'validate=build plan=build apply=build',
  helm: 'lint=build template=build',
  meson: 'test=test compile=build',
  ninja: 'test=test check=test',
  artisan: 'test=test',
  'manage.py': 'test=test check=build runserver=program',
});

const QUIET = set(
  'ls cat cd grep rg find fd echo printf pwd git gh sed awk head tail which mkdir cp mv rm touch chmod chown tree wc sort uniq diff sleep true false test export source kill ps jq xxd stat du df file date open lsof pgrep pkill tee xargs cut tr basename dirname realpath less more set unset ssh scp code vim nano man env time alias clear history whoami hostname uname id type hash base64 md5sum sha256sum tar unzip zip gzip ln npm-check',
);
