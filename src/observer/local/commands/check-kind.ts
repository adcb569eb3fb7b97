// Which commands check the work (tests, builds, linters), by ecosystem; and which only look around.
import type { ShellCommand } from './shell.ts';

export type CheckKind = 'test' | 'build' | 'lint' | 'program';

/** What a command checks and the name a person calls it by, or null when it checks nothing. */
export function checkOf(command: ShellCommand): { kind: CheckKind; tool: string } | null {
  const { program, args } = command;
  if (QUIET.has(program)) return null;
  const words = args.filter((arg) => !arg.startsWith('-'));
  const script = scriptOf(program, words);
  if (script) return script;
  for (const [kind, programs] of BY_PROGRAM) if (programs.has(program)) return { kind, tool: program };
  const sub = SUBCOMMANDS[program.replace(/^gradlew$/, 'gradle').replace(/^mvnw$/, 'mvn')];
  const found = sub?.find(([pattern]) => words.slice(0, 5).some((word) => pattern.test(word)));
  if (found) return { kind: found[1], tool: `${program} ${words.find((word) => found[0].test(word)) ?? ''}`.trim() };
  if (program === 'node' && args.some((arg) => arg.startsWith('--test'))) return { kind: 'test', tool: 'node --test' };
  if (PROGRAMS.test(program))
    return { kind: 'program', tool: `${program} ${words[0]?.split('/').at(-1) ?? ''}`.trim() };
  return null;
}

/** `npm run build`, `yarn test`, `just lint`: the script's name says what it is. */
function scriptOf(program: string, words: string[]): { kind: CheckKind; tool: string } | null {
  if (!/^(?:npm|pnpm|yarn|bun|deno|just|task|make|composer|rake|nox|tox|lerna|turbo|nx|moon|invoke|poe)$/.test(program))
    return null;
  const names = words.filter((word) => word !== 'run' && word !== 'task' && word !== 'workspace');
  const name = names.slice(0, 3).find((word) => SCRIPT_NAMES.some(([pattern]) => pattern.test(word)));
  const kind = SCRIPT_NAMES.find(([pattern]) => name !== undefined && pattern.test(name))?.[1];
  if (kind) return { kind, tool: `${program} ${words[0] === 'run' ? 'run ' : ''}${name}` };
  if (program === 'make') return { kind: 'build', tool: `make ${names[0] ?? ''}`.trim() };
  return program === 'tox' || program === 'nox' ? { kind: 'test', tool: program } : null;
}

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
    new Set(
      'jest vitest mocha pytest py.test unittest rspec phpunit pest ctest ava tap tape karma cypress behave bats nextest gotestsum cucumber codecept robot'.split(
        ' ',
      ),
    ),
  ],
  [
    'lint',
    new Set(
      'eslint biome prettier ruff flake8 pylint black rubocop golangci-lint stylelint shellcheck phpstan psalm ktlint swiftlint oxlint standardrb isort markdownlint hadolint tflint'.split(
        ' ',
      ),
    ),
  ],
  [
    'build',
    new Set(
      'tsc vue-tsc svelte-check mypy pyright gcc g++ clang clang++ cc javac kotlinc webpack rollup esbuild tsup xcodebuild ninja cmake py_compile msbuild latexmk'.split(
        ' ',
      ),
    ),
  ],
];

const SUBCOMMANDS: Record<string, [RegExp, CheckKind][]> = {
  go: [
    [/^test$/, 'test'],
    [/^(?:build|vet|install)$/, 'build'],
    [/^run$/, 'program'],
  ],
  cargo: [
    [/^(?:test|nextest)$/, 'test'],
    [/^(?:build|check|b|c)$/, 'build'],
    [/^(?:clippy|fmt)$/, 'lint'],
    [/^run$/, 'program'],
  ],
  mix: [
    [/^test$/, 'test'],
    [/^compile$/, 'build'],
    [/^credo$|^format$/, 'lint'],
  ],
  swift: [
    [/^test$/, 'test'],
    [/^build$/, 'build'],
    [/^run$/, 'program'],
  ],
  dotnet: [
    [/^(?:test|vstest)$/, 'test'],
    [/^(?:build|publish)$/, 'build'],
    [/^format$/, 'lint'],
    [/^run$/, 'program'],
  ],
  mvn: [
    [/^(?:test|verify|surefire:test)$/, 'test'],
    [/^(?:compile|package|install)$/, 'build'],
  ],
  gradle: [
    [/(?:^|:)(?:test\w*|check|\w+Test)$/, 'test'],
    [/(?:^|:)(?:build|assemble\w*|compile\w*)$/, 'build'],
  ],
  sbt: [
    [/^test/, 'test'],
    [/^compile$/, 'build'],
  ],
  rails: [[/^(?:test|spec)/, 'test']],
  bazel: [
    [/^test$/, 'test'],
    [/^build$/, 'build'],
  ],
  zig: [
    [/^test$/, 'test'],
    [/^build/, 'build'],
  ],
  stack: [
    [/^test$/, 'test'],
    [/^build$/, 'build'],
  ],
  cabal: [
    [/^test$/, 'test'],
    [/^build$/, 'build'],
  ],
  flutter: [
    [/^test$/, 'test'],
    [/^build$/, 'build'],
    [/^analyze$/, 'lint'],
  ],
  dart: [
    [/^test$/, 'test'],
    [/^analyze$/, 'lint'],
    [/^compile$/, 'build'],
  ],
  playwright: [[/^test$/, 'test']],
  vite: [[/^build$/, 'build']],
  next: [
    [/^build$/, 'build'],
    [/^lint$/, 'lint'],
  ],
  nuxt: [[/^build$/, 'build']],
  astro: [[/^(?:build|check)$/, 'build']],
  docker: [[/^build$/, 'build']],
  terraform: [[/^(?:validate|plan)$/, 'build']],
  artisan: [[/^test$/, 'test']],
  'manage.py': [
    [/^test$/, 'test'],
    [/^check$/, 'build'],
    [/^runserver$/, 'program'],
  ],
  python: [[/manage\.py$/, 'program']],
  php: [[/artisan$/, 'program']],
};

/** Running the project itself: a failure here is worth as much as a red test. */
const PROGRAMS =
  /^(?:node|bun|deno|tsx|ts-node|python[\d.]*|ruby|php|perl|java|curl|http|wget|psql|mysql|sqlite3|docker|docker-compose|kubectl|helm|terraform|ansible-playbook|rails|rake|artisan|manage\.py|claude|fly|flyctl|vercel|netlify|wrangler|gcloud|aws|heroku|serverless|sls|cdk|sam|pulumi|railway|firebase|alembic|prisma|npm|pnpm|yarn|make|go|cargo|dotnet|mix|uvicorn|flask|celery|.+\.(?:sh|py|js|ts|rb|mjs))$/;

const QUIET = new Set(
  'ls cat cd grep rg find fd echo printf pwd git gh sed awk head tail which mkdir cp mv rm touch chmod chown tree wc sort uniq diff sleep true false test export source kill ps jq xxd stat du df file date open lsof pgrep pkill tee xargs cut tr basename dirname realpath less more'.split(
    ' ',
  ),
);
