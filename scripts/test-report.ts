// What a JUnit report of Bun or Playwright says: how many tests there were, and which of them failed.
export type Counts = { passed: number; failed: number; skipped: number; failures: string[] };

/**
 * A file that could not be loaded is missing from Bun's report, and so is everything when a test calls process.exit(0):
 * each file without a result counts as one failure.
 */
export function countTests(junit: string, files: string[], exitCode: number): Counts {
  // Bun says the path in `file`, Playwright the end of it in `name`.
  const reported = [...junit.matchAll(/<testsuite [^>]*?\b(?:file|name)="([^"]+\.tsx?)"/g)].map((match) => match[1] ?? '');
  const silent = files.filter((file) => !reported.some((name) => file === name || file.endsWith(`/${name}`)));
  // What timed out is an error to Playwright.
  const failed = readTotal(junit, 'failures') + readTotal(junit, 'errors');
  const skipped = readTotal(junit, 'skipped');
  const passed = readTotal(junit, 'tests') - failed - skipped;
  const failures = [
    ...readFailures(junit),
    ...silent.map((file) => `${file}: no result; it holds no test, did not load, or ended the run`),
  ];
  const isFailedUnseen = exitCode !== 0 && failed + silent.length === 0;
  if (isFailedUnseen) failures.push(`the tests ended with exit code ${exitCode} although none failed`);
  return { passed, failed: failed + silent.length + (isFailedUnseen ? 1 : 0), skipped, failures };
}

function readTotal(junit: string, name: string): number {
  return Number(junit.match(new RegExp(`<testsuites [^>]*\\b${name}="(\\d+)"`))?.[1] ?? 0);
}

/** "file: group > test", once for each that failed. */
function readFailures(junit: string): string[] {
  const failed = junit.split('<testcase ').filter((test, at) => at > 0 && /^\s*<(?:failure|error)\b/m.test(test));
  return failed.map((test) => {
    const { file, classname, name } = readAttributes(test.slice(0, test.indexOf('>')));
    // Bun's classname is the group, Playwright's the file.
    if (file === undefined) return `${classname}: ${name}`;
    return `${file}: ${classname === '' ? name : `${classname} > ${name}`}`;
  });
}

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

function readAttributes(text: string): Record<string, string> {
  const found = [...text.matchAll(/\b(\w+)="([^"]*)"/g)];
  return Object.fromEntries(found.map(([, name = '', value = '']) => [name, unescapeXml(value)]));
}

function unescapeXml(text: string): string {
  return text.replace(/&(?:#(\d+)|(\w+));/g, (whole, code?: string, name?: string) =>
    code === undefined ? (ENTITIES[name ?? ''] ?? whole) : String.fromCodePoint(Number(code)),
  );
}
