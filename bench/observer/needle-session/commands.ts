// Commands of a long session: test runs, compilers, builds and logs, each with one thing in it that matters.
import { FORMATS } from './formats.ts';
import { linesOf, plant, type Random } from './random.ts';

export type Planted = {
  kind: string;
  tool: string;
  input: Record<string, unknown>;
  /** One of both: what the tool answered, or the error it failed with. */
  response?: unknown;
  error?: string;
  needle: string;
};

type Make = (random: Random, size: number) => Planted;

/** A failed assertion among hundreds of passing tests. */
export const failingTests: Make = (random, size) => random.pick([jest, pytest, goTest, cargoTest])(random, size);

const jest: Make = (random, size) => {
  const needle = `Expected: "${random.mark()}"`;
  const file = `src/${random.noun()}/${random.name()}.test.ts`;
  const block = [
    `  ● ${random.noun()} › ${random.name()} keeps the rest`,
    '',
    '    expect(received).toBe(expected) // Object.is equality',
    '',
    `    ${needle}`,
    `    Received: "${random.name()}"`,
    '',
    `      86 |   const result = ${random.name()}(input);`,
    '    > 88 |   expect(result.code).toBe(expected);',
    `      at Object.<anonymous> (${file}:88:20)`,
    '',
  ];
  const passing = linesOf(size, () => `    ✓ ${random.name()} handles a failed ${random.noun()} (${random.int(1, 40)} ms)`);
  const end = [`Tests:       1 failed, ${passing.length} passed, ${passing.length + 1} total`, 'Time:        9.1 s'];
  return failed('npx jest', [...plant(random, passing, block, [0.25, 0.75]), ...end], needle, 'error in the middle');
};

const pytest: Make = (random, size) => {
  const needle = `AssertionError: ${random.mark()} is not in the ${random.noun()}`;
  const block = ['', `    def test_${random.noun()}(client):`, `>       assert ${random.name()}(client)`, `E       ${needle}`, ''];
  const passing = linesOf(size, (at) => `tests/test_${random.noun()}.py::test_${random.name()}[${at}] PASSED`);
  const end = [`========= 1 failed, ${passing.length} passed in 14.20s =========`];
  return failed('pytest -v', [...plant(random, passing, block, [0.25, 0.75]), ...end], needle, 'error in the middle');
};

const goTest: Make = (random, size) => {
  const needle = `got ${random.int(10_000, 99_999)}, want ${random.mark()}`;
  const block = [`--- FAIL: Test${random.mark()} (0.02s)`, `    ${random.noun()}_test.go:${random.int(20, 300)}: ${needle}`];
  const passing = linesOf(size, () => `--- PASS: Test${random.name()} (0.0${random.int(0, 9)}s)`);
  const end = ['FAIL', `FAIL\texample.com/shop/${random.noun()}\t0.412s`];
  return failed('go test -v ./...', [...plant(random, passing, block, [0.25, 0.75]), ...end], needle, 'error in the middle');
};

const cargoTest: Make = (random, size) => {
  const needle = `${random.mark()} must not be empty`;
  const block = [
    '',
    `---- ${random.noun()}::tests::${random.noun()} stdout ----`,
    `thread '${random.noun()}::tests::${random.noun()}' panicked at src/${random.noun()}.rs:${random.int(10, 400)}:9:`,
    needle,
    'note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace',
    '',
  ];
  const passing = linesOf(size, () => `test ${random.noun()}::tests::${random.name()} ... ok`);
  const end = ['', `test result: FAILED. ${passing.length} passed; 1 failed; 0 ignored; finished in 0.41s`];
  return failed('cargo test', [...plant(random, passing, block, [0.3, 0.8]), ...end], needle, 'error in the middle', 101);
};

/** One compiler error in a long build. */
export const failingBuild: Make = (random, size) => {
  const mark = random.mark();
  const place = `src/${random.noun()}/${random.name()}`;
  const needle = random.pick([
    `${place}.ts(${random.int(10, 400)},7): error TS2339: Property '${mark}' does not exist on type 'Order'.`,
    `error[E0433]: failed to resolve: use of undeclared type \`${mark}\``,
    `${place}.c:${random.int(10, 400)}:12: error: unknown type name '${mark}'`,
    `ERROR in ./${place}.vue: Module not found: Can't resolve './${mark}'`,
  ]);
  const steps = linesOf(size, () =>
    random.pick([
      `[${random.int(1, 900)}/912] Compiling ${random.name()} v${random.int(0, 9)}.${random.int(0, 30)}.${random.int(0, 9)}`,
      `warning: unused variable: \`${random.name()}\` in src/${random.noun()}.rs`,
      `  asset ${random.noun()}-${random.hex(8)}.js ${random.int(1, 300)} KiB [emitted] [immutable]`,
      `  copied src/errors/${random.name()}Error.ts`,
    ]),
  );
  return failed('npm run build', [...plant(random, steps, [needle], [0.2, 0.8]), 'build stopped'], needle, 'error in the middle', 2);
};

/** A fault in one of the many ways in which tools tell it. */
export const failingTool: Make = (random, size) => {
  const format = random.pick(FORMATS);
  const { needle, before = [], after = [] } = format.fault(random, random.mark());
  const lines = plant(
    random,
    linesOf(size, () => format.noise(random)),
    [...before, needle, ...after],
    [0.2, 0.8],
  );
  return failed(format.command, [...lines, ...format.end], needle, `fault of ${format.command}`);
};

