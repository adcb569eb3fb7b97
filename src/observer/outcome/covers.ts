// Which files a check speaks of, read from its command and from where it ran.
import type { Check } from '../local/commands/check-kind.ts';
import { ciLook } from '../local/commands/ci-run.ts';
import { isReached } from '../local/commands/place.ts';
import type { ShellCommand } from '../local/commands/shell.ts';
import { baseName, isTestFile } from '../local/edits/describe.ts';
import type { Step } from '../local/turn.ts';

/** A passing run speaks for these files: it is of their language, and it ran what concerns them. */
export function checkCovers(step: Step, files: string[]): boolean {
  const checks = (step.run?.checks ?? []).filter(
    ({ kind, isProven, command }) => isProven && (kind === 'test' || kind === 'build') && ciLook(command) === null,
  );
  const provable = files.filter((file) => !PROSE.test(file));
  if (provable.length === 0) return false;
  return checks.some(
    (check) =>
      provable.every((file) => speaks(check.command, file) && isReached(check.command, file)) &&
      isAbout(check.command, check, provable),
  );
}

/** No test reads them. */
const PROSE = /\.(?:md|mdx|txt|rst|adoc)$|(?:^|\/)(?:LICENSE|CHANGELOG|AUTHORS)$/i;

const WEB = /\.(?:[cm]?[jt]sx?|vue|svelte|astro|css|scss|less|html|graphql)$/;
const LANGUAGES: [programs: RegExp, files: RegExp][] = [
  [
    /^(?:tsc|vue-tsc|svelte-check|jest|vitest|mocha|ava|tape|karma|cypress|playwright|webpack|rollup|esbuild|tsup|vite|next|nuxt|astro|bun|deno|node|npm|pnpm|yarn)$/,
    WEB,
  ],
  [/^(?:pytest|py\.test|unittest|mypy|pyright|py_compile|nose2|behave|tox|nox|manage\.py)$/, /\.pyi?$/],
  [/^(?:cargo|nextest)$/, /\.rs$/],
  [/^(?:go|gotestsum)$/, /\.go$/],
  [/^(?:mvnw?|gradlew?|sbt|javac|kotlinc)$/, /\.(?:java|kts?|scala|groovy)$/],
  [/^(?:rspec|rails|rake)$/, /\.(?:rb|erb|haml|slim)$/],
  [/^(?:phpunit|pest|artisan|codecept|composer)$/, /\.(?:php|twig)$/],
  [/^(?:swift|xcodebuild)$/, /\.(?:swift|m|mm)$/],
  [/^mix$/, /\.exs?$/],
  [/^dotnet$/, /\.(?:cs|fs|vb|razor|cshtml)$/],
  [/^(?:terraform|tofu)$/, /\.(?:tf|tfvars)$/],
];
const ANY_LANGUAGE = LANGUAGES.map(([, files]) => files);

/** A program of one language says nothing about a file of another; a file of none, such as a setting, may concern any. */
function speaks({ program }: ShellCommand, file: string): boolean {
  const own = LANGUAGES.find(([programs]) => programs.test(program))?.[1];
  return own === undefined || own.test(file) || !ANY_LANGUAGE.some((files) => files.test(file));
}

/** A run of some tests concerns the files that it names, or that have their name from them. */
function isAbout(command: ShellCommand, check: Check, files: string[]): boolean {
  const targets = targetsOf(command, check);
  if (targets.length === 0) return true;
  const code = files.filter((file) => !isTestFile(file));
  return (code.length > 0 ? code : files).some((file) => targets.some((target) => isNamed(file, target)));
}

function isNamed(file: string, target: string): boolean {
  const path = target.replace(/^\.\//, '').replace(/(?:\/\.\.\.|\/)$/, '');
  if (file === path || file.startsWith(`${path}/`) || file.endsWith(`/${path}`)) return true;
  const stem = stemOf(file);
  return stem.length >= 3 && squeeze(baseName(path)).includes(stem);
}

const stemOf = (file: string) =>
  squeeze((baseName(file).split('.')[0] ?? '').replace(/^test[_-]|[_-]?(?:tests?|spec)$/i, ''));
const squeeze = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '');

const FILTER =
  /^(?:-k|-t|-run|--run|--filter|--grep|-g|--tests|--testNamePattern|--testPathPattern|-testNamePattern|--test-name-pattern|-p|--package|-Dtest)$/;
const FILTER_WITH_VALUE =
  /^(?:-run|--run|--filter|--grep|--tests|--testNamePattern|--testPathPattern|--test-name-pattern|-Dtest|--package)=(.+)$/;
const WHOLE = /^(?:\.|\.\/|\.\/\.\.\.|\.\.\.|tests?\/?|specs?\/?|__tests__\/?|src\/?|test\/?\.{0,3}|\*.*)$/;
const SETTINGS = /\.(?:json|toml|ya?ml|ini|cfg|xml|config\.\w+|gradle|csproj|sln)$/;
/** A bare word after these is a filter; after others it may be a script, a task or a target. */
const FILTERED_BY_WORD = /^(?:cargo|bun|jest|vitest|pytest|py\.test|mocha|rspec|phpunit|playwright|ctest)$/;

function targetsOf({ program, args }: ShellCommand, { tool, kind }: Check): string[] {
  if (kind !== 'test') return [];
  const known = new Set(tool.split(' '));
  return args.flatMap((arg, at) => {
    const given = FILTER_WITH_VALUE.exec(arg)?.[1];
    if (given) return [given];
    if (at > 0 && FILTER.test(args[at - 1] ?? '') && program !== 'tsc') return [arg];
    if (arg.startsWith('-') || known.has(arg) || /^(?:run|watch|test|exec)$/.test(arg)) return [];
    if (WHOLE.test(arg) || SETTINGS.test(arg) || /^\d+$/.test(arg)) return [];
    const isPath = arg.includes('/') || /\.\w{1,5}$/.test(arg) || arg.includes('::');
    return isPath || FILTERED_BY_WORD.test(program) ? [arg] : [];
  });
}
