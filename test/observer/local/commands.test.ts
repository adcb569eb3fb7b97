// What shell commands mean: splitting, checks, commits, packages, operations, files written.
import { describe, expect, test } from 'bun:test';
import type { ToolEvent } from '../../../src/core/event.ts';
import { checkOf } from '../../../src/observer/local/commands/check-kind.ts';
import { readFileWrites } from '../../../src/observer/local/commands/file-writes.ts';
import { readGit } from '../../../src/observer/local/commands/git.ts';
import { readOperations } from '../../../src/observer/local/commands/operations.ts';
import { readPackages } from '../../../src/observer/local/commands/packages.ts';
import { type Run, readRun } from '../../../src/observer/local/commands/run.ts';
import { splitShell } from '../../../src/observer/local/commands/shell.ts';
import { events, fails, ROOT, run } from './script.ts';

function runOf(command: string, output = ''): Run {
  return readRun(events(run(command, output))[0] as ToolEvent) as Run;
}

describe('splitting', () => {
  const CASES: [string, string[]][] = [
    ['cd app && FOO=1 npx jest -t "a b" | tail -5', ['cd app', 'jest -t a b', 'tail -5']],
    ['sudo docker compose exec -T web bundle exec rspec', ['rspec ']],
    ['python3 -m pytest -q 2>&1', ['pytest -q']],
    ["echo 'a; b' # comment; rm -rf x", ['echo a; b']],
    ['timeout 60 ./node_modules/.bin/tsc --noEmit', ['tsc --noEmit']],
    ['cat > a.txt <<EOF\nrm -rf /\nEOF', ['cat ']],
  ];
  test.each(CASES)('reads %s', (line, commands) => {
    const found = splitShell(line).map((command) => `${command.program} ${command.args.join(' ')}`);
    expect(found.slice(0, commands.length)).toEqual(commands);
  });
});

test.each([
  ['npm run build', 'build'],
  ['yarn test:unit', 'test'],
  ['./gradlew :app:test', 'test'],
  ['go vet ./...', 'build'],
  ['cargo clippy', 'lint'],
  ['make', 'build'],
  ['mix test', 'test'],
  ['node server.js', 'program'],
  ['ls -la', null],
  ['git status', null],
])('%s is a check of kind %s', (line, kind) => {
  const [command] = splitShell(line);
  expect<string | null>((command && checkOf(command)?.kind) ?? null).toBe(kind);
});

test.each([
  [`node -e "require('./nope')"`, 'node -e'],
  [`node --input-type=module -e 'await import("./a/b.js")'`, 'node -e'],
  [`python3 -c 'open("/a/b")'`, 'python3 -c'],
  [`perl -pe 's/a/b/' notes.txt`, 'perl -pe'],
  [`ruby -e 'load "./a/test.rb"'`, 'ruby -e'],
  ['bash -lc "./run/it now"', 'bash -lc'],
  ['bun -e "test.skip()"', 'bun -e'],
  ['node tools/run.js -e prod', 'node run.js'],
  ['perl -c lib/a.pm', 'perl -c'],
])('%s is called %s', (line, tool) => {
  const [command] = splitShell(line);
  expect(command && checkOf(command)?.tool).toBe(tool);
});

test('a test run that failed behind a pipe has failed', () => {
  expect(runOf('bun test | tail -3', ' 12 pass\n 1 fail').failed).toBe(true);
});

test('a command the user refused is no failure', () => {
  expect(
    readRun(events(fails('rm x', "The user doesn't want to proceed with this tool use."))[0] as ToolEvent),
  ).toBeNull();
});

describe('git', () => {
  test('a commit has hash, subject and body without trailers', () => {
    const command =
      'git commit -m "$(cat <<\'EOF\'\nKeep the last byte\n\nThe loop stopped early.\n\nCo-Authored-By: X <x@y>\nEOF\n)"';
    const [deed] = readGit(runOf(command, '[main a1b2c3d] Keep the last byte\n 1 file changed'), command, ROOT);
    expect(deed).toEqual({
      kind: 'commit',
      commit: { hash: 'a1b2c3d', subject: 'Keep the last byte', body: 'The loop stopped early.', revert: false },
    });
  });

  test.each([
    ['git checkout -- src/a.ts', { kind: 'undo', files: ['src/a.ts'], how: 'git checkout --' }],
    ['git restore src/a.ts', { kind: 'undo', files: ['src/a.ts'], how: 'git restore' }],
    ['git reset --hard', { kind: 'undo', files: [], how: 'git reset --hard' }],
    ['git switch -c topic', { kind: 'branch', name: 'topic', created: true }],
    ['git tag v1.0.0', { kind: 'tag', name: 'v1.0.0' }],
  ])('%s is understood', (command, deed) => {
    expect<unknown[]>(readGit(runOf(command), command, ROOT)).toEqual([deed]);
  });

  test.each(['git commit -m x', 'git restore --staged a.ts', 'git status', 'git log'])(
    '%s may say nothing',
    (command) => {
      expect(readGit(runOf(command, 'nothing to commit, working tree clean'), command, ROOT)).toEqual([]);
    },
  );
});

test.each([
  ['npm install zod@3.22.4', '', 'Add zod 3.22.4'],
  ['bun add -d vitest', 'installed vitest@2.1.0', 'Add vitest 2.1.0'],
  ['pip install "requests==2.31.0"', '', 'Add requests 2.31.0'],
  ['cargo add serde --features derive', '      Adding serde v1.0.200 to dependencies', 'Add serde 1.0.200'],
  ['go get github.com/a/b@v1.2.3', '', 'Add github.com/a/b 1.2.3'],
  ['pnpm remove moment', '', 'Remove moment'],
  ['npm ci', '', ''],
  ['npm install', 'up to date', ''],
  ['pip install -r requirements.txt', '', ''],
])('%s changes packages: %s', (command, output, expected) => {
  const found = readPackages(runOf(command, output)).map((change) => `${change.verb} ${change.names.join(', ')}`);
  expect(found.join()).toBe(expected);
});

test.each([
  ['npx prisma migrate deploy', 'migration'],
  ['bin/rails db:migrate', 'migration'],
  ['fly deploy', 'deploy'],
  ['kubectl apply -f k8s/', 'deploy'],
  ['npm publish', 'release'],
  ['terraform plan', undefined],
])('%s is a %s', (command, kind) => {
  expect<string | undefined>(readOperations(splitShell(command))[0]?.kind).toBe(kind);
});

test.each([
  ["sed -i 's/a/b/' src/a.ts", ['src/a.ts']],
  ['echo x >> .gitignore', ['.gitignore']],
  ['git mv src/a.ts src/b.ts', ['src/b.ts']],
  ['npm test > out.log 2>&1', []],
  ['cat a.ts', []],
])('%s writes %j', (command, files) => {
  expect(readFileWrites(runOf(command)).map((write) => write.file)).toEqual(files);
});
