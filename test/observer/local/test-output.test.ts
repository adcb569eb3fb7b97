// What test runners of many ecosystems print, and what we read from it.
import { expect, test } from 'bun:test';
import { firstError } from '../../../src/observer/local/commands/first-error.ts';
import { readTestOutput } from '../../../src/observer/local/commands/test-output.ts';

const RUNS: [string, string, number | null, number, string[]][] = [
  ['bun', '(fail) Cart > total [1.20ms]\n 12 pass\n 1 fail\n 30 expect() calls\nRan 13 tests', 12, 1, ['Cart > total']],
  [
    'jest',
    '  ● Cart › total\n\nTest Suites: 1 failed, 2 total\nTests:       1 failed, 2 skipped, 40 passed, 43 total',
    40,
    1,
    ['Cart › total'],
  ],
  [
    'vitest',
    ' FAIL  test/cart.test.ts > Cart > total\n Test Files  1 failed (1)\n      Tests  1 failed | 40 passed (41)',
    40,
    1,
    ['Cart > total'],
  ],
  ['mocha', '  40 passing (2s)\n  1 failing\n\n  1) Cart\n       total:', 40, 1, ['Cart']],
  ['node:test', 'not ok 2 - total\n# tests 3\n# pass 2\n# fail 1', 2, 1, ['total']],
  [
    'pytest',
    'FAILED tests/test_cart.py::test_total - assert 3 == 4\n=== 1 failed, 3 passed, 2 warnings in 0.12s ===',
    3,
    1,
    ['tests/test_cart.py::test_total'],
  ],
  ['pytest -q', '3 passed in 0.12s', 3, 0, []],
  ['unittest', 'FAIL: test_total (cart.CartTest)\nRan 5 tests in 0.01s\n\nFAILED (failures=1)', 4, 1, ['test_total']],
  ['unittest ok', 'Ran 5 tests in 0.01s\n\nOK', 5, 0, []],
  [
    'go',
    '--- FAIL: TestTotal (0.00s)\n    cart_test.go:12: got 3, want 4\nFAIL\nFAIL\tshop/cart\t0.01s',
    null,
    1,
    ['TestTotal'],
  ],
  [
    'cargo',
    'test cart::total ... FAILED\ntest result: FAILED. 11 passed; 1 failed; 0 ignored\ntest result: ok. 3 passed; 0 failed; 0 ignored',
    14,
    1,
    ['cart::total'],
  ],
  [
    'nextest',
    '        FAIL [   0.01s] shop cart::total\n     Summary [   0.2s] 5 tests run: 4 passed, 1 failed, 0 skipped',
    4,
    1,
    ['cart::total'],
  ],
  [
    'rspec',
    '5 examples, 1 failure\n\nrspec ./spec/cart_spec.rb:12 # Cart sums its lines',
    4,
    1,
    ['Cart sums its lines'],
  ],
  ['minitest', '5 runs, 8 assertions, 1 failures, 0 errors, 0 skips', 4, 1, []],
  [
    'phpunit',
    '1) Tests\\CartTest::testTotal\nTests: 5, Assertions: 8, Failures: 1.',
    4,
    1,
    ['Tests\\CartTest::testTotal'],
  ],
  ['phpunit ok', 'OK (5 tests, 8 assertions)', 5, 0, []],
  [
    'maven',
    '[ERROR]   CartTest.total:12 expected: <4> but was: <3>\n[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 0',
    4,
    1,
    ['CartTest.total'],
  ],
  ['gradle', 'CartTest > total() FAILED\n5 tests completed, 1 failed', 4, 1, ['CartTest > total()']],
  [
    'dotnet',
    '  Failed Shop.CartTests.Total [12 ms]\nFailed!  - Failed:     1, Passed:     4, Skipped:     0, Total:     5',
    4,
    1,
    ['Shop.CartTests.Total'],
  ],
  ['ctest', '80% tests passed, 1 tests failed out of 5\n\t  3 - cart_total (Failed)', 4, 1, ['cart_total']],
  [
    'swift',
    "Test Case '-[CartTests total]' failed (0.1 seconds)\nExecuted 5 tests, with 1 failure (0 unexpected) in 0.1 seconds",
    4,
    1,
    ['-[CartTests total]'],
  ],
  ['elixir', '  1) test sums the lines (CartTest)\n5 tests, 1 failure', 4, 1, ['sums the lines']],
  ['deno', 'total ... FAILED (5ms)\nFAILED | 4 passed | 1 failed (12ms)', 4, 1, ['total']],
];

test.each(RUNS)('reads the counts and names of %s', (_, output, passed, failed, failing) => {
  expect(readTestOutput(output)).toEqual({ passed, failed, failing });
});

test('finds no test run in a listing', () => {
  expect(readTestOutput('src\ntest\npackage.json')).toBeNull();
});

const ERRORS: [string, string, string][] = [
  [
    'tsc',
    'src/a.ts(3,5): error TS2322: Type A is not B.\nFound 1 error.',
    'src/a.ts(3,5): error TS2322: Type A is not B.',
  ],
  [
    'rustc',
    '   Compiling shop\nerror[E0382]: borrow of moved value: `cart`\n --> src/main.rs:3:5',
    'error[E0382]: borrow of moved value: cart',
  ],
  ['go build', '# shop\n./main.go:3:5: undefined: totl', './main.go:3:5: undefined: totl'],
  ['gcc', "main.c:3:5: error: 'x' undeclared", "main.c:3:5: error: 'x' undeclared"],
  [
    'python',
    'Traceback (most recent call last):\n  File "a.py", line 3\nValueError: empty cart',
    'ValueError: empty cart',
  ],
  ['node', "node:internal\nError: Cannot find module 'zod'", "Error: Cannot find module 'zod'"],
  ['jest', 'expect(received).toBe(expected)\n\n    Expected: 4\n    Received: 3', 'expected 4, got 3'],
  ['rust test', "thread 'cart' panicked at src/lib.rs:3:5:\ncart is empty", 'cart is empty (src/lib.rs:3:5)'],
  ['go test', '--- FAIL: TestTotal\n    cart_test.go:12: got 3, want 4', 'cart_test.go:12: got 3, want 4'],
];

test.each(ERRORS)('quotes the first real error of %s', (_, output, error) => {
  expect(firstError(output)).toBe(error);
});