/** All went well; the last line says with what. */
export const endsWell: Make = (random, size) => {
  const needle = `Done: ${random.mark()} with ${random.int(100, 999)} modules in ${random.int(2, 60)}.${random.int(10, 99)}s`;
  const steps = linesOf(size, () => `  dist/assets/${random.name()}-${random.hex(8)}.js   ${random.int(1, 400)}.${random.int(10, 99)} kB`);
  return passed('npm run build', [...steps, needle], needle, 'last line');
};

/** A log that speaks of errors in every other line, with one that is real. */
export const noisyLog: Make = (random, size) => {
  const mark = random.mark();
  const message = random.pick([
    `duplicate key value violates unique constraint "${mark}"`,
    `TypeError: Cannot read properties of undefined (reading '${mark}')`,
    `could not acquire lock on ${mark} after 30 s`,
    `java.lang.IllegalStateException: ${mark} was closed`,
  ]);
  let second = 0;
  const stamp = () => `2026-03-0${1 + (second % 8)}T10:${10 + (second % 50)}:${10 + (second++ % 50)}.${random.int(100, 999)}Z`;
  const harmless = linesOf(size, () => `${stamp()} ${harmlessLine(random)}`);
  const block = [`${stamp()} ERROR ${random.noun()}-sync: ${message}`];
  return passed('docker compose logs api', plant(random, harmless, block, [0.3, 0.7]), message, 'noisy log');
};

function harmlessLine(random: Random): string {
  return random.pick([
    `DEBUG error-handler registered for /api/${random.noun()}`,
    `INFO  drained ${random.int(1, 90)} jobs, 0 errors, 0 failed`,
    `INFO  errorRate=0.00 failed=0 exceptions=0 ${random.noun()}=${random.int(1, 999)}`,
    `WARN  retrying ${random.noun()} after error ECONNRESET (attempt ${random.int(1, 4)} of 5)`,
    `DEBUG onError callback attached to stream ${random.int(1, 9999)}`,
    `INFO  loaded src/errors/${random.name()}Error.ts`,
    `INFO  GET /api/${random.noun()}/${random.int(1, 9999)} 200 ${random.int(1, 90)} ms`,
    `WARN  deprecated option "failOnError" used by ${random.name()}`,
    `DEBUG no exception while closing ${random.noun()} ${random.int(1, 999)}`,
  ]);
}

/** An exception whose own frame stands below those of libraries. */
export const stackTrace: Make = (random, size) => random.pick([nodeTrace, pythonTrace])(random, size);

const nodeTrace: Make = (random, size) => {
  const needle = `src/${random.noun()}/${random.mark()}.ts:${random.int(10, 900)}:17`;
  const foreign = () =>
    `    at ${random.name()} (/home/dev/shop/node_modules/${random.noun()}/lib/${random.noun()}.js:${random.int(1, 900)}:11)`;
  const own = Array.from(
    { length: 3 },
    () => `    at ${random.name()} (/home/dev/shop/src/app/${random.noun()}.ts:${random.int(1, 900)}:5)`,
  );
  const block = [
    `RangeError: Invalid ${random.noun()} length`,
    ...Array.from({ length: random.int(2, 8) }, foreign),
    `    at ${random.name()} (/home/dev/shop/${needle})`,
    ...own,
    '    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)',
  ];
  const log = linesOf(size, () => `[server] ${random.pick(['GET', 'POST'])} /api/${random.noun()} 200 in ${random.int(1, 400)} ms`);
  return passed('cat server.log', plant(random, log, block, [0.3, 0.7]), needle, 'stack trace');
};

const pythonTrace: Make = (random, size) => {
  const needle = `KeyError: '${random.mark()}'`;
  const frame = (path: string) => [
    `  File "${path}", line ${random.int(1, 900)}, in ${random.name()}`,
    `    return ${random.name()}(request)`,
  ];
  const block = [
    'Traceback (most recent call last):',
    ...frame(`/home/dev/shop/app/${random.noun()}.py`),
    ...Array.from({ length: random.int(2, 8) }, () => frame(`/usr/lib/python3.12/site-packages/${random.noun()}/core.py`)).flat(),
    needle,
  ];
  const log = linesOf(size, () => `INFO:     127.0.0.1:${random.int(30_000, 60_000)} - "GET /${random.noun()} HTTP/1.1" 200 OK`);
  return passed('cat uvicorn.log', plant(random, log, block, [0.3, 0.7]), needle, 'stack trace');
};

function failed(command: string, lines: string[], needle: string, kind: string, code = 1): Planted {
  return {
    kind,
    tool: 'Bash',
    input: { command, description: 'Run it' },
    error: `Exit code ${code}\n${lines.join('\n')}`,
    needle,
  };
}

function passed(command: string, lines: string[], needle: string, kind: string): Planted {
  const response = {
    stdout: lines.join('\n'),
    stderr: '',
    interrupted: false,
    isImage: false,
    noOutputExpected: false,
  };
  return { kind, tool: 'Bash', input: { command, description: 'Run it' }, response, needle };
}
