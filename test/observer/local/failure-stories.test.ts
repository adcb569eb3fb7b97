// Failures met on the way to something else: told as fixes of their own, beside the work that they interrupted.
import { describe, expect, test } from 'bun:test';
import type { EventBody } from '../../../src/core/event.ts';
import { create, edit, fails, observe, prompt, run, stop } from './script.ts';

type Told = [type: string, title: string];
const told = (turn: EventBody[]): Told[] =>
  observe(turn)
    .observations.filter((one) => one.type !== 'decision')
    .map((one) => [one.type, one.title ?? '']);

const STORIES: [string, EventBody[], Told[]][] = [
  [
    'a schema that a database refuses',
    [
      prompt('hikes need a difficulty: easy, medium, hard'),
      create('app/Difficulty.kt', 'enum class Difficulty { EASY, MEDIUM, HARD }'),
      fails(
        './gradlew testDebugUnitTest',
        "HikeDaoTest > opensOldDatabase FAILED\n    java.lang.IllegalStateException: Room cannot verify the data integrity. Looks like you've changed schema but forgot to update the version number.\n\n14 tests completed, 1 failed",
      ),
      edit('app/HikeDb.kt', '-@Database(version = 6)', '+@Database(version = 7)'),
      run('./gradlew testDebugUnitTest', 'BUILD SUCCESSFUL in 41s'),
      stop(
        'Every hike has a difficulty now, old ones are `MEDIUM`.\n\nRoom would not open existing databases at first, the schema had changed but the version had not. It is 7 now.',
      ),
    ],
    [
      ['feature', 'Every hike has a difficulty now, old ones are MEDIUM'],
      ['bugfix', 'Fix: Room would not open existing databases at first, the schema had changed'],
    ],
  ],
  [
    'a migration that cannot run in a transaction',
    [
      prompt('add an index on channel too'),
      create('migrations/0125.sql', 'CREATE INDEX CONCURRENTLY orders_channel_idx ON orders (channel);'),
      fails('dbmate up', 'Error: pq: CREATE INDEX CONCURRENTLY cannot run inside a transaction block'),
      edit('migrations/0125.sql', '+-- migrate:up transaction:false'),
      run('dbmate up', 'Applied: 0125.sql'),
      stop(
        'Index is there. dbmate wraps each file in a transaction and CONCURRENTLY refuses that; the migration carries `transaction:false` now.',
      ),
    ],
    [
      ['feature', 'Add an index on channel too'],
      ['bugfix', 'Fix: dbmate wraps each file in a transaction and CONCURRENTLY refuses'],
    ],
  ],
  [
    'an upgrade that needs another one',
    [
      prompt('update the android gradle plugin to 8.7'),
      edit('build.gradle.kts', '-id("com.android.application") version "8.2.0"', '+id("x") version "8.7.2"'),
      fails('./gradlew assembleDebug', '> Minimum supported Gradle version is 8.9. Current version is 8.5.'),
      edit('gradle-wrapper.properties', '-url=gradle-8.5-bin.zip', '+url=gradle-8.9-bin.zip'),
      run('./gradlew assembleDebug', 'BUILD SUCCESSFUL'),
      stop('AGP is 8.7.2. It needs Gradle 8.9, the build failed with 8.5 until I bumped the wrapper.'),
    ],
    [
      ['change', 'Update the android gradle plugin to 8.7'],
      ['bugfix', 'Fix: It needs Gradle 8.9, the build failed with 8.5 until I bumped the wrapper'],
    ],
  ],
  [
    'one that no red command shows, only the words',
    [
      prompt('set up autoscaling for the api, 2 to 8 pods'),
      create('charts/api/templates/hpa.yaml', 'kind: HorizontalPodAutoscaler'),
      run('kubectl get hpa', 'api <unknown>/70% 2 8 2'),
      edit('charts/api/templates/deployment.yaml', '+  resources: {requests: {cpu: 200m}}'),
      stop(
        'The api scales between 2 and 8 pods at 70% CPU.\n\nThe target read `<unknown>` first, because the deployment had no CPU request; it requests 200m now.',
      ),
    ],
    [
      ['change', 'The api scales between 2 and 8 pods at 70% CPU'],
      ['bugfix', 'Fix: The target read <unknown> first, because the deployment had no CPU request'],
    ],
  ],
  [
    'none when nobody speaks of what was just written',
    [
      prompt('write a backoff in retry.go'),
      create('retry.go', 'func backoff() {', 'lastErr := attempt'),
      fails('go vet ./...', 'retry.go:13:2: declared and not used: lastErr'),
      edit('retry.go', '-lastErr := attempt'),
      run('go vet ./...'),
      stop('`backoff()` has full jitter and 8 attempts.'),
    ],
    [['feature', 'backoff() has full jitter and 8 attempts']],
  ],
  [
    'none in what the new code does with errors',
    [
      prompt('Implement retries for uploads'),
      create('src/upload.ts', 'export function upload() {'),
      fails('npx tsc --noEmit', "src/upload.ts(12,5): error TS2322: Type 'string' is not assignable to type 'number'."),
      edit('src/upload.ts', '-x', '+y'),
      run('npx tsc --noEmit'),
      stop(
        "I've implemented retries.\n\n## Changes\n- `upload()` now retries failed requests up to 3 times\n- **Error handling**: requests rejected with 4xx are no longer retried; an `UploadError` is thrown instead",
      ),
    ],
    [['feature', 'upload() now retries failed requests up to 3 times']],
  ],
  [
    'a bug that new tests showed',
    [
      prompt('Write tests for the parser'),
      create('test/parser.test.ts', 'test("x")'),
      fails('npm test', 'FAIL test/parser.test.ts > parses negative ranges\nTests  1 failed | 9 passed (10)'),
      edit('src/parser.ts', ' export function parse() {', '-Math.abs(n)', '+n'),
      run('npm test', 'Tests  10 passed (10)'),
      stop(
        'Added 10 tests for the parser. They uncovered a real bug: `parse()` dropped the sign of negative ranges because it used `Math.abs`. Fixed that as well.',
      ),
    ],
    [
      ['feature', 'Add 10 tests for the parser'],
      ['bugfix', 'Fix: parse() dropped the sign of negative ranges because it used Math.abs'],
    ],
  ],
];

