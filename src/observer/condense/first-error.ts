// The first real error in what a command printed: the line a person would quote.

const LINE_LENGTH = 400;

/** One line, at most 200 characters; null when nothing looks like an error. */
export function firstError(output: string): string | null {
  const lines = output
    .split('\n', 4000)
    .map((line) => stripAnsi(line.slice(0, LINE_LENGTH)).trimEnd())
    .filter((line) => line.trim() !== '');
  const found = expectation(lines) ?? byPattern(lines);
  return found === null ? null : found.replaceAll('`', '').replaceAll('**', '').trim().slice(0, 200);
}

/** Most telling first; the first line that matches the strongest pattern wins. */
const PATTERNS: RegExp[] = [
  /^(\S+\.\w+[:(]\d+[,:]\d+\)?:?(?: -)? error TS\d+: .+)$/,
  /^(error(?:\[E\d+\])?: (?!test failed|could not compile|aborting|process didn't|expect\(|script ).+)$/,
  /^(\S+\.\w+:\d+(?::\d+)?: (?:fatal )?error: .+)$/,
  /^\S+:\d+:\w+:FAIL: (.+)$/,
  /^\S+:\d+: (?:Assertion|assertion) (.+)$/,
  /^\[ERROR\] (\S+\.\w+:\[\d+,\d+\] .+)$/,
  /^(\S+\.java:\d+: error: .+)$/,
  /^e: (.+)$/,
  /^(\S+\.cs\(\d+,\d+\): error .+)$/,
  /^E\s{2,}([A-Za-z_.]*(?:Error|Exception)\b.*)$/,
  /^E\s{2,}(assert .+)$/,
  /^FAILED \S+ - (.+)$/,
  /^\s*(\w+_test\.go:\d+: .+)$/,
  /^(\.{0,2}\/?\S+\.go:\d+:\d+: .+)$/,
  /^thread '[^']*' .*panicked at (.+)$/,
  /^(panic: .+)$/,
  /^\s*((?:[A-Za-z_][\w.]*)?(?:Error|Exception)(?: \[[A-Z_]+\])?: .+)$/,
  /^(?:Uncaught |Unhandled )?(.*\b(?:TypeError|ReferenceError|SyntaxError|RangeError|AssertionError|KeyError|ValueError|ImportError|ModuleNotFoundError|AttributeError|NullPointerException)\b.*)$/,
  /^(?:==\d+==)?\s*(ERROR: AddressSanitizer: .+)$/,
  /(.*\bSegmentation fault.*)/,
  /^==\d+==\s+(definitely lost: [1-9].+)$/,
  /^(?:psql:\S+ )?(ERROR: .+)$/,
  /^\s*Failure\/Error: (.+)$/,
  /^\s*\*\* (\(\w+Error\) .+)$/,
  /^PHP (?:Fatal|Parse) error:\s+(.+)$/,
  /^(\S+\.\w+:\d+:\d+: [A-Z]{1,5}\d{3,4} .+)$/,
  /^\s*(\d+:\d+\s+error\s+.+)$/,
  /^\s*(?:│ |> |\* )?(?:Caused by|Error|Reason|Message): (.{6,})$/,
  /^> (?!Task |Configure |Run |Could not resolve all)(.{12,})$/,
  /^\* (What went wrong:)$/,
  /^npm (?:ERR!|error) (?!code|errno|A complete log|path|syscall|\s*$)(.+)$/,
  /^(?:fatal|FATAL|ERROR|Error|error)[:\s]\s*(.{6,})$/,
  /(.*\b(?:command not found|No such file or directory|Permission denied|Connection refused|ECONNREFUSED|EADDRINUSE|Cannot find module|does not exist|undefined reference|timed out)\b.*)/i,
  /^\s*(?:\[[\w-]{1,30}\]:? )?(.{0,120}\b(?:[Ff]ailed to|[Uu]nable to|[Cc]ould not|[Cc]annot|is invalid|is forbidden|exceeded)\b.*)$/,
];

function byPattern(lines: string[]): string | null {
  for (const pattern of PATTERNS) {
    for (let at = 0; at < lines.length; at++) {
      const found = pattern.exec(lines[at] ?? '')?.[1];
      if (found) return continued(found.trim(), lines[at + 1]);
    }
  }
  return null;
}

/** A Rust panic puts the message on the next line, and so does whatever ends with a colon. */
function continued(text: string, next: string | undefined): string {
  if (next && /^[^.]{0,60}:$/.test(text)) return next.trim();
  return next && /^\S+\.rs:\d+:\d+:$/.test(text) ? `${next.trim()} (${text.replace(/:$/, '')})` : text;
}

/** "Expected: 4 / Received: 3" of jest, bun and vitest, "expected / got" of rspec, "left / right" of Rust. */
function expectation(lines: string[]): string | null {
  const expected = valueAfter(lines, /^\s*(?:Expected|expected|right)(?:\s*\w*)?:\s+(.{1,120})$/);
  const received = valueAfter(lines, /^\s*(?:Received|received|got|actual|left)(?:\s*\w*)?:\s+(.{1,120})$/i);
  return expected && received ? `expected ${expected}, got ${received}` : null;
}

function valueAfter(lines: string[], pattern: RegExp): string | null {
  for (const line of lines) {
    const value = pattern.exec(line)?.[1];
    if (value) return value.trim();
  }
  return null;
}

function stripAnsi(text: string): string {
  return text.replace(/\u001b\[[\d;]{0,20}[A-Za-z]/g, '');
}
