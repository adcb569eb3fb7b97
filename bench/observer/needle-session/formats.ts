// How the tools of many languages say that something went wrong, and what they print around it.
import type { Random } from './random.ts';

export type Format = {
  command: string;
  /** One of the many lines that tell nothing. */
  noise: (random: Random) => string;
  /** The lines that tell; the first is, or ends with, the needle. */
  fault: (random: Random, mark: string) => { needle: string; before?: string[]; after?: string[] };
  end: string[];
};

export const FORMATS: Format[] = [
  {
    command: 'npx vitest run',
    noise: (random) => ` ✓ test/${random.noun()}/${random.name()}.test.ts (${random.int(1, 40)} tests) ${random.int(1, 400)}ms`,
    fault: (random, mark) => ({
      needle: `AssertionError: expected '${mark}' to be '${random.name()}' // Object.is equality`,
      before: [' FAIL  test/plan.test.ts > plans > merges two of them'],
      after: [` ❯ test/${random.noun()}.test.ts:41:23`],
    }),
    end: ['', ' Test Files  1 failed | 40 passed (41)', '   Duration  8.02s'],
  },
  {
    command: 'bundle exec rspec --format documentation',
    noise: (random) => `  ${random.name()} returns the ${random.noun()}`,
    fault: (random, mark) => ({
      needle: `expected: "${mark}"`,
      before: ['', '  1) Ledger closes the month', '     Failure/Error: expect(ledger.code).to eq(code)', ''],
      after: [`            got: "${random.name()}"`, `     # ./spec/models/${random.noun()}_spec.rb:88`],
    }),
    end: ['', '312 examples, 1 failure', '', 'rspec ./spec/models/ledger_spec.rb:81'],
  },
  {
    command: './gradlew test',
    noise: (random) => `${random.name()}Test > ${random.name()}() PASSED`,
    fault: (random, mark) => ({
      needle: `org.opentest4j.AssertionFailedError: expected: <${mark}> but was: <null>`,
      before: [`${random.name()}Test > ${random.name()}() FAILED`],
      after: [`        at app//com.example.shop.${random.name()}Test.check(${random.name()}Test.java:52)`],
    }),
    end: ['', '214 tests completed, 1 failed', '', '> Task :test FAILED', 'BUILD FAILED in 41s'],
  },
  {
    command: 'dotnet test',
    noise: (random) => `  Passed Shop.Tests.${random.name()}.${random.name()} [${random.int(1, 90)} ms]`,
    fault: (random, mark) => ({
      needle: `Assert.Equal() Failure: Strings differ, expected "${mark}"`,
      before: [`  Failed Shop.Tests.${random.name()}.Closes [12 ms]`, '  Error Message:'],
      after: ['  Stack Trace:', `     at Shop.Tests.${random.name()}.Closes() in /src/Tests/${random.name()}.cs:line 40`],
    }),
    end: ['Failed!  - Failed:     1, Passed:   240, Skipped:     0, Total:   241, Duration: 9 s'],
  },
  {
    command: 'vendor/bin/phpunit --testdox',
    noise: (random) => ` ✔ ${random.name()} keeps the ${random.noun()}`,
    fault: (_, mark) => ({
      needle: `Failed asserting that two strings are identical to '${mark}'.`,
      before: [' ✘ Sends the refund once', '   │'],
      after: ['   │', '   │ /app/tests/RefundTest.php:61'],
    }),
    end: ['', 'Tests: 310, Assertions: 902, Failures: 1.'],
  },
  {
    command: 'npx eslint .',
    noise: (random) => `  ${random.int(1, 400)}:${random.int(1, 90)}  warning  Unexpected console statement  no-console`,
    fault: (random, mark) => ({
      needle: `error    '${mark}' is assigned a value but never used  no-unused-vars`,
      before: [`/home/dev/shop/src/${random.noun()}.ts`],
    }),
    end: ['', '✖ 301 problems (1 error, 300 warnings)'],
  },
  {
    command: 'mypy app',
    noise: (random) =>
      `app/${random.noun()}/${random.name()}.py:${random.int(1, 400)}: note: By default the bodies of untyped functions are not checked`,
    fault: (random, mark) => ({
      needle: `error: Argument 1 to "${mark}" has incompatible type "str"; expected "int"  [arg-type]`,
      before: [],
      after: [`app/${random.noun()}.py:9: note: See https://mypy.readthedocs.io`],
    }),
    end: ['Found 1 error in 1 file (checked 214 source files)'],
  },
  {
    command: 'terraform apply -auto-approve',
    noise: (random) => `aws_${random.noun()}.${random.name()}: Refreshing state... [id=${random.hex(12)}]`,
    fault: (random, mark) => ({
      needle: `│ Error: creating S3 Bucket (${mark}): BucketAlreadyExists`,
      before: ['╷'],
      after: ['│', `│   with aws_s3_bucket.${random.noun()},`, `│   on ${random.noun()}.tf line 12, in resource "aws_s3_bucket":`, '╵'],
    }),
    end: ['Releasing state lock. This may take a few moments...'],
  },
  {
    command: 'npm install',
    noise: (random) =>
      `npm http fetch GET 200 https://packages.example/${random.noun()}-${random.noun()} ${random.int(10, 900)}ms (cache hit)`,
    fault: (random, mark) => ({
      needle: `npm error Could not resolve dependency: peer ${mark}@"^${random.int(2, 9)}.0.0"`,
      before: ['npm error code ERESOLVE', 'npm error ERESOLVE unable to resolve dependency tree'],
    }),
    end: ['npm error A complete log of this run can be found in: /home/dev/.npm/_logs/debug-0.log'],
  },
  {
    command: 'docker build -t shop .',
    noise: (random) =>
      `#${random.int(5, 30)} ${random.int(1, 90)}.${random.int(10, 99)} Get:${random.int(1, 300)} http://deb.debian.org/debian bookworm/main amd64 ${random.noun()} [${random.int(10, 900)} kB]`,
    fault: (_, mark) => ({
      needle: `E: Unable to locate package ${mark}`,
      before: ['#14 38.02 Building dependency tree...'],
    }),
    end: ['------', 'ERROR: failed to build: failed to solve: process "/bin/sh -c apt-get install" did not complete: exit code: 100'],
  },
  {
    command: 'make -j8',
    noise: (random) => `cc -O2 -Wall -Isrc -c -o build/${random.noun()}/${random.name()}.o src/${random.noun()}/${random.name()}.c`,
    fault: (random, mark) => ({
      needle: `undefined reference to \`${mark}'`,
      before: [`/usr/bin/ld: build/${random.noun()}.o: in function \`main':`],
      after: ['collect2: error: ld returned 1 exit status'],
    }),
    end: ['make: *** [Makefile:41: shop] Error 1'],
  },
  {
    command: 'kubectl get events -n shop',
    noise: (random) =>
      `${random.int(1, 59)}m   Normal   Scheduled   pod/${random.noun()}-${random.hex(5)}   Successfully assigned shop/${random.noun()} to node-${random.int(1, 9)}`,
    fault: (random, mark) => ({
      needle: `MountVolume.SetUp failed for volume "${mark}" : secret not found`,
      before: [`2m    Warning  BackOff     pod/${random.noun()}-${random.hex(5)}   Back-off restarting container`],
    }),
    end: ['1m    Normal   Pulled      pod/api-7f9   Container image already present on machine'],
  },
  {
    command: 'psql -f migrate.sql',
    noise: (random) =>
      random.pick(['INSERT 0 1', 'UPDATE 12', 'CREATE INDEX', `NOTICE:  relation "${random.noun()}" already exists, skipping`]),
    fault: (_, mark) => ({
      needle: `ERROR:  column "${mark}" of relation "orders" does not exist`,
      after: ['LINE 1: ALTER TABLE orders ALTER COLUMN', '                                        ^'],
    }),
    end: ['ROLLBACK'],
  },
  {
    command: 'ansible-playbook site.yml',
    noise: (random) => `ok: [web${random.int(1, 40)}.example.com] => (item=${random.noun()})`,
    fault: (random, mark) => ({
      needle: `fatal: [web${random.int(1, 9)}]: FAILED! => {"changed": false, "msg": "No package matching '${mark}' found"}`,
      before: ['TASK [shop : install the queue] ****'],
    }),
    end: ['web1 : ok=41 changed=2 unreachable=0 failed=1 skipped=3'],
  },
  {
    command: 'swift build',
    noise: (random) => `[${random.int(1, 300)}/312] Compiling Shop ${random.name()}.swift`,
    fault: (random, mark) => ({
      needle: `error: cannot find '${mark}' in scope`,
      before: [`/home/dev/shop/Sources/Shop/${random.name()}.swift:31:9:`],
      after: ['        ^~~~~~~~'],
    }),
    end: ['[312/312] Emitting module Shop'],
  },
  {
    command: 'mix test',
    noise: (random) => `  * test ${random.noun()} ${random.name()} (${random.int(1, 90)}.${random.int(1, 9)}ms) [L#${random.int(1, 300)}]`,
    fault: (_, mark) => ({
      needle: `** (KeyError) key :${mark} not found in: %{id: 1}`,
      before: ['', '  1) test closes the month (Shop.LedgerTest)', '     test/ledger_test.exs:41'],
      after: ['     code: assert Ledger.close(month)', '     stacktrace:', '       (shop 0.1.0) lib/shop/ledger.ex:88'],
    }),
    end: ['', 'Finished in 2.1 seconds', '312 tests, 1 failure'],
  },
];
