// Reads what a test run printed, whatever the ecosystem: how many passed and failed, and which failed.
import { failingName } from '../../../core/failing-test.ts';

export type TestResult = { passed: number | null; failed: number; failing: string[] };

const LINE_LENGTH = 400;
const FAILING_KEPT = 8;

/** Null when the output does not look like a test run. */
export function readTestOutput(output: string): TestResult | null {
  const lines = output.split('\n', 6000).map((line) => line.slice(0, LINE_LENGTH));
  const counts = readCounts(lines);
  const failing = unique(lines.flatMap((line) => failingName(line) ?? [])).slice(0, FAILING_KEPT);
  if (!counts && failing.length === 0) return null;
  return { passed: counts?.passed ?? null, failed: counts ? counts.failed : failing.length, failing };
}

type Counts = { passed: number | null; failed: number };

function readCounts(lines: string[]): Counts | null {
  let total = null as Counts | null;
  for (const line of lines) {
    const found = countsIn(line);
    if (!found) continue;
    // Every line adds to what it knows: cargo and maven print one per binary or module, bun one per count.
    total = { passed: addKnown(total?.passed ?? null, found.passed), failed: (total?.failed ?? 0) + found.failed };
  }
  return total;
}

function addKnown(a: number | null, b: number | null): number | null {
  return b === null ? a : (a ?? 0) + b;
}

type Reader = [RegExp, (found: RegExpExecArray) => Counts | null];

const num = (text: string | undefined): number => Number(text ?? 0) || 0;

