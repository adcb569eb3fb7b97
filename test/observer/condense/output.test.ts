// Outputs: what went wrong is kept wherever it stands, what is noise goes, and nothing is longer than it may be.
import { describe, expect, test } from 'bun:test';
import { condenseOutput } from '../../../src/observer/condense/output.ts';

const noise = (count: number) =>
  Array.from({ length: count }, (_, at) => `  step ${'abcdefghij'[at % 10]}${at} of the build is done`);
const among = (line: string, count = 400) => {
  const lines = noise(count);
  return [...lines.slice(0, count / 2), line, ...lines.slice(count / 2)].join('\n');
};

test('a short output stays as it is', () => {
  expect(condenseOutput('ok\n2 files', 100)).toBe('ok\n2 files');
});

test('keeps the beginning and the end and counts what is between', () => {
  const text = condenseOutput(
    [...noise(1), ...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
      .flatMap((x) => Array.from({ length: 40 }, (_, i) => `${x} ${'.'.repeat(i)} ${x}`))
      .join('\n'),
    700,
  );
  expect(text).toStartWith('  step a0');
  expect(text).toEndWith('Z');
  expect(text).toMatch(/… \d{3,} lines left out …/);
  expect(text.length).toBeLessThanOrEqual(700);
});

describe('a telling line in the middle of a long output is kept', () => {
  test.each([
    'TypeError: Cannot read properties of undefined (reading "id")',
    'src/cart.ts(12,5): error TS2345: Argument of type X is not assignable',
    'error[E0382]: borrow of moved value: `order`',
    'main.c:42:7: error: expected expression',
    'E       AssertionError: assert 3 == 4',
    '--- FAIL: TestTotals (0.00s)',
    '    totals_test.go:31: got 3, want 4',
    "thread 'main' panicked at src/main.rs:4:5:",
    'panic: runtime error: index out of range [5] with length 3',
    '  ✗ keeps the discount',
    'not ok 12 - keeps the discount',
    'FAILED tests/test_cart.py::test_total - KeyError: "total"',
    'Caused by: java.sql.SQLException: no such table: orders',
    'ERROR:  duplicate key value violates unique constraint "orders_pkey"',
    'fatal: refusing to merge unrelated histories',
    'bash: jqq: command not found',
    'Error: connect ECONNREFUSED 127.0.0.1:5432',
    '[2026-01-02 10:11:12] production.ERROR: Undefined variable $total',
    'npm error peer dep missing: react@^19',
    'Segmentation fault (core dumped)',
    'process exited with code 137',
    '3 tests failed',
    'Killed: out of memory',
    'CONFLICT (content): Merge conflict in src/a.ts',
    'Expected: 4',
    'warning: the lock file is out of date',
  ])('%s', (line) => {
    expect(condenseOutput(among(line), 800)).toContain(line);
  });
});

describe('what only sounds like an error does not crowd out the real one', () => {
  test.each([
    'INFO  drained 12 jobs, 0 errors',
    '✓ reports an error when the cart is empty',
    'PASS test/error-handler.test.ts',
    'DEBUG error handler registered',
    'copied src/errors/timeout-error.ts',
    'test errors::tests::fails_late ... ok',
    'WARN retrying after error ECONNRESET',
  ])('%s', (line) => {
    const lines = Array.from({ length: 300 }, (_, at) => `${line} ${String.fromCharCode(97 + (at % 26))}${at % 7}`);
    lines.splice(150, 0, 'could not write the ledger: disk is full');
    expect(condenseOutput(lines.join('\n'), 800)).toContain('could not write the ledger: disk is full');
  });
});

test('what an error says in its next line is kept with it', () => {
  const panic = "thread 'a' panicked at src/a.rs:4:5:\ncalled `unwrap()` on a `None` value";
  expect(condenseOutput(among(panic), 500)).toContain(panic);
});

test('of a stack trace it keeps the message and the first frame of the project', () => {
  const trace = [
    'RangeError: Invalid count',
    ...Array.from({ length: 30 }, (_, at) => `    at run${at} (/x/node_modules/lib/index.js:${at}:1)`),
    '    at total (/x/src/cart.ts:88:3)',
    '    at main (/x/src/main.ts:1:1)',
  ];
  const text = condenseOutput([...noise(200), ...trace, ...noise(200)].join('\n'), 900);
  expect(text).toContain('RangeError: Invalid count');
  expect(text).toContain('src/cart.ts:88:3');
});

test('lines that repeat with other numbers are told once', () => {
  const text = condenseOutput(Array.from({ length: 900 }, (_, at) => `Downloading ${at}% of 41 MB`).join('\n'), 400);
  expect(text).toBe('Downloading 0% of 41 MB\n… 898 similar lines …\nDownloading 899% of 41 MB');
});

test('a progress bar is what it showed last, colours go, blobs are named', () => {
  expect(condenseOutput('0%\r50%\r\x1b[32m100%\x1b[0m done\r\n', 100)).toBe('100% done');
  const base64 = Buffer.from(Array.from({ length: 900 }, (_, at) => (at * 97) % 256)).toString('base64');
  expect(condenseOutput(`key ${base64} end`, 2000)).toBe(`key [base64, ${base64.length} characters] end`);
  expect(condenseOutput(`data:image/png;base64,${base64}`, 2000)).toMatch(
    /^data:image\/png;base64,\[base64, \d+ characters\]$/,
  );
  expect(condenseOutput('ab12'.repeat(40), 2000)).toBe('[hex, 160 characters]');
  const hash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
  expect(condenseOutput(`sha256 ${hash}`, 2000)).toBe(`sha256 ${hash}`);
  const path = `/home/${'some-long-folder/'.repeat(12)}file`;
  expect(condenseOutput(path, 2000)).toBe(path);
});

test('a huge single line is cut inside, and an error in it is kept', () => {
  const json = JSON.stringify(Array.from({ length: 4000 }, (_, at) => ({ id: at, name: `item ${at}` })));
  const at = json.indexOf('"id":2000');
  const text = condenseOutput(`${json.slice(0, at)}"message":"Error: no such ledger",${json.slice(at)}`, 1000);
  expect(text).toContain('Error: no such ledger');
  expect(text).toMatch(/… \d+ characters left out …/);
  expect(text.length).toBeLessThanOrEqual(1000);
});

describe('never longer than it may be', () => {
  const texts = [
    among('Error: x'),
    'x'.repeat(50_000),
    'a b '.repeat(20_000),
    '\n'.repeat(9000),
    'Error: a\n'.repeat(3000),
    noise(5).join('\n'),
  ];
  test.each([0, 5, 50, 107, 108, 150, 400, 1000, 3000])('%d characters', (maxChars) => {
    for (const text of texts) expect(condenseOutput(text, maxChars).length).toBeLessThanOrEqual(maxChars);
  });
});
