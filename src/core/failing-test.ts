// The name of the test that a line of output says has failed, whatever the ecosystem.

const FAILING: RegExp[] = [
  /^\(fail\) (.+?)(?: \[[\d.]+ ?m?s\])?$/, // bun
  /^\s*● (.+ › .+)$/, // jest
  /^ ?FAIL\s+\S+ > (.+)$/, // vitest
  /^FAILED ([^\s]+::\S+)/, // pytest
  /^(?:FAIL|ERROR): (\w+) \(/, // unittest
  /^\s*--- FAIL: (\S+)/, // go
  /^test (\S+) \.\.\. FAILED$/, // cargo
  /^\s*FAIL \[[^\]]+\]\s+(?:\([^)]*\)\s+)?\S+ (\S+)$/, // nextest
  /^rspec \.\/\S+ # (.+)$/, // rspec
  /^\d+\) (\S+::\w+)/, // phpunit
  /^\[ERROR\]\s+(\w+(?:\.\w+)+):\d+/, // surefire
  /^(\w[\w.]* > .+) FAILED$/, // gradle
  /^\s+Failed (\S+) \[/, // dotnet
  /^\s*\d+ - (\S+) \(Failed\)/, // ctest
  /^Test Case '([^']+)' failed/, // swift
  /^✘ Test (.+) failed after/, // swift testing
  /^\s*not ok \d+ -? ?(.+)$/, // tap
  /^\s*[✖✗×] (.+?)(?: \([\d.]+ ?m?s\))?$/, // node:test, vitest, ava
  /^\s+\d+\) test (.+) \(/, // elixir
  /^(.+) \.\.\. FAILED(?: \(|$)/, // deno
  /^\s*\d+\) (?:\[\w+\] › )(.+)$/, // playwright
  /^\s{2,}\d+\) ([A-Za-z].{2,})$/, // mocha
  /^\[ {2}FAILED {2}\] (\w+\.\w+)/, // gtest
  /^\S+:\d+:(\w+):FAIL/, // unity
  /^(\w+#test_\w+) \[/, // rails
  /^\[?FAIL(?:ED)?\]?:? +([\w:./-]{3,80}(?: [\w:./-]+){0,6})$/, // home-made runners
];

const NOT_A_TEST =
  /^(?:failing tests|\d+ )|^\S+\.[a-z]{1,4}$|^(?:build|compilation|compile|bundl\w+|lint\w*)\b.{0,20}\bfail/i;

/** Null for a line that names none. */
export function failingName(line: string): string | null {
  for (const pattern of FAILING) {
    const name = pattern.exec(line)?.[1]?.trim();
    if (name && !NOT_A_TEST.test(name)) return name.replace(/:$|\s*[─━═]{3,}$/, '').slice(0, 120);
  }
  return null;
}