describe('beside the work there is', () => {
  test.each(STORIES)('%s', (_, turn, expected) => {
    expect(told(turn)).toEqual(expected);
  });
});

test('an item under "two things broke" is a fix with its own red run, edits and label', () => {
  const { observations } = observe([
    prompt('Upgrade us to Spring Boot 3.3.8'),
    edit('build.gradle', "-id 'boot' version '3.1.12'", "+id 'boot' version '3.3.8'"),
    fails('./gradlew test', 'ATest > a() FAILED\n    Name for argument not specified\n\n12 tests completed, 9 failed'),
    edit('build.gradle', "+options.compilerArgs.add('-parameters')"),
    fails(
      './gradlew test',
      'BTest > b() FAILED\n    Unsupported Database: PostgreSQL 15.6\n\n12 tests completed, 6 failed',
    ),
    edit('build.gradle', "+runtimeOnly 'flyway-database-postgresql'"),
    run('./gradlew test', 'BUILD SUCCESSFUL'),
    run('git commit -qam "Upgrade to Spring Boot 3.3.8"'),
    stop(
      'Two things broke:\n* **Parameter names.** Spring no longer reads them, "Name for argument not specified". Fixed by `-parameters`.\n* **Flyway.** Version 10 moved PostgreSQL out ("Unsupported Database: PostgreSQL 15.6"). Added its module.',
    ),
  ]);
  expect(observations.map((one) => one.type)).toEqual(['change', 'bugfix', 'bugfix']);
  expect(observations[0]?.title).toBe('Upgrade to Spring Boot 3.3.8');
  expect(observations[2]?.title).toStartWith('Fix: Flyway: Version 10 moved PostgreSQL out');
  expect(observations[2]?.facts.map((one) => one.text).join('\n')).toContain('flyway-database-postgresql');
});

describe('two failures of one turn are two fixes', () => {
  const red = (text: string) => fails('helm upgrade web charts/web', `Error: UPGRADE FAILED: ${text}`);
  test.each([
    [
      'met one after the other',
      [
        prompt('the deploy of the new chart fails, get it through'),
        red('Deployment "web" is invalid: spec.selector: field is immutable'),
        edit('deployment.yaml', '-app: web2', '+app: web'),
        red('pre-upgrade hooks failed: job migrate failed: BackoffLimitExceeded'),
        edit('values.yaml', '-host: db-old', '+host: db'),
        run('helm upgrade web charts/web', 'STATUS: deployed'),
        stop(
          'The selector labels had been renamed, and `spec.selector` of a Deployment is immutable.\n\nAfter that the migrate hook failed (BackoffLimitExceeded), since the values still pointed to db-old. It is `db` now.',
        ),
      ],
    ],
    [
      'announced by their number',
      [
        prompt('login on staging is broken'),
        edit('a.ts', '-x', '+y'),
        stop(
          'Two things were wrong. The cookie was set for another domain. And the CSRF token expired after 60 seconds instead of 60 minutes. Both are fixed.',
        ),
      ],
    ],
    [
      'of two tools, one item each',
      [
        prompt('CI is red, two jobs fail. make it green'),
        fails('ruff check .', 'app/api.py:12:1: F401 `os` imported but unused\nFound 1 error.'),
        edit('app/api.py', '-import os'),
        fails('mypy app', 'app/api.py:30: error: incompatible type "str | None"'),
        edit('app/settings.py', ' def token():', '-get("TOKEN")', '+["TOKEN"]'),
        run('ruff check . && mypy app', 'All checks passed!'),
        stop(
          'Both pass:\n\n- ruff: an unused import of `os` in app/api.py\n- mypy: `token()` could return None; it raises now',
        ),
      ],
    ],
  ])('%s', (_, turn) => {
    expect(observe(turn).observations.map((one) => one.type)).toEqual(['bugfix', 'bugfix']);
  });
});

describe('a fix by commands alone', () => {
  test.each([
    [
      'a service in the way',
      [
        prompt('docker compose up dies'),
        fails('docker compose up -d', 'Bind for 0.0.0.0:5432 failed: port is already allocated'),
        run('docker stop old-db', 'old-db'),
        run('docker compose up -d', 'Started'),
        stop('The old container still held port 5432. I stopped it and compose comes up.'),
      ],
      'Fix: the old container still held port 5432',
    ],
    [
      'a secret that was missing',
      [
        prompt('deploy to staging'),
        fails('fly deploy', 'Error: release command failed. DATABASE_URL must be set'),
        run('fly secrets set DATABASE_URL=x', 'staged'),
        run('fly deploy', 'v23 deployed'),
        stop('Staging runs v23. The release command needs DATABASE_URL, which was only set for production.'),
      ],
      'Fix: the release command needs DATABASE_URL, which was only set for production',
    ],
  ])('is told: %s', (_, turn, title) => {
    expect(observe(turn).observations[0]).toMatchObject({ type: 'bugfix', outcome: 'passed', title });
  });
});