/** First match wins; each line belongs to one runner. */
const READERS: Reader[] = [
  // jest, vitest, pest: "Tests:  1 failed, 40 passed, 41 total", "Tests  1 failed | 40 passed (41)"
  [/^\s*(?:Tests:?)\s+(.*\b(?:passed|failed|skipped|todo)\b.*)$/, (m) => wordCounts(m[1] ?? '')],
  [/^\s*(?:Test Files|Test Suites:|Snapshots:|Files:)\s/, () => null],
  // cargo
  [/^test result: \w+\. (\d+) passed; (\d+) failed/, (m) => ({ passed: num(m[1]), failed: num(m[2]) })],
  // nextest
  [/tests? run: (\d+) passed(?: \([^)]*\))?(?:, (\d+) failed)?/, (m) => ({ passed: num(m[1]), failed: num(m[2]) })],
  // maven surefire per class, then its total: only the total has no "in"/"Time elapsed"
  [/Tests run: \d+,.*(?:Time elapsed|-- in)/, () => null],
  [/Tests run: (\d+), Failures: (\d+), Errors: (\d+)/, (m) => ofTotal(num(m[1]), num(m[2]) + num(m[3]))],
  // phpunit
  [/^OK \((\d+) tests?, \d+ assertions?\)/, (m) => ({ passed: num(m[1]), failed: 0 })],
  [
    /^Tests: (\d+), Assertions: \d+(?:, Errors: (\d+))?(?:, Failures: (\d+))?/,
    (m) => ofTotal(num(m[1]), num(m[2]) + num(m[3])),
  ],
  // dotnet
  [/Failed:\s+(\d+), Passed:\s+(\d+)/, (m) => ({ passed: num(m[2]), failed: num(m[1]) })],
  // gradle
  [/^(\d+) tests? completed, (\d+) failed/, (m) => ofTotal(num(m[1]), num(m[2]))],
  // ctest
  [/^\d+% tests passed, (\d+) tests? failed out of (\d+)/, (m) => ofTotal(num(m[2]), num(m[1]))],
  // swift
  [/Executed (\d+) tests?, with (\d+) failures?/, (m) => ofTotal(num(m[1]), num(m[2]))],
  [/Test run with (\d+) tests?.* (passed|failed)/, (m) => ofTotal(num(m[1]), m[2] === 'failed' ? 1 : 0)],
  // minitest
  [
    /^(\d+) (?:runs|tests), \d+ assertions, (\d+) failures, (\d+) errors/,
    (m) => ofTotal(num(m[1]), num(m[2]) + num(m[3])),
  ],
  // home-made runners, alcotest, tasty: "42/42 passed", "All 77 tests passed"
  [
    /^\W{0,4}(\d+)\/(\d+) (?:tests? |checks? )?(?:pass(?:ed)?|ok|succeeded|green)\b/i,
    (m) => ofTotal(num(m[2]), num(m[2]) - num(m[1])),
  ],
  [/^\W{0,4}All (\d+) tests? (?:passed|ok|succeeded)\b/i, (m) => ({ passed: num(m[1]), failed: 0 })],
  // rspec, hspec, elixir
  [/(\d+) (?:examples?|tests?), (\d+) failures?/, (m) => ofTotal(num(m[1]), num(m[2]))],
  // unittest
  [/^Ran (\d+) tests? in/, (m) => ({ passed: num(m[1]), failed: 0 })],
  [/^FAILED \(([^)]{1,80})\)$/, (m) => unittestFailures(m[1] ?? '')],
  // bun, mocha, node:test: one count per line
  [/^\s*(\d+) (?:pass|passing|passed)(?: \([\d.]+ ?m?s?\))?\s*$/, (m) => ({ passed: num(m[1]), failed: 0 })],
  [/^\s*(\d+) (?:fail|failing|failed)\s*$/, (m) => ({ passed: null, failed: num(m[1]) })],
  [/^(?:#|ℹ) pass (\d+)$/, (m) => ({ passed: num(m[1]), failed: 0 })],
  [/^(?:#|ℹ) fail (\d+)$/, (m) => ({ passed: null, failed: num(m[1]) })],
  // deno
  [/^(?:ok|FAILED) \| (\d+) passed(?: \([^)]*\))? \| (\d+) failed/, (m) => ({ passed: num(m[1]), failed: num(m[2]) })],
  // dart, flutter
  [
    /^\d\d:\d\d \+(\d+)(?: ~\d+)?(?: -(\d+))?: (?:Some tests failed|All tests passed)/,
    (m) => ({ passed: num(m[1]), failed: num(m[2]) }),
  ],
  // gtest
  [/^\[ {2}PASSED {2}\] (\d+) tests?/, (m) => ({ passed: num(m[1]), failed: 0 })],
  [/^\[ {2}FAILED {2}\] (\d+) tests?, listed/, (m) => ({ passed: null, failed: num(m[1]) })],
  // catch2, doctest
  [/test cases:\s+\d+ \|\s+(\d+) passed(?: \|\s+(\d+) failed)?/, (m) => ({ passed: num(m[1]), failed: num(m[2]) })],
  // unity, criterion
  [/^(\d+) Tests (\d+) Failures/, (m) => ofTotal(num(m[1]), num(m[2]))],
  [/Tested: (\d+) \| Passing: (\d+) \| Failing: (\d+)/, (m) => ({ passed: num(m[2]), failed: num(m[3]) })],
  // pytest: "=== 1 failed, 3 passed in 0.12s ===" with or without the rule
  [/^=*\s*(\d+ (?:passed|failed|errors?)\b.*) in [\d.]+\s?s/, (m) => wordCounts(m[1] ?? '')],
  // home-made runners
  [
    /(\d+) (?:tests? )?passed[,;|]? (?:and )?(\d+) (?:tests? )?failed/i,
    (m) => ({ passed: num(m[1]), failed: num(m[2]) }),
  ],
  [/(\d+)\/(\d+) (?:tests?|checks?|cases?|specs?) (?:passed|ok)\b/i, (m) => ofTotal(num(m[2]), num(m[2]) - num(m[1]))],
];

function countsIn(line: string): Counts | null {
  for (const [pattern, read] of READERS) {
    const found = pattern.exec(line);
    if (found) return read(found);
  }
  return null;
}

function wordCounts(text: string): Counts {
  const passed = /(\d+) passed/.exec(text)?.[1];
  const errors = num(/(\d+) errors?\b/.exec(text)?.[1]);
  return { passed: passed === undefined ? null : num(passed), failed: num(/(\d+) failed/.exec(text)?.[1]) + errors };
}

function ofTotal(total: number, failed: number): Counts {
  return { passed: Math.max(0, total - failed), failed };
}

function unittestFailures(text: string): Counts {
  const failed = num(/failures=(\d+)/.exec(text)?.[1]) + num(/errors=(\d+)/.exec(text)?.[1]);
  return { passed: -failed, failed };
}

function unique(names: string[]): string[] {
  return [...new Set(names)];
}
